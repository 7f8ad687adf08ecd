"""What operations that have begun are to do, and how far steps are."""

import collections.abc
import typing
import zlib

import orjson
import sqlalchemy as sa

from orch import ids
from orch.db import rows as db_rows
from orch.db.models import stacks
from orch.model import operation
from orch.model import step

_TABLE = stacks.OPERATION_PLANS
_FASTEST: typing.Final = 1


def save(
    conn: sa.Connection,
    asked: operation.Operation,
    steps: collections.abc.Sequence[step.Step],
) -> None:
    """Store what an attempt of an operation is to do.

    The first plan of an attempt stays: what is planned after a takeover is
    what is left of it.
    """
    text = orjson.dumps(
        [[each.kind, each.name, each.resource_id] for each in steps]
    )
    conn.execute(
        db_rows.insert_absent(conn.dialect.name, _TABLE),
        {
            "operation_id": asked.id,
            "attempt": asked.attempt,
            "stack_id": asked.stack_id,
            "size": len(steps),
            "steps": zlib.compress(text, _FASTEST),
        },
    )


def find(
    conn: sa.Connection, operation_id: ids.OperationId
) -> list[step.Step] | None:
    """Return what the last attempt that was planned is to do, if one was."""
    row = conn.execute(
        sa.select(_TABLE.c.steps)
        .where(_TABLE.c.operation_id == operation_id)
        .order_by(_TABLE.c.attempt.desc())
        .limit(1)
    ).first()
    if row is None:
        return None
    found = orjson.loads(zlib.decompress(row.steps))
    return [
        step.Step(kind, name, ids.ResourceId(resource_id))
        for kind, name, resource_id in found
    ]


def list_sizes(
    conn: sa.Connection, stack_id: ids.StackId
) -> dict[ids.OperationId, dict[int, int]]:
    """Return how many steps the plans of a stack have.

    :returns: by operation, then by attempt
    """
    found: dict[ids.OperationId, dict[int, int]] = {}
    for row in conn.execute(
        sa.select(
            _TABLE.c.operation_id, _TABLE.c.attempt, _TABLE.c.size
        ).where(_TABLE.c.stack_id == stack_id)
    ):
        sizes = found.setdefault(ids.OperationId(row.operation_id), {})
        sizes[row.attempt] = row.size
    return found


_STEPS = stacks.OPERATION_STEPS


def save_steps(
    conn: sa.Connection,
    asked: operation.Operation,
    found: collections.abc.Sequence[step.Noted],
) -> None:
    """Store how far steps are of an operation's attempt."""
    rows: list[dict[str, object]] = [
        {
            "operation_id": asked.id,
            "attempt": asked.attempt,
            "resource_id": each.resource_id,
            "kind": each.kind,
            "stack_id": asked.stack_id,
            "state": each.state,
        }
        for each in found
    ]
    db_rows.save(conn, _STEPS, rows, ("state",))


def list_steps(
    conn: sa.Connection, operation_id: ids.OperationId, attempt: int
) -> list[step.Noted]:
    """Return the steps of an attempt that were stored, in no order."""
    found = conn.execute(
        sa.select(_STEPS.c.kind, _STEPS.c.resource_id, _STEPS.c.state).where(
            _STEPS.c.operation_id == operation_id,
            _STEPS.c.attempt == attempt,
        )
    )
    return [
        step.Noted(row.kind, ids.ResourceId(row.resource_id), row.state)
        for row in found
    ]
