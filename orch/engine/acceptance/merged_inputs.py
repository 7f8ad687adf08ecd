"""The inputs of an update that names only what is to be different."""

import collections.abc

from orch.rpc import contract
from orch.template import inputs as template_inputs
from orch.template import template

Load = collections.abc.Callable[[template_inputs.Inputs], template.Template]
Map = dict[str, object]

_SINKS = "event_sinks"
"""Sinks stay where the request names none; where it does, they are all."""


def merge_inputs(
    before: template_inputs.Inputs,
    old: template.Template,
    inputs: contract.StackInputs,
    cleared: collections.abc.Collection[str],
    load: Load,
) -> template_inputs.Inputs:
    """Return all inputs: those given upon those that are stored.

    Values of parameters that the template does not have any more are left
    out; one that the request itself gives must be known.

    :param before: the stored inputs
    :param old: their template
    :param cleared: parameters whose stored values go
    :raises orch.errors.Invalid: the template or its inputs are wrong
    """
    given = template_inputs.Inputs(
        template=inputs.get("template", before.template),
        environment=inputs.get("environment"),
        parameters=inputs.get("parameters", {}),
        files={**before.files, **inputs.get("files", {})},
        environment_files=inputs.get("environment_files", ()),
        source="" if "template" in inputs else before.source,
    )
    fresh = load(given)
    saved = {
        name: value
        for name, value in _section(old, "parameters").items()
        if name not in cleared and name in fresh.parameters.schemas
    }
    return template_inputs.Inputs(
        template=given.template,
        source=given.source,
        environment={
            **fresh.environment,
            "parameters": {**saved, **_section(fresh, "parameters")},
            **{
                name: merge_maps(_section(old, name), _section(fresh, name))
                for name in ("parameter_defaults", "resource_registry")
            },
            _SINKS: fresh.environment[_SINKS] or old.environment[_SINKS],
        },
        files=given.files,
    )


def merge_maps(before: Map, after: Map) -> Map:
    """Return one map of two: what the later one gives wins, at any depth."""
    joined = dict(before)
    for key, value in after.items():
        earlier = joined.get(key)
        if isinstance(earlier, dict) and isinstance(value, dict):
            joined[key] = merge_maps(earlier, value)
        else:
            joined[key] = value
    return joined


def _section(parsed_template: template.Template, name: str) -> Map:
    section = parsed_template.environment[name]
    assert isinstance(section, dict)
    return section
