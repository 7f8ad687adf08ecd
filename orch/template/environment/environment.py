"""The environment: parameters and type mappings that come with a template."""

import collections.abc
import dataclasses

from orch.template import errors
from orch.template import problems
from orch.template.environment import form
from orch.template.environment import merge
from orch.template.environment import registry as registry_
from orch.template.text import document as document_

Map = collections.abc.Mapping[str, object]
Types = collections.abc.Mapping[str, str]
Origins = collections.abc.Mapping[str, document_.Origin]


@dataclasses.dataclass(frozen=True)
class Environment:
    """All that came beside a template, merged into one.

    :ivar encrypted_param_names: parameters whose values are secret
    :ivar external_ids: physical ids that the request adopts, by name of a
        resource; they are no part of the stack
    :ivar origins: where each of the parameters was written
    :ivar default_origins: the same of the defaults
    """

    parameters: Map
    parameter_defaults: Map
    resource_registry: Map
    event_sinks: collections.abc.Sequence[object] = ()
    encrypted_param_names: collections.abc.Sequence[str] = ()
    external_ids: Map = dataclasses.field(default_factory=dict)
    origins: Origins = dataclasses.field(default_factory=dict)
    default_origins: Origins = dataclasses.field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """Return it as Heat's validation shows it."""
        registry = registry_.registry_as_written(self.resource_registry)
        registry.setdefault(registry_.RESOURCES, {})
        return {
            "event_sinks": list(self.event_sinks),
            "parameter_defaults": dict(self.parameter_defaults),
            "parameters": dict(self.parameters),
            "resource_registry": registry,
        }

    def as_stored(self) -> dict[str, object]:
        """Return it as Heat shows the environment of a stack."""
        return {
            **self.as_dict(),
            "encrypted_param_names": list(self.encrypted_param_names),
        }


def merge_environments(
    documents: collections.abc.Sequence[document_.Document],
    given: Map,
    types: Types,
    report: problems.Report,
    *,
    are_files: bool = False,
) -> Environment:
    """Return several environments as one, later ones upon earlier ones.

    :param documents: as
        :func:`orch.template.environment.form.read_environments` gives them
    :param given: values of the request, which win over an environment, and
        which files are merged upon
    :param types: type of each parameter of the template, by name
    :param report: told where they contradict each other
    :param are_files: the documents are files, not the environment itself
    """
    values = _Section(form.PARAMETERS, types, report)
    if are_files:
        values.begin(given)
    defaults = _Section(form.DEFAULTS, types, report)
    registry: Map = {}
    sinks: list[object] = []
    encrypted: list[str] = []
    external_ids: dict[str, object] = {}
    agreed: dict[str, merge.Strategy] = {}
    for one in documents:
        strategies = _Strategies(one, agreed)
        values.add(one, strategies)
        defaults.add(one, strategies)
        registry = merge.merge_maps(
            registry, form.map_of(one.root, form.REGISTRY), is_deep=False
        )
        sinks += form.list_of(one.root, form.SINKS)
        encrypted += map(str, form.list_of(one.root, form.ENCRYPTED))
        external_ids |= form.map_of(one.root, form.EXTERNAL_IDS)
    if not are_files:
        values.replace(given)
    return Environment(
        values.values,
        defaults.values,
        registry,
        sinks,
        encrypted,
        external_ids,
        values.origins,
        defaults.origins,
    )


@dataclasses.dataclass(frozen=True)
class _Strategies:
    """What one file asks for, and what the files before it asked for."""

    document: document_.Document
    agreed: dict[str, merge.Strategy]

    def strategy_of(self, name: str) -> merge.Strategy:
        """Return the strategy for a parameter, the same for all files.

        A file that does not name the parameter follows those before it;
        what it says by default holds for parameters that are new.

        :raises orch.template.errors.MergeConflict: it names another
        """
        strategies = form.map_of(self.document.root, form.STRATEGIES)
        if name in self.agreed and name not in strategies:
            return self.agreed[name]
        requested = merge.find_strategy(name, strategies)
        if self.agreed.setdefault(name, requested) is not requested:
            raise errors.MergeConflict(
                f"Conflicting merge strategy '{requested.value}' for parameter"
                f" '{name}' in file '{self.document.file}'.",
                advice=f"A file before it has '{self.agreed[name].value}': let"
                " all have one.",
            )
        return requested


@dataclasses.dataclass(frozen=True)
class _Section:
    """One section with values of parameters, as merged so far.

    :ivar types: those of the parameters of the template
    """

    name: str
    types: Types
    report: problems.Report
    values: dict[str, object] = dataclasses.field(default_factory=dict)
    origins: dict[str, document_.Origin] = dataclasses.field(
        default_factory=dict
    )

    def begin(self, given: Map) -> None:
        """Take the values that were given before any environment."""
        self.values.update(
            (name, value) for name, value in given.items() if value is not None
        )

    def replace(self, given: Map) -> None:
        """Let values win over those of the environments."""
        self.values.update(given)
        for name in given:
            self.origins.pop(name, None)

    def add(
        self, document: document_.Document, strategies: _Strategies
    ) -> None:
        """Merge the values of one more environment.

        A later file may speak of parameters of other templates: what this
        template does not have is left out, unless no value stood there
        before.
        """
        is_first = not self.values
        for name, value in form.map_of(document.root, self.name).items():
            path = (self.name, name)
            try:
                is_taken = self._merge(name, value, strategies, is_first)
            except errors.TemplateRefused as error:
                fault = problems.fault_of(error, path)
                fault.document = document
                self.report.add(fault)
                continue
            if is_taken:
                self.origins[name] = document_.Origin(document, path)

    def _merge(
        self,
        name: str,
        value: object,
        strategies: _Strategies,
        is_first: bool,
    ) -> bool:
        """Take one value, and answer whether it counts.

        ``null`` changes nothing, and asks for no strategy.
        """
        if value is None or name not in self.types:
            if is_first:
                self.values[name] = value
            return is_first
        strategy = strategies.strategy_of(name)
        self.values[name] = merge.merge_value(
            name, self.types[name], self.values.get(name), value, strategy
        )
        return True
