"""Gives a group another size, because a signal asks for it."""

import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.nested import stack_type
from orch.flow import contexts
from orch.model import resource
from orch.model import stack
from orch.plugin import acts
from orch.plugin import registry
from orch.plugin import signals
from orch.rpc import contract


class GroupBusy(errors.Conflict):
    """An operation of the group's stack is under way."""

    code = "orch.group.busy"


class GroupMissing(errors.Invalid):
    """The stack has no group of that name."""

    code = "orch.group.missing"


@dataclasses.dataclass(frozen=True, slots=True)
class _Group:
    row: resource.Resource
    plugin: stack_type.StackType
    context: acts.Context


def resize(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    connection: db_engine.Connection,
    subject: stack.Stack,
    wish: signals.Resize,
) -> contract.Accepted | None:
    """Accept an operation of the group's own stack.

    :param subject: the stack with the group
    :returns: the operation; ``None`` when the size stays
    :raises GroupMissing: there is no such group
    :raises GroupBusy: its stack, or the one around it, is being changed
    :raises orch.errors.NotSupported: it has no size of its own
    :raises orch.template.errors.TooLarge: the tree has no room for it
    """
    subject = stacks.lock(connection, subject.id)
    rows = resources.list_(connection, subject.id)
    bound = deps.templates.load(connection, subject)
    types = deps.types_of(subject, bound, ctxt, rows)
    group = _find(subject, rows, types, ctxt, wish.group)
    for stack_id in (subject.id, ids.StackId(group.row.id)):
        if operations.find_open(connection, stack_id):
            raise GroupBusy(
                f"The group {group.row.name} is being changed; signal again"
                " when that is done."
            )
    found = group.plugin.resize(connection, group.context, wish, ctxt)
    if found is None:
        return None
    changed = dataclasses.replace(
        group.row, data=found.data, updated_at=deps.clock.now()
    )
    resources.save_many(connection, [changed])
    return contract.Accepted(
        identity=contract.StackIdentity(
            project_id=found.subject.project_id,
            stack_name=found.subject.name,
            stack_id=found.subject.id,
        ),
        operation_id=found.operation_id,
    )


def _find(
    subject: stack.Stack,
    rows: collections.abc.Iterable[resource.Resource],
    types: registry.Types,
    ctxt: request.RequestContext,
    wanted: str,
) -> _Group:
    """Return the group that has this name, or is known by this id.

    :raises GroupMissing: there is none
    """
    for row in rows:
        plugin = types.find(row.plugin_type)
        if not row.is_current or not isinstance(plugin, stack_type.StackType):
            continue
        context = contexts.context_of(subject, row, ctxt)
        if wanted in (
            plugin.reference_id(context),
            row.physical_id,
            row.name,
        ):
            return _Group(row, plugin, context)
    raise GroupMissing(
        f"The stack {subject.name} has no group {wanted}: let the policy name"
        " it by get_resource."
    )
