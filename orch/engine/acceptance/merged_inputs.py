"""Merge the inputs of a partial update with those that are stored."""

import collections.abc

from orch.rpc import contract
from orch.template import inputs as template_inputs
from orch.template import template
from orch.template.environment import form

Load = collections.abc.Callable[[template_inputs.Inputs], template.Template]
Map = dict[str, object]

_SINKS = "event_sinks"
"""Stored sinks remain only where the request names none."""


def merge_inputs(
    before: template_inputs.Inputs,
    old: template.Template,
    inputs: contract.StackInputs,
    cleared: collections.abc.Collection[str],
    load: Load,
) -> template_inputs.Inputs:
    """Return the stored inputs, overridden by those of the request.

    Stored values of parameters that the template no longer declares are
    omitted; one that the request itself gives must be declared.

    :param before: the stored inputs
    :param old: their template
    :param cleared: parameters whose stored values are dropped
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
            **_external_ids(fresh),
        },
        files=given.files,
    )


def _external_ids(fresh: template.Template) -> Map:
    """Return the section of the ids that the request itself gives, if any."""
    ids = dict(fresh.external_ids)
    return {form.EXTERNAL_IDS: ids} if ids else {}


def merge_maps(before: Map, after: Map) -> Map:
    """Return two maps merged; values of the later one win at any depth."""
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
