"""Transfer a physical resource from a stack to the one that adopts it.

A request with ``adopt_owned`` only stores whose it is. It changes its owner
in one transaction, once the adoption is allowed and its resource has begun:
until then the former owner has it, and whatever ends the operation before
leaves it there.
"""

import dataclasses

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import judged_requests
from orch.db.repositories import operations
from orch.db.repositories import ownership
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.events import recorder
from orch.flow.state import claims
from orch.flow.state import submit
from orch.model import adoption
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.plugin import registry


def take_over(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    row: resource.Resource,
    sources: object,
    types: registry.Types,
    now: clock.Timestamp,
) -> None:
    """Make a stack the owner of what one of its resources takes over.

    A second call changes nothing.

    :param row: with the scope of its physical id
    :param sources: of the operation: only for these trees was it judged, by
        the ids of their roots
    :raises orch.flow.state.claims.AlreadyOwned: the former owner does not have
        it any more, an operation of it is in progress, or it is no source
    """
    assert row.taken_from is not None
    ownership.decide_alone(connection)
    former = stacks.find(connection, row.taken_from)
    # Locked before anything of it is read.
    has_work = former is not None and is_busy(connection, former)
    known = resources.list_column(connection, "taken_from", stack.id, [row.id])
    if known.get(row.id) is None:
        return
    key = claims.key_of(row)
    owners = [
        each
        for each in claims.find_owners(connection, types, [key]).get(key, ())
        if each.stack_id == row.taken_from
    ]
    if former is None or not owners:
        name = row.taken_from if former is None else former.name
        raise claims.AlreadyOwned(
            f"{row.physical_id} ({row.plugin_type}) is not taken over: stack"
            f" {name}, which had it when that was requested, does not own it"
            " any more. Request it again."
        )
    is_source = isinstance(sources, dict) and former.root_id in sources
    if has_work or not is_source:
        message = (
            f"{row.physical_id} ({row.plugin_type}) belongs to resource"
            f" {owners[0].name} of stack {former.name}"
        )
        if has_work:
            message += ", which has an operation in progress"
        where = f"resources.{row.name}"
        raise claims.already_owned([errors.Problem(message, where)])
    root = stacks.get(connection, stack.root_id)
    for each in owners:
        _release(connection, former, each.resource_id, root, now)
    resources.set_column(connection, "taken_from", [(row, None)])


def is_busy(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> bool:
    """Whether an operation of a stack, or of its root, is in progress.

    Both are locked.
    """
    locked = [
        stacks.lock(connection, each)
        for each in sorted({stack.id, stack.root_id})
    ]
    return any(
        each.status is states.Status.IN_PROGRESS
        or operations.find_open(connection, each.id)
        for each in locked
    )


def _release(
    connection: db_engine.Connection,
    former: stack_model.Stack,
    resource_id: ids.ResourceId,
    taker: stack_model.Stack,
    now: clock.Timestamp,
) -> None:
    """Release the row of the former owner, and notify its stack.

    :param taker: the root of the new owner
    """
    row = resources.find(connection, resource_id, former.id)
    assert row is not None
    assert former.operation_id is not None
    released = dataclasses.replace(
        row,
        action=states.Action.DELETE,
        status=states.Status.COMPLETE,
        status_reason=f"{adoption.TAKEN_OVER} {taker.name} ({taker.id}); the"
        " physical resource remains",
        is_outcome_unknown=False,
        # No operation of the stack has removed it.
        operation_id=None,
        updated_at=now,
    )
    resources.save_many(connection, [released])
    judged_requests.note_released(
        connection,
        former.root_id,
        taker.id,
        "/".join((*stacks.list_names_above(connection, former), row.name)),
    )
    if former.parent_id is not None:
        # The update of the parent has to visit it.
        stacks.update(connection, former.id, has_diverged=True)
    notes = recorder.Recorder(
        submit.find_newest_event(connection, former.id),
        operations.get(connection, former.operation_id),
        # The physical resource is no longer the stack's.
        recorder.Audience(former, lambda _: {}),
    )
    notes.record_resource(released, now)
    notes.take().store(connection)
