"""What users of stacks may reach: one resource, or what policies allow.

They ask from inside of servers, by logins that their stack has made for them
(``orch.plugin.stack_users``). Their project is not that of the stack.
"""

import collections.abc

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import visibility
from orch.engine import words
from orch.engine.operations import lookup
from orch.flow import contexts
from orch.model import resource
from orch.model import stack
from orch.plugin import stack_users


class NotAllowed(errors.Forbidden):
    """The policies of a user of the stack do not allow the resource."""

    code = "orch.stack_user.not_allowed"


def get_stack(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
) -> stack.Stack:
    """Return a stack whose resource of that name the caller may reach.

    Who belongs to its project may reach all that is in it.

    :raises orch.engine.visibility.StackNotFound: this caller has no such
        stack
    :raises NotAllowed: the caller is a user of the stack, and may reach
        other resources of it
    """
    try:
        return lookup.get(connection, ctxt, stack_id)
    except visibility.StackNotFound:
        if not ctxt.user_name or not words.is_id(stack_id):
            raise
        subject = stacks.find(connection, ids.StackId(stack_id))
        if subject is None or subject.deleted_at is not None:
            raise
        if not _reaches(deps, connection, ctxt, subject, name):
            raise
        return subject


def find_named(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    name_or_id: str,
) -> stack.Stack | None:
    """Return the stack of that name, or id, that the caller is a user of."""
    for row in _rows_of_user(connection, ctxt):
        subject = stacks.find(connection, row.stack_id)
        if (
            subject is not None
            and subject.deleted_at is None
            and name_or_id in (subject.id, subject.name)
            and _find_having(deps, ctxt, subject, row) is not None
        ):
            return subject
    return None


def heard_as(
    ctxt: request.RequestContext, subject: stack.Stack
) -> request.RequestContext:
    """Return who asks, as what goes on in the stack is to know of it.

    What a user of the stack has asked for goes on in the stack's project, as
    what came to a sealed address does.
    """
    if ctxt.is_admin or ctxt.project_id == subject.project_id:
        return ctxt
    return request.RequestContext(
        project_id=subject.project_id,
        request_id=ctxt.request_id,
        global_request_id=ctxt.global_request_id,
    )


def _reaches(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    subject: stack.Stack,
    name: str,
) -> bool:
    """Answer whether the caller is a user of the stack who may reach it.

    :raises NotAllowed: a user of the stack, who may not
    """
    named: list[resource.Resource] = []
    if words.is_storable(name):
        named = resources.list_named(connection, subject.id, name)
    for row in (*named, *_rows_of_user(connection, ctxt)):
        plugin = None
        if row.is_current and row.stack_id == subject.id:
            plugin = _find_having(deps, ctxt, subject, row)
        if plugin is None:
            continue
        policies = plugin.policies(contexts.context_of(subject, row, ctxt))
        if policies is not None:
            for policy in policies:
                _check_allowed(deps, connection, subject, policy, name)
            return True
        if row.name == name:
            return True
    return False


def _rows_of_user(
    connection: db_engine.Connection, ctxt: request.RequestContext
) -> collections.abc.Iterator[resource.Resource]:
    """Yield the resources whose id is the name of the caller.

    Those alone whose user may reach more than them have it as physical id.
    """
    if not ctxt.user_name or not words.is_storable(ctxt.user_name):
        return
    for row in resources.list_physical(connection, ctxt.user_name):
        if row.is_current:
            yield row


def _find_having(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    subject: stack.Stack,
    row: resource.Resource,
) -> stack_users.Having | None:
    """Return the plug-in of a resource whose user is the caller."""
    plugin = deps.types.find(row.plugin_type)
    if not isinstance(plugin, stack_users.Having):
        return None
    context = contexts.context_of(subject, row, ctxt)
    return plugin if plugin.is_of_caller(context) else None


def _check_allowed(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    subject: stack.Stack,
    policy: str,
    name: str,
) -> None:
    """Return only if a policy allows a resource; one that is gone does not.

    :param policy: its physical id, or its name in the stack
    :raises NotAllowed: it does not
    """
    row = None
    if words.is_storable(policy):
        row = resources.find_current(connection, subject.id, policy)
    plugin = None if row is None else deps.types.find(row.plugin_type)
    if (
        row is None
        or not isinstance(plugin, stack_users.Policy)
        or not plugin.allows(row.acting_properties, name)
    ):
        raise NotAllowed(
            f"The policy {policy[:255]} does not let this user of the stack"
            f" {subject.name} reach the resource {name[:255]}."
        )
