"""Hold the notifications of drift that an operation finds, until it ends.

They wait in the outbox, stored with the observations that they are about, so
that a worker that is lost loses none. At the end those of a kind become one.
"""

import dataclasses

from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import outbox
from orch.events import drifts
from orch.events import recorder
from orch.flow.state import drift_records
from orch.model import operation as operation_model
from orch.model import stack as stack_model


def hold(
    connection: db_engine.Connection, facts: recorder.Facts
) -> recorder.Facts:
    """Store notifications that wait; return the other facts."""
    outbox.insert_many(
        connection,
        [
            dataclasses.replace(each, topic=outbox.HELD)
            for each in facts.notifications
        ],
    )
    return recorder.Facts(facts.events, ())


def release(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
    newest: int,
) -> recorder.Facts:
    """Delete what waits for a stack; return one notification of each kind.

    :param newest: number of the newest event of the stack
    """
    held = outbox.take_held(connection, stack.id)
    if not held:
        return recorder.Facts((), ())
    return recorder.Facts(
        (),
        drifts.merge_notifications(
            drift_records.facts_about(
                connection,
                stack,
                operation,
                newest,
                functions.read_clock(connection),
            ),
            held,
        ),
    )
