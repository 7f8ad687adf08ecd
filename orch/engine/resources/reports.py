"""Take what users report about resources.

That is the answer to the unknown outcome of a creation, its id or that it was
not made, and a mark as unhealthy or healthy. It goes into the row of the
resource. What is done with it is planned by the next operation of the stack,
on any worker.
"""

import collections.abc
import dataclasses

from orch import errors as base_errors
from orch.context import outside
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import claims
from orch.engine import dependencies
from orch.engine.acceptance import stack_lock
from orch.engine.judged_requests import judged_request
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.resources import facts
from orch.engine.resources import store_change
from orch.flow.state import contexts
from orch.flow.tasks import answers
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.plugin import call_context
from orch.rpc import contract

_MADE = frozenset({states.Action.CREATE, states.Action.DELETE})


class OutcomeKnown(base_errors.Conflict):
    """The resource has no unknown outcome that could be answered."""

    code = "orch.resource.outcome_known"


class NothingThere(base_errors.Conflict):
    """The service has nothing under the id that was answered."""

    code = "orch.resource.nothing_there"


def answer_outcome(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
    *,
    physical_id: str | None,
) -> contract.ResourceFacts:
    """Store what became of a creation whose outcome is unknown.

    An answer that is stored already changes nothing.

    :param physical_id: what it has made; ``None`` for nothing
    :raises OutcomeKnown: the resource has no unknown outcome
    :raises NothingThere: nothing exists under the id
    :raises orch.flow.state.claims.AlreadyOwned: another resource has the id
    :raises orch.engine.acceptance.stack_lock.InProgress:
        an operation of the stack
        is in progress
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such resource
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "answer_outcome")
    stack, row = deps.database.query(
        lambda connection: _find(connection, ctxt, stack_id, name, physical_id)
    )
    doubt = ""
    if not _is_stored(row, physical_id):
        doubt = _look(deps, ctxt, stack, row, physical_id)

    def work(connection: db_engine.Connection) -> contract.ResourceFacts:
        stacks.lock(connection, stack.id)
        held, before = _find(connection, ctxt, stack_id, name, physical_id)
        after = before
        if not _is_stored(before, physical_id):
            after = _answered(before, ctxt, physical_id, doubt)
            if physical_id is not None:
                after = claims.check_free(
                    connection, deps.types, held, after, is_seen=not doubt
                )
            judged.check(held, before.name)
            judged.allow(connection)
            after = store_change.store_change(
                deps, connection, held, before, after
            )
        return facts.resource_facts(
            after,
            lookup.identity_of(held),
            {},
            parent_resource=held.parent_resource,
        )

    with judged:
        answer = judged.run(work)
    deps.notify()
    return answer


def _find(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
    physical_id: str | None,
) -> tuple[stack_model.Stack, resource.Resource]:
    """Return the stack, and the incarnation that an answer is about."""
    stack = lookup.get_live(connection, ctxt, stack_id)
    rows = [
        row
        for row in (
            resources.list_named(connection, stack.id, name)
            if lookup.is_storable(name)
            else ()
        )
        if not row.is_gone
    ]
    if not rows:
        raise errors.ResourceNotFound(
            f"The Resource ({name[:255]}) could not be found in Stack"
            f" {stack.name}."
        )
    _check_idle(connection, stack)
    return stack, _choose(rows, physical_id)


def _check_idle(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> None:
    try:
        stack_lock.check_idle(connection, stack)
    except stack_lock.InProgress as error:
        raise stack_lock.InProgress(
            f"{error.message} It may find out the outcome itself: wait for"
            " its end, or cancel it, and answer then."
        ) from error


def _choose(
    rows: collections.abc.Sequence[resource.Resource], physical_id: str | None
) -> resource.Resource:
    """Return the incarnation that an answer is about, the newest of several.

    :param rows: the oldest first
    :raises OutcomeKnown: none has an unknown outcome
    """
    asked = [row for row in rows if row.is_answerable]
    open_ = [row for row in asked if row.physical_id is None]
    stored = [row for row in rows if _is_stored(row, physical_id)]
    found = open_ or asked or stored
    if not found:
        raise OutcomeKnown(
            "The resource has no unknown outcome: only of a creation whose"
            " answer was lost, and that failed for it, can be said what it"
            " has made."
        )
    return found[-1]


def _is_stored(row: resource.Resource, physical_id: str | None) -> bool:
    """Whether an answer says what the row says already."""
    is_failed = row.status is states.Status.FAILED and row.action in _MADE
    return (
        is_failed
        and not row.lacks_known_outcome
        and row.physical_id == physical_id
    )


def _look(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack_model.Stack,
    row: resource.Resource,
    physical_id: str | None,
) -> str:
    """Return why what was answered cannot be seen; empty where it is.

    Call it outside of a transaction: the plug-in is called.

    :raises NothingThere: it does not exist
    """
    plugin = deps.types.find(row.plugin_type)
    if physical_id is None or plugin is None:
        return ""
    context = contexts.build_context(
        stack, dataclasses.replace(row, physical_id=physical_id), ctxt
    )
    try:
        return deps.reads.begin().run(lambda: answers.look(plugin, context))
    except call_context.OutcomeUnknown as error:
        raise NothingThere(
            f"There is no such resource: {error.message}."
        ) from error
    except outside.REFUSALS:
        raise
    except base_errors.OrchError as error:
        return f"it could not be read now: {error.message}"


def _answered(
    row: resource.Resource,
    ctxt: request.RequestContext,
    physical_id: str | None,
    doubt: str,
) -> resource.Resource:
    """Return the resource with an answer.

    The next operation looks at what it is said to be; what is deleted next
    needs no look.
    """
    who = ctxt.user_name or ctxt.user_id or "a user"
    is_made = physical_id is not None
    said = f"it is {physical_id}" if is_made else "it was not made"
    reason = f"Outcome answered by {who}: {said}"
    return dataclasses.replace(
        row,
        physical_id=physical_id,
        is_outcome_unknown=is_made and row.action is states.Action.CREATE,
        status_reason=f"{reason}; {doubt}" if doubt else reason,
    )


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
    :raises orch.engine.acceptance.stack_lock.InProgress:
        an action on the stack is
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
        lookup.check_live(ctxt, stack)
        row = _find_resource(connection, stack, name)
        stack_lock.check_idle(connection, stack)
        marked = _marked(row, is_unhealthy, reason or _REASON)
        if marked is not None:
            judged.check(stack, row.name)
            judged.allow(connection)
            store_change.store_change(deps, connection, stack, row, marked)

    with judged:
        judged.run(work)
    deps.notify()


def _find_resource(
    connection: db_engine.Connection, stack: stack_model.Stack, name: str
) -> resource.Resource:
    """Return the resource of that name, or else of that physical id.

    :raises orch.engine.queries.errors.ResourceNotFound: no such resource
        exists
    """
    found = None
    if lookup.is_storable(name):
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
        operation_id=None if is_unhealthy else row.operation_id,
    )
