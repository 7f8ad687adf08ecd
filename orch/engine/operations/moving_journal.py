"""What is written of stacks in a stack when resources move.

Their rows say at once what they declare from then on, so that nobody who
looks at one of them alone finds the old declarations beside the new rows.
"""

import dataclasses

from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import stored
from orch.engine.operations import moving_sides
from orch.events import recorder
from orch.flow import submit as flow_submit
from orch.model import operation
from orch.model import states


def declare(connection: db_engine.Connection, side: moving_sides.Side) -> None:
    """Let a stack between declare what the one around it will ask for."""
    stacks.update(connection, side.subject.id, **_columns(connection, side))


def complete(
    connection: db_engine.Connection,
    side: moving_sides.Side,
    done: operation.Operation,
) -> None:
    """Store that a stack in a stack is what it declares, by the move alone.

    The update of the stack around it looks at it all the same, because it
    went astray: what others in it read of what moved may have changed.
    """
    columns = _columns(connection, side)
    begun = flow_submit.started(side.subject, done)
    ended = dataclasses.replace(
        begun,
        status=states.Status.COMPLETE,
        status_reason=f"Stack {done.action} completed successfully",
        updated_at=done.created_at,
        # Columns by name; each has the type of its field.
        **columns,  # type: ignore[arg-type]
    )
    stacks.update(
        connection,
        ended.id,
        action=ended.action,
        status=ended.status,
        status_reason=ended.status_reason,
        operation_id=ended.operation_id,
        is_astray=True,
        updated_at=done.created_at,
        **columns,
    )
    operations.insert(
        connection,
        dataclasses.replace(
            done,
            state=states.OperationState.COMPLETE,
            started_at=done.created_at,
            finished_at=done.created_at,
        ),
    )
    notes = recorder.Recorder(
        flow_submit.newest(connection, side.subject.id), done
    )
    statuses = resources.count_by_status(connection, side.subject.id)
    notes.record_stack(begun, done.created_at, statuses=statuses)
    notes.record_stack(ended, done.created_at, statuses=statuses)
    facts = notes.take()
    events.insert_many(connection, facts.events)
    outbox.insert_many(connection, facts.notifications)


def _columns(
    connection: db_engine.Connection, side: moving_sides.Side
) -> dict[str, object]:
    hashes = stored.store_inputs(connection, side.given, side.bound)
    return {
        "template_hash": hashes[0],
        "environment_hash": hashes[1],
        "good_template_hash": hashes[0],
        "good_environment_hash": hashes[1],
        "description": str(side.bound.description),
        "resource_count": len(side.bound.resources),
    }
