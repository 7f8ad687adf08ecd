"""Takes in a signal for a resource: so far, that it may pass a breakpoint."""

import collections.abc
import dataclasses

from orch import errors as base_errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import breakpoints as stored_breakpoints
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import errors
from orch.engine import words
from orch.engine.operations import asked
from orch.engine.operations import lookup
from orch.flow import submit as flow_submit
from orch.model import breakpoints
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.rpc import contract

_CLEARS = "unset_hook"


class NotWaiting(base_errors.Invalid):
    """The resource does not wait at the breakpoint that is to be cleared."""

    code = "orch.resource.not_waiting"


class SignalNotSupported(base_errors.Invalid):
    """Resources of the type take no signals."""

    code = "orch.resource.signal_not_supported"


def submit(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
    details: object,
) -> contract.Accepted:
    """Take in a signal; it is durable then, and nothing has gone on yet.

    :param details: any JSON value; ``{"unset_hook": "pre-create"}`` clears a
        breakpoint
    :returns: the operation that may go on
    :raises NotWaiting: the resource does not wait there
    :raises SignalNotSupported: its type has no use for a signal
    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such resource
    """

    def work(connection: db_engine.Connection) -> contract.Accepted:
        subject = lookup.get(connection, ctxt, stack_id)
        _find(connection, subject, name)
        if not isinstance(details, dict) or _CLEARS not in details:
            raise SignalNotSupported(
                f"The resource {name} takes no signals, but"
                f' {{"{_CLEARS}": …}}, which clears a breakpoint.'
            )
        hook = _hook_of(details[_CLEARS])
        return _clear(connection, subject, name, hook)

    return deps.database.run(work)


def _find(
    connection: db_engine.Connection, subject: stack.Stack, name: str
) -> list[resource.Resource]:
    """Return all incarnations of a name; one that goes is among them."""
    found = None
    if words.is_storable(name):
        found = resources.list_named(connection, subject.id, name)
    if not found:
        raise errors.ResourceNotFound(
            f"The Resource ({name[:255]}) could not be found in Stack"
            f" {subject.name}."
        )
    return found


def _hook_of(given: object) -> str:
    if given in breakpoints.NAMES:
        return str(given)
    raise NotWaiting(
        f'"{str(given)[:100]}" is no breakpoint; they are:'
        f" {', '.join(breakpoints.NAMES)}."
    )


def _clear(
    connection: db_engine.Connection,
    subject: stack.Stack,
    name: str,
    hook: str,
) -> contract.Accepted:
    """Let what waits there go on, whether a worker has it or not.

    The lock of the operation comes first: whoever runs it looks for what
    was cleared under the same lock before it gives the worker back.
    """
    found = _lock_open(connection, subject)
    waiting = _waiting(_find(connection, subject, name), found, hook)
    if found is None or not waiting:
        raise NotWaiting(
            f"The resource {name} of stack {subject.name} does not wait at"
            f" the breakpoint {hook}."
        )
    stored_breakpoints.save_many(
        connection,
        [_released(row, found.id, hook) for row in waiting],
    )
    if leases.unpark(connection, found.id):
        usual = flow_submit.started(subject, found).status_reason
        stacks.update(connection, subject.id, status_reason=usual)
    return asked.accepted(found, subject.name)


def _lock_open(
    connection: db_engine.Connection, subject: stack.Stack
) -> operation.Operation | None:
    if subject.operation_id is None:
        return None
    found = operations.lock(connection, subject.operation_id)
    return found if found.state in states.OPEN_STATES else None


def _waiting(
    rows: collections.abc.Iterable[resource.Resource],
    found: operation.Operation | None,
    hook: str,
) -> list[resource.Resource]:
    if found is None:
        return []
    return [
        row
        for row in rows
        if breakpoints.states_of(row, found.id).get(hook)
        == breakpoints.WAITING
    ]


def _released(
    row: resource.Resource, operation_id: ids.OperationId, hook: str
) -> resource.Resource:
    return dataclasses.replace(
        row,
        hooks=breakpoints.with_state(
            row, operation_id, hook, breakpoints.RELEASED
        ),
    )
