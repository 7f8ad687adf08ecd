"""Environments as users write them: read, and their form checked."""

import collections.abc
import dataclasses

from orch.plugin import sinks
from orch.template import errors
from orch.template import inputs as inputs_
from orch.template import problems
from orch.template.environment import registry
from orch.template.text import document
from orch.template.text import yaml_reader

PARAMETERS = "parameters"
DEFAULTS = "parameter_defaults"
REGISTRY = "resource_registry"
ENCRYPTED = "encrypted_param_names"
SINKS = "event_sinks"
STRATEGIES = "parameter_merge_strategies"
EXTERNAL_IDS = "external_ids"
"""Ids of physical resources that the request adopts; Heat has none."""

INLINE = "environment"
"""What an environment is called in problems that came in no file."""

_MAPS = (PARAMETERS, DEFAULTS, REGISTRY, STRATEGIES, EXTERNAL_IDS)
_LISTS = (ENCRYPTED, SINKS)
_MAX_SINKS = 10
_REQUIRED_SINK_KEYS = "target"

ALL_HOOKS = tuple(
    f"{when}-{action}"
    for when in ("pre", "post")
    for action in ("create", "update", "delete")
)
ALL_ACTIONS = ("update", "replace")

_REGISTRY_KEYS = (
    registry.RESOURCES,
    registry.BASE_URL,
    registry.HOOKS,
    registry.RESTRICTED,
)

Faults = collections.abc.Iterator[problems.Fault]


def read_environments(
    inputs: inputs_.Inputs, limits: inputs_.Limits
) -> tuple[list[document.Document], list[problems.Fault]]:
    """Return the environments of a request, and what is wrong with them.

    What could not be read is missing. Sections of a wrong form are still
    there.

    :raises orch.template.errors.TooLarge: one is longer or deeper than
        allowed
    """
    stored_sinks = list(inputs.stored_sinks)
    if not inputs.environment_files:
        return read_files([(INLINE, inputs.environment)], limits, stored_sinks)
    missing = []
    found: list[tuple[str, object]] = []
    for name in inputs.environment_files:
        if name in inputs.files:
            found.append((name, inputs.files[name]))
            continue
        why = f'the file "{name}" is not among the files sent'
        fault = _invalid((), why, problems.suggest_name(name, inputs.files))
        fault.document = document.Document({}, file=str(name))
        missing.append(fault)
    documents, faults = read_files(found, limits, stored_sinks)
    return documents, missing + faults


def with_stored_sinks(
    inputs: inputs_.Inputs,
    known: collections.abc.Sequence[collections.abc.Mapping[str, object]],
    limits: inputs_.Limits,
) -> inputs_.Inputs:
    """Return what an update gives, with the secrets of sinks that it keeps.

    They are those which are shown as asterisks and came back as such.

    :param known: the event sinks that the stack has
    :raises orch.template.errors.TooLarge: an environment is longer or deeper
        than allowed
    """
    if not known:
        return inputs
    documents, _ = read_environments(inputs, limits)
    declared = [each for one in documents for each in list_of(one.root, SINKS)]
    return dataclasses.replace(
        inputs, stored_sinks=tuple(sinks.find_redacted_sinks(declared, known))
    )


def read_files(
    written: collections.abc.Iterable[tuple[str, object]],
    limits: inputs_.Limits,
    stored_sinks: list[collections.abc.Mapping[str, object]] | None = None,
) -> tuple[list[document.Document], list[problems.Fault]]:
    """Return environments as documents, and what is wrong with them.

    :param written: text or object by the name of the file
    :param stored_sinks: what covered secrets stand for; what is used goes
        from it
    :raises orch.template.errors.TooLarge: one is longer or deeper than
        allowed
    """
    documents: list[document.Document] = []
    faults: list[problems.Fault] = []
    for file, one in written:
        text = one if isinstance(one, str) else ""
        found = document.Document({}, file=file)
        try:
            root = _parse(one, limits)
            declared = list_of(root, SINKS)
            if stored_sinks and declared:
                restored = [
                    sinks.restore_secrets(each, stored_sinks)
                    for each in declared
                ]
                root = {**root, SINKS: restored}
            found = document.Document(root, text, file)
            documents.append(found)
            those = list(_form_faults(found.root))
        except problems.Fault as fault:
            those = [fault]
        for one_fault in those:
            one_fault.document = found
        faults += those
    return documents, faults


def _parse(
    written: object, limits: inputs_.Limits
) -> collections.abc.Mapping[str, object]:
    """Return the sections of one environment, text or object.

    :raises problems.Fault: it is none
    """
    if isinstance(written, str):
        document.check_size(written, limits)
        try:
            written = yaml_reader.read_yaml(written, limits)
        except yaml_reader.Unreadable as error:
            raise _unreadable(error) from None
    else:
        document.check_object(written, limits)
    if written is None:
        return {}
    if not isinstance(written, dict):
        raise _invalid((), "it must be a YAML mapping of sections")
    return written


def _form_faults(sections: collections.abc.Mapping[str, object]) -> Faults:
    """Return what is wrong with the sections, their names first."""
    for name in sections:
        if name not in (*_MAPS, *_LISTS):
            yield _invalid(
                (name,),
                f'environment has wrong section "{name}"',
                problems.suggest_name(name, (*_MAPS, *_LISTS)),
            )
    for name, section in sections.items():
        if section is None and name in (*_MAPS, *_LISTS):
            yield _invalid(
                (name,),
                f'environment has empty section "{name}"',
                "Leave it out, or give it something.",
            )
        elif name in _MAPS and not isinstance(section, dict):
            yield _invalid((name,), f'the section "{name}" must be a map')
        elif name in _LISTS and not isinstance(section, list) and section:
            yield _invalid((name,), f'the section "{name}" must be a list')
    yield from registry_faults(map_of(sections, REGISTRY), (REGISTRY,))
    listed_sinks = list_of(sections, SINKS)
    if len(listed_sinks) > _MAX_SINKS:
        yield _invalid(
            (SINKS,), f"there are more than {_MAX_SINKS} event sinks"
        )
    for place, sink in enumerate(listed_sinks[:_MAX_SINKS]):
        yield from _sink_faults(sink, (SINKS, place))
    for place, listed in enumerate(list_of(sections, ENCRYPTED)):
        if not isinstance(listed, str):
            yield _invalid(
                (ENCRYPTED, place), "it must be the name of a parameter"
            )


def registry_faults(section: registry.Registry, path: errors.Path) -> Faults:
    """Return what is wrong with a registry, or a section of one.

    Maps under names that mean nothing do no harm in Heat, nor do types
    that do not exist while no resource is of them.

    .. code-block:: yaml

       resource_registry:
         base_url: https://example.com/templates
         My::Server: server.yaml
         OS::Network*: OS::Neutron*
         resources:
           web*:
             hooks: pre-create
             restricted_actions: [update, replace]
    """
    for name, value in section.items():
        where = (*path, name)
        if value is None:
            continue
        if name == registry.HOOKS:
            yield from _word_faults(value, where, "hook", ALL_HOOKS)
        elif name == registry.RESTRICTED:
            yield from _word_faults(
                value, where, "restricted action", ALL_ACTIONS
            )
        elif isinstance(value, dict):
            yield from registry_faults(value, where)
        elif name == registry.RESOURCES:
            yield problems.Fault(
                where,
                '"resources" must be a map of resources',
                errors.EnvironmentInvalid,
            )
        elif not isinstance(value, str):
            yield problems.Fault(
                where,
                f'"{name}" must name a type or the file of a template',
                errors.EnvironmentInvalid,
                problems.suggest_name(name, _REGISTRY_KEYS),
            )


def _word_faults(
    value: object,
    path: errors.Path,
    what: str,
    known: collections.abc.Collection[str],
) -> Faults:
    """Return what is wrong with hooks or restricted actions."""
    kind: type[errors.TemplateRefused] = errors.HookInvalid
    if known is ALL_ACTIONS:
        kind = errors.RestrictedActionInvalid
    choice = f"They are: {', '.join(known)}."
    if not isinstance(value, str | list):
        yield problems.Fault(
            path, f"The {what} must be a word or a list of words", kind, choice
        )
        return
    for place, word in enumerate(registry.as_words(value)):
        if word not in known:
            where = (*path, place) if isinstance(value, list) else path
            yield problems.Fault(
                where,
                f'"{word[:100]}" is no {what}',
                kind,
                problems.suggest_name(word, known, choice),
            )


def _sink_faults(sink: object, path: errors.Path) -> Faults:
    """Return why events cannot be sent there."""
    if not isinstance(sink, dict):
        yield _invalid(path, "an event sink must be a map")
        return
    known = sinks.load_sink_types()
    name = sink.get("type")
    kind = known.get(name) if isinstance(name, str) else None
    if kind is None:
        yield _invalid(
            (*path, "type"),
            f"the event sink has no known type: {str(name)[:100]}",
            problems.suggest_name(
                str(name), known, f"Types are: {', '.join(sorted(known))}."
            ),
        )
        return
    if kind.keys is not None:
        for key in sink:
            if key not in kind.keys:
                yield _invalid(
                    (*path, key),
                    f'an event sink of type {name} has no "{key}"',
                    problems.suggest_name(str(key), kind.keys),
                )
        if not isinstance(sink.get(_REQUIRED_SINK_KEYS), str):
            yield _invalid(
                path,
                f"an event sink of type {name} needs a"
                f' "{_REQUIRED_SINK_KEYS}", a text',
            )
            return
    covered = sinks.list_redacted_keys(sink)
    for key in covered:
        yield _invalid(
            (*path, key),
            f'the "{key}" of the event sink is {sinks.REDACTED}, which is'
            " shown"
            " in its place",
            f'Give the "{key}" itself. Only an update keeps it, of a stack'
            " that has one sink of this type with this"
            f" {_REQUIRED_SINK_KEYS}.",
        )
    if covered:
        return
    for fault in kind.faults(sink):
        yield _invalid(
            path if fault.key is None else (*path, fault.key),
            fault.text,
            fault.advice,
        )


def map_of(
    sections: collections.abc.Mapping[str, object], name: str
) -> collections.abc.Mapping[str, object]:
    """Return a section that is a map; an empty one where it is none."""
    section = sections.get(name)
    return section if isinstance(section, dict) else {}


def list_of(
    sections: collections.abc.Mapping[str, object], name: str
) -> list[object]:
    """Return a section that is a list; an empty one where it is none."""
    section = sections.get(name)
    return section if isinstance(section, list) else []


def _unreadable(error: yaml_reader.Unreadable) -> problems.Fault:
    fault = _invalid((), error.message)
    fault.place = document.Place(error.line, error.column)
    return fault


def _invalid(
    path: errors.Path, why: str, advice: errors.Advice = ""
) -> problems.Fault:
    return problems.Fault(
        path,
        f"Environment not in valid format: {why}",
        errors.EnvironmentInvalid,
        advice,
    )
