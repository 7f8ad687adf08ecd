"""Mark a resource as unhealthy, or as healthy again."""

import dataclasses

from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idle
from orch.engine.judged_requests import judged_request
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.queries import text
from orch.engine.queries import visibility
from orch.engine.resources import store_change
from orch.model import resource
from orch.model import stack
from orch.model import states

_REASON = "state changed by resource_mark_unhealthy api"


def mark_resource(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
    *,
    is_unhealthy: bool,
    reason: str | None,
) -> None:
    """Mark a resource as unhealthy, so that the next update replaces it.

    Only a resource in place can be unhealthy: one that was never created, or
    is being deleted, stays as it is, and so does one that is healthy already.

    :param name: the name of the resource, or its physical id
    :param is_unhealthy: False takes back an earlier mark, or the result of a
        check
    :param reason: the reason of its status
    :raises orch.engine.acceptance.idle.InProgress: an action on the stack is
        in progress
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such resource
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "mark_unhealthy")

    def work(connection: db_engine.Connection) -> None:
        found = lookup.get_stack(connection, ctxt, stack_id)
        stack = stacks.lock(connection, found.id)
        visibility.check_live(ctxt, stack)
        row = _find_resource(connection, stack, name)
        idle.check_idle(connection, stack)
        marked = _marked(row, is_unhealthy, reason or _REASON)
        if marked is not None:
            judged.check(stack, row.name)
            judged.allow(connection)
            store_change.store_change(deps, connection, stack, row, marked)

    with judged:
        judged.run(work)
    deps.notify()


def _find_resource(
    connection: db_engine.Connection, stack: stack.Stack, name: str
) -> resource.Resource:
    """Return the resource of that name, or else of that physical id.

    :raises orch.engine.queries.errors.ResourceNotFound: no such resource
        exists
    """
    found = None
    if text.is_storable(name):
        found = resources.find_current(connection, stack.id, name)
    if found is None:
        raise errors.ResourceNotFound(
            f"The Resource ({name[:255]}) could not be found in Stack"
            f" {stack.name}."
        )
    return found


def _marked(
    row: resource.Resource, is_unhealthy: bool, reason: str
) -> resource.Resource | None:
    """Return the marked resource; ``None`` when it does not change."""
    is_bad = (
        row.action is states.Action.CHECK
        and row.status is states.Status.FAILED
    )
    if is_unhealthy:
        if not is_bad and not row.is_in_place:
            return None
        status = states.Status.FAILED
    elif is_bad:
        status = states.Status.COMPLETE
    else:
        return None
    return dataclasses.replace(
        row,
        action=states.Action.CHECK,
        status=status,
        status_reason=reason,
        is_outcome_unknown=False,
    )
