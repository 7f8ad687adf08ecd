"""The environment: parameters and type mappings that come with a template."""

import collections.abc
import dataclasses

from orch.template import document
from orch.template import errors
from orch.template import inputs as inputs_
from orch.template import limits as limits_
from orch.template import merging
from orch.template import yaml_reader

PARAMETERS = "parameters"
DEFAULTS = "parameter_defaults"
REGISTRY = "resource_registry"
ENCRYPTED = "encrypted_param_names"
SINKS = "event_sinks"
STRATEGIES = "parameter_merge_strategies"

_MAPS = (PARAMETERS, DEFAULTS, REGISTRY, STRATEGIES)
_LISTS = (ENCRYPTED, SINKS)
_KNOWN_SINKS = frozenset({"zaqar-queue"})

Sections = dict[str, object]


@dataclasses.dataclass(frozen=True)
class Environment:
    """All that came beside a template, merged into one."""

    parameters: collections.abc.Mapping[str, object]
    parameter_defaults: collections.abc.Mapping[str, object]
    resource_registry: collections.abc.Mapping[str, object]
    event_sinks: collections.abc.Sequence[object] = ()

    def as_dict(self) -> dict[str, object]:
        """Return it as Heat shows it."""
        registry = dict(self.resource_registry)
        registry.setdefault("resources", {})
        return {
            "event_sinks": list(self.event_sinks),
            "parameter_defaults": dict(self.parameter_defaults),
            "parameters": dict(self.parameters),
            "resource_registry": registry,
        }


def read(
    inputs: inputs_.Inputs,
    types: collections.abc.Mapping[str, str],
    limits: limits_.Limits,
) -> Environment:
    """Return the environment of a request.

    :param types: type of each parameter of the template, by name
    :raises orch.template.errors.EnvironmentInvalid: it cannot be read
    :raises orch.template.errors.MergeConflict: files contradict each other
    """
    if inputs.environment_files:
        sections = _merge_files(inputs, types, limits)
    else:
        sections = _parse(inputs.environment, "", limits)
    if not isinstance(inputs.parameters, collections.abc.Mapping):
        raise errors.EnvironmentInvalid("The parameters must be a map.")
    values = _map(sections, PARAMETERS) | dict(inputs.parameters)
    document.check_object(values, limits)
    sinks = _list(sections, SINKS)
    _check_sinks(sinks)
    return Environment(
        values,
        _map(sections, DEFAULTS),
        _map(sections, REGISTRY),
        sinks,
    )


def _parse(written: object, file: str, limits: limits_.Limits) -> Sections:
    """Return the sections of one environment, text or object."""
    if isinstance(written, str):
        document.check_size(written, limits)
        try:
            written = yaml_reader.read(written, limits)
        except yaml_reader.Unreadable as error:
            raise _invalid(str(error), file) from None
    else:
        document.check_object(written, limits)
    if written is None:
        return {}
    if not isinstance(written, dict):
        raise _invalid(
            "The environment is not a valid YAML mapping data type.", file
        )
    for name, section in written.items():
        _check_section(name, section, file)
    return written


def _check_section(name: str, section: object, file: str) -> None:
    if name not in (*_MAPS, *_LISTS):
        raise _invalid(f'environment has wrong section "{name}"', file)
    if section is None:
        return
    kind, word = (dict, "map") if name in _MAPS else (list, "list")
    if not isinstance(section, kind):
        raise _invalid(f'the section "{name}" must be a {word}', file)


def _invalid(why: str, file: str) -> errors.EnvironmentInvalid:
    where = f" ({file})" if file else ""
    return errors.EnvironmentInvalid(
        f"Environment not in valid format{where}: {why}"
    )


def _map(sections: Sections, name: str) -> dict[str, object]:
    section = sections.get(name)
    return dict(section) if isinstance(section, dict) else {}


def _list(sections: Sections, name: str) -> list[object]:
    section = sections.get(name)
    return list(section) if isinstance(section, list) else []


def _check_sinks(sinks: list[object]) -> None:
    for sink in sinks:
        kind = sink.get("type") if isinstance(sink, dict) else None
        if not isinstance(kind, str) or kind not in _KNOWN_SINKS:
            raise errors.EnvironmentInvalid(
                f"The event sink {sink!r} has no known type; known are:"
                f" {', '.join(sorted(_KNOWN_SINKS))}"
            )


def _merge_files(
    inputs: inputs_.Inputs,
    types: collections.abc.Mapping[str, str],
    limits: limits_.Limits,
) -> Sections:
    """Return the sections of several files, later ones upon earlier ones."""
    merged: Sections = {}
    strategies: dict[str, merging.Strategy] = {}
    for file in inputs.environment_files:
        text = inputs.files.get(file)
        if text is None:
            raise _invalid("the file is not among the files sent", str(file))
        sections = _parse(text, file, limits)
        wanted = _map(sections, STRATEGIES)
        for name in (PARAMETERS, DEFAULTS):
            merged[name] = _merge_values(
                _map(merged, name),
                _map(sections, name),
                types,
                _Strategies(file, wanted, strategies),
            )
        merged[REGISTRY] = merging.merge_maps(
            _map(merged, REGISTRY), _map(sections, REGISTRY), is_deep=False
        )
        for name in _LISTS:
            merged[name] = _list(merged, name) + _list(sections, name)
    return merged


@dataclasses.dataclass(frozen=True)
class _Strategies:
    """What one file asks for, and what the files before it asked for."""

    file: str
    wanted: collections.abc.Mapping[str, object]
    agreed: dict[str, merging.Strategy]

    def of(self, name: str) -> merging.Strategy:
        """Return the strategy for a parameter, the same for all files."""
        wanted = merging.strategy_of(name, self.wanted)
        if self.agreed.setdefault(name, wanted) is not wanted:
            raise errors.MergeConflict(
                f"Conflicting merge strategy '{wanted.value}' for parameter"
                f" '{name}' in file '{self.file}'."
            )
        return wanted


def _merge_values(
    old: dict[str, object],
    new: dict[str, object],
    types: collections.abc.Mapping[str, str],
    strategies: _Strategies,
) -> dict[str, object]:
    """Return the values of two files.

    A later file may speak of parameters of other templates: what this
    template does not have is left out, unless no value stood there before.
    """
    merged = dict(old)
    for name, value in new.items():
        if name not in types:
            if not old:
                merged[name] = value
            continue
        strategy = strategies.of(name)
        if value is not None:
            merged[name] = merging.merge_value(
                name, types[name], old.get(name), value, strategy
            )
    return merged
