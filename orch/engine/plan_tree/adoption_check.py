"""Read physical resources before their adoption, for the plan.

The run reads them again: the plan shows only what is found now.
"""

import collections.abc
import dataclasses
import functools
import typing

from orch import errors
from orch.context import outside
from orch.context import request
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.engine.execution import planning
from orch.flow.state import contexts
from orch.model import adoption
from orch.model import marked
from orch.model import operation
from orch.model import resource as model_resource
from orch.planner import plan
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import schema
from orch.template import world

Values = collections.abc.Mapping[str, object]

_NO_ID: typing.Final = (
    "will fail: it has no id; give it in external_ids, or let it be created"
    " with adopt_missing: create"
)


def check_adoptions(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    planned: plan.Plan,
    loaded: planning.Loaded,
    operation: operation.Operation,
    reads: plugin_reads.ReadBudget,
) -> plan.Plan:
    """Return the plan with the observed state of resources to adopt.

    Of a physical resource whose type can be read, the properties are shown
    that differ from the template; ``before`` has the observed values.
    """
    ids = {row.id for row in loaded.rows if row.physical_id is not None}
    planned = dataclasses.replace(
        planned,
        changes=tuple(
            _with_reason(
                change,
                operation,
                has_id=change.resource_id in ids
                or change.name in loaded.documents,
            )
            if change.kind is plan.Kind.ADOPT and change.takes_over
            else change
            for change in planned.changes
        ),
    )
    if adoption.Verify.of(operation.options) is adoption.Verify.TAKE:
        return planned
    return _read_all(deps, ctxt, planned, loaded, reads)


def _with_reason(
    change: plan.Change, operation: operation.Operation, *, has_id: bool
) -> plan.Change:
    """Return a change with what is known of it before anything is read."""
    if not has_id:
        return dataclasses.replace(change, reason=_NO_ID)
    other_type = adoption.describe_type(operation.options, change.name)
    how = adoption.Verify.of(operation.options)
    if other_type is None or how is adoption.Verify.TAKE:
        return change
    return dataclasses.replace(
        change, reason=f"{change.reason}, although {other_type}"
    )


def _read_all(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    planned: plan.Plan,
    loaded: planning.Loaded,
    reads: plugin_reads.ReadBudget,
) -> plan.Plan:
    """Return the plan with the observed state of what is to be adopted."""
    rows = {row.id: row for row in loaded.rows}
    types = deps.types_of(
        loaded.stack, loaded.parsed_template, ctxt, loaded.rows
    )
    changes = []
    differences = dict(planned.differences)
    for change in planned.changes:
        row = rows.get(change.resource_id)
        is_looked_at = change.kind is plan.Kind.ADOPT and change.takes_over
        plugin = _plugin(types, row) if is_looked_at and row else None
        if plugin is None or row is None:
            changes.append(change)
            continue
        known = differences.get(change.name)
        after = (known.after if known else None) or {}
        context = dataclasses.replace(
            contexts.build_context(loaded.stack, row, ctxt),
            properties={
                name: value
                for name, value in after.items()
                if not world.has_unknown(value)
            },
        )
        try:
            found = reads.ask(
                plugin, functools.partial(plugin.get_reality, context)
            )
        except outside.REFUSALS:
            raise
        except errors.OrchError as error:
            said = error.message.rstrip(".")
            reason = f"{change.reason}, although {said}"
            changes.append(dataclasses.replace(change, reason=reason))
            continue
        changes.append(change)
        if found is not None:
            differences[change.name] = _compared(plugin, found, after)
    return dataclasses.replace(
        planned, changes=tuple(changes), differences=differences
    )


def _plugin(
    types: registry.Types, row: model_resource.Resource
) -> resource.Resource | None:
    """Return the plug-in that can read a resource before its adoption."""
    plugin = types.find(row.plugin_type)
    if plugin is None or row.physical_id is None:
        return None
    # A child stack has a plan of its own, and a type that translates ids does
    # so in the run.
    is_own = type(plugin).handle_adopt is not resource.Resource.handle_adopt
    is_other = is_own and not plugin.adopts_as_given
    return None if plugin.is_nested_stack or is_other else plugin


def _compared(
    plugin: resource.Resource, found: Values, after: Values
) -> plan.Difference:
    changed = tuple(
        name
        for name, value in found.items()
        if not world.has_unknown(after.get(name))
        and not plugin.is_like(name, value, after.get(name))
    )
    fixed = tuple(
        name
        for name in changed
        if name not in plugin.schemas
        or plugin.schemas[name].on_update is not schema.OnUpdate.MODIFY
    )
    before = marked.Marked(found, marked.paths_of(after))
    return plan.Difference(before, after, changed, fixed)
