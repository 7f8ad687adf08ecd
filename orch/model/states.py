"""Actions, statuses and operation states, and which moves are allowed."""

import enum


class Action(enum.StrEnum):
    """What is done to a stack or a resource; Heat's words.

    ``OBSERVE`` is ours, and of events only: a look at a thing found that it
    has drifted, or has not any more.
    """

    INIT = "INIT"
    CREATE = "CREATE"
    DELETE = "DELETE"
    UPDATE = "UPDATE"
    ROLLBACK = "ROLLBACK"
    SUSPEND = "SUSPEND"
    RESUME = "RESUME"
    ADOPT = "ADOPT"
    SNAPSHOT = "SNAPSHOT"
    CHECK = "CHECK"
    RESTORE = "RESTORE"
    SIGNAL = "SIGNAL"
    OBSERVE = "OBSERVE"


BEGINNING = frozenset({Action.CREATE, Action.ADOPT})
"""Actions of a stack that does not exist before."""

BRINGING_ABOUT = frozenset(
    {
        Action.CREATE,
        Action.UPDATE,
        Action.ROLLBACK,
        Action.RESTORE,
        Action.ADOPT,
    }
)
"""Actions of a stack that end with what a template declares."""


class Status(enum.StrEnum):
    """How far an action has come; Heat's words."""

    IN_PROGRESS = "IN_PROGRESS"
    COMPLETE = "COMPLETE"
    FAILED = "FAILED"


class OperationState(enum.StrEnum):
    """The state of an operation.

    ``WAITING`` wants a worker, ``RUNNING`` has one, ``BLOCKED`` has given it
    back and waits: for a moment, or for a user. The others are ends. Only
    a ``FAILED`` operation may go back to ``WAITING`` (a retry).
    """

    WAITING = "WAITING"
    RUNNING = "RUNNING"
    BLOCKED = "BLOCKED"
    COMPLETE = "COMPLETE"
    FAILED = "FAILED"
    SUPERSEDED = "SUPERSEDED"


OPEN_STATES = (
    OperationState.WAITING,
    OperationState.RUNNING,
    OperationState.BLOCKED,
)

_MOVES: dict[OperationState, frozenset[OperationState]] = {
    OperationState.WAITING: frozenset(
        {OperationState.RUNNING, OperationState.SUPERSEDED}
    ),
    OperationState.RUNNING: frozenset(
        {
            OperationState.RUNNING,
            OperationState.BLOCKED,
            OperationState.COMPLETE,
            OperationState.FAILED,
            OperationState.SUPERSEDED,
        }
    ),
    OperationState.BLOCKED: frozenset(
        {
            OperationState.WAITING,
            OperationState.RUNNING,
            OperationState.SUPERSEDED,
        }
    ),
    OperationState.FAILED: frozenset({OperationState.WAITING}),
    OperationState.COMPLETE: frozenset(),
    OperationState.SUPERSEDED: frozenset({OperationState.WAITING}),
}


def check_move(old: OperationState, new: OperationState) -> OperationState:
    """Return the new state, if an operation may go there from the old one.

    :raises ValueError: it may not
    """
    if new not in _MOVES[old]:
        raise ValueError(f"no operation goes from {old} to {new}")
    return new
