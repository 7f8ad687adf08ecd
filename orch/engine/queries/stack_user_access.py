"""Access of stack users: one resource, or those that policies allow.

They send requests from inside of servers, with logins that their stack has
created (``orch.plugin.stack_users``). Their project is not that of the stack.
"""

import collections.abc
import typing

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.queries import lookup
from orch.flow.state import contexts
from orch.model import resource
from orch.model import software
from orch.model import stack as stack_model
from orch.plugin import stack_users


class Reached(typing.NamedTuple):
    """The stack, and the incarnation of a resource, that a signal may reach.

    :ivar resource_id: the one incarnation that may take it; ``None`` for the
        current one
    """

    stack: stack_model.Stack
    resource_id: ids.ResourceId | None


class NotAllowed(errors.Forbidden):
    """The policies of a user of the stack do not allow the resource."""

    code = "orch.stack_user.not_allowed"


def get_stack(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
) -> stack_model.Stack:
    """Return a stack whose resource of that name the caller may reach.

    Members of its project may reach all resources in it.

    :raises orch.engine.queries.lookup.StackNotFound: this caller has no
        such stack
    :raises NotAllowed: the caller is a user of the stack, and may reach
        other resources of it
    """
    return _reach(deps, connection, ctxt, stack_id, name, is_current=True)[0]


def get_signalled(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
) -> Reached:
    """Return the stack and the incarnation that a caller may signal.

    A user of one resource alone means that one, also when another has replaced
    it and it is being removed.

    :raises orch.engine.queries.lookup.StackNotFound: this caller has no
        such stack
    :raises NotAllowed: the caller is a user of the stack, and may reach
        other resources of it
    """
    stack, row = _reach(deps, connection, ctxt, stack_id, name)
    return Reached(stack, row.id if row and row.name == name else None)


def _reach(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
    *,
    is_current: bool = False,
) -> tuple[stack_model.Stack, resource.Resource | None]:
    """Return a stack, and the row by which a user of the stack reaches it.

    :param is_current: no incarnation counts that was replaced or removed
    :returns: no row for a member of the project
    """
    try:
        return lookup.get_stack(connection, ctxt, stack_id), None
    except lookup.StackNotFound:
        stack = _find_live(deps, connection, ctxt, stack_id)
        if stack is None:
            raise
        row = _find_own(deps, connection, ctxt, stack, name)
        if row is None or (is_current and not row.is_current):
            raise
        return stack, row


def find_named(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    name_or_id: str,
) -> stack_model.Stack | None:
    """Return the stack of a name or id that the caller is a user of."""
    if not _is_user(deps, ctxt):
        return None
    for row in _rows_of_user(connection, ctxt):
        stack = stacks.find(connection, row.stack_id)
        if (
            stack is not None
            and stack.deleted_at is None
            and name_or_id in (stack.id, stack.name)
            and _find_having(deps, ctxt, stack, row) is not None
        ):
            return stack
    return None


def find_scope(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
) -> software.Scope:
    """Return the scope of the deployments that a caller may read.

    A member reads those of its project; a stack user those that the project
    of its live stack has stored for it.
    """
    project_id = ctxt.project_id or ""
    if _is_user(deps, ctxt):
        stack = find_stack_of_user(deps, connection, ctxt.user_name or "")
        if stack is not None:
            return software.Scope(stack.project_id, project_id)
    return software.Scope(project_id)


def find_stack_of_user(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    user_name: str,
) -> stack_model.Stack | None:
    """Return the live stack whose resource has a stack user of this name."""
    if not lookup.is_id(user_name):
        return None
    row = resources.find(connection, ids.ResourceId(user_name))
    if row is None or row.is_gone:
        return None
    plugin = deps.types.find(row.plugin_type)
    stack = stacks.find(connection, row.stack_id)
    if (
        stack is None
        or stack.deleted_at is not None
        or not isinstance(plugin, stack_users.HasStackUser)
    ):
        return None
    requested_by = request.RequestContext(project_id=stack.project_id)
    context = contexts.build_context(stack, row, requested_by)
    return stack if plugin.has_user(context) else None


def signal_context(
    ctxt: request.RequestContext, stack: stack_model.Stack
) -> request.RequestContext:
    """Return the request context for work that a signal starts in a stack.

    A request of a stack user runs in the stack's project, as a request to a
    sealed address does.
    """
    if lookup.is_visible(ctxt, stack.project_id):
        return ctxt
    return request.RequestContext(
        project_id=stack.project_id,
        request_id=ctxt.request_id,
        global_request_id=ctxt.global_request_id,
    )


def _is_user(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> bool:
    """Whether the caller is a user of any stack; it makes no query."""
    return bool(ctxt.user_name) and any(
        isinstance(plugin, stack_users.HasStackUser) and plugin.is_user(ctxt)
        for plugin in deps.types.served()
    )


def _find_live(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
) -> stack_model.Stack | None:
    """Return the stack, if the caller may be a user of it."""
    if not lookup.is_id(stack_id) or not _is_user(deps, ctxt):
        return None
    found = stacks.find(connection, ids.StackId(stack_id))
    return None if found is None or found.deleted_at is not None else found


def _find_own(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack: stack_model.Stack,
    name: str,
) -> resource.Resource | None:
    """Return the caller's resource, if its user may reach that name.

    It may have been replaced, and exist until its removal is done.

    :raises orch.errors.NotFound: the caller is a user of the stack, and the
        request has another name for it
    :raises NotAllowed: the caller is a user of the stack, and may not
    """
    named: list[resource.Resource] = []
    if lookup.is_storable(name):
        named = resources.list_named(connection, stack.id, name)
    for row in (*named, *_rows_of_user(connection, ctxt)):
        plugin = None
        if row.stack_id == stack.id and not row.is_gone:
            plugin = _find_having(deps, ctxt, stack, row)
        if plugin is None:
            continue
        lookup.check_name(ctxt, stack.id, stack.name)
        policies = plugin.policies(contexts.build_context(stack, row, ctxt))
        if policies is not None:
            for policy in policies:
                _check_allowed(deps, connection, stack, policy, name)
            return row
        if row.name == name:
            return row
    return None


def _rows_of_user(
    connection: db_engine.Connection, ctxt: request.RequestContext
) -> collections.abc.Iterator[resource.Resource]:
    """Yield the resources whose id is the name of the caller.

    Only those whose user may reach other resources too have it as physical id.
    """
    if not ctxt.user_name or not lookup.is_storable(ctxt.user_name):
        return
    for row in resources.list_physical(connection, ctxt.user_name):
        if row.is_current:
            yield row


def _find_having(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack_model.Stack,
    row: resource.Resource,
) -> stack_users.HasStackUser | None:
    """Return the plug-in of a resource whose user is the caller."""
    plugin = deps.types.find(row.plugin_type)
    if not isinstance(plugin, stack_users.HasStackUser):
        return None
    context = contexts.build_context(stack, row, ctxt)
    return plugin if plugin.is_of_caller(context) else None


def _check_allowed(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    policy: str,
    name: str,
) -> None:
    """Raise NotAllowed if a policy is gone or does not allow a resource.

    :param policy: its physical id, or its name in the stack
    :raises NotAllowed: it does not
    """
    row = None
    if lookup.is_storable(policy):
        row = resources.find_current(connection, stack.id, policy)
    plugin = None if row is None else deps.types.find(row.plugin_type)
    if (
        row is None
        or not isinstance(plugin, stack_users.StackUserPolicy)
        or not plugin.allows(row.acting_properties, name)
    ):
        raise NotAllowed(
            f"The policy {policy[:255]} does not let this user of the stack"
            f" {stack.name} reach the resource {name[:255]}."
        )
