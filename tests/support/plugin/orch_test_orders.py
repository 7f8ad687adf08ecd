"""Orders to the world: which of the next calls fail, or stay under way.

A test writes them (``tests.support.world``); the plug-in asks for them at
three moments of an act: ``before`` anything happens, ``after`` it happened
and before the answer, and when it is asked whether the act is complete
(``watch``).
"""

import collections.abc
import contextlib
import os
import sqlite3
import time
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality

VARIABLE = "ORCH_TEST_WORLD"
BEFORE: typing.Final = "before"
AFTER: typing.Final = "after"
WATCH: typing.Final = "watch"
HOLD: typing.Final = "hold"
SLOW: typing.Final = "slow"
TELL: typing.Final = "tell"
UNLISTED: typing.Final = "unlisted"
STALE: typing.Final = "stale"
"""What is ordered: to stay under way, to take a moment, to be missing in a
list, or to be listed with old values; else to fail."""
_PAUSE_S = 0.01
_SLOW_S = 0.3

KINDS: typing.Final = {
    "transient": errors.Transient,
    "outage": errors.Outage,
    "busy": errors.Busy,
    "quota": errors.QuotaExceeded,
    "permanent": errors.Permanent,
    "error": ZeroDivisionError,
    "vanished": reality.Vanished,
}


class Gone(BaseException):
    """The worker that made the call does not live any more."""


@contextlib.contextmanager
def opened() -> collections.abc.Iterator[sqlite3.Connection]:
    """Give a connection; what was written is committed at the end."""
    path = os.environ[VARIABLE]
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as world:
        # It has to outlive processes, not the machine.
        world.execute("PRAGMA synchronous = OFF")
        yield world
        world.commit()


def note(
    world: sqlite3.Connection, act: str, to: call_context.Context
) -> None:
    """Write down that something was called, or what came of it."""
    world.execute(
        "INSERT INTO calls (act, token, stack, name, pid)"
        " VALUES (?, ?, ?, ?, ?)",
        (act, to.token, to.stack_name, to.name, os.getpid()),
    )


def obey(
    act: str,
    moment: str,
    to: call_context.Context,
    is_alive: collections.abc.Callable[[], bool],
) -> None:
    """Return once the act may go on.

    :raises Exception: it is to fail
    :raises Gone: its worker died while it waited
    """
    told = False
    while True:
        if not is_alive():
            raise Gone(f"{act} {to.name}")
        with opened() as world:
            found = _find(world, act, moment, to)
            if found is None:
                return
            number, how = found
            if how != HOLD:
                _use_up(world, number)
                break
            if not told:
                note(world, f"held-{act}-{moment}", to)
                told = True
        time.sleep(_PAUSE_S)
    if how == SLOW:
        time.sleep(_SLOW_S)
        return
    raise KINDS[how](f"the world fails {act} of {to.name} {moment} it is done")


def is_held(act: str, to: call_context.Context) -> bool:
    """Answer whether an act is to stay under way."""
    with opened() as world:
        found = _find(world, act, WATCH, to)
        if found is None or found[1] != HOLD:
            return False
        if not _was_noted(world, f"held-{act}-{WATCH}", to):
            note(world, f"held-{act}-{WATCH}", to)
    return True


def lies(world: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return how lists tell what exists wrongly, by stack and name."""
    found = world.execute(
        "SELECT stack, name, how FROM orders WHERE act = ?", (TELL,)
    )
    return {(str(stack), str(name)): str(how) for stack, name, how in found}


def _find(
    world: sqlite3.Connection, act: str, moment: str, to: call_context.Context
) -> tuple[int, str] | None:
    found = world.execute(
        "SELECT number, how FROM orders WHERE act = ? AND moment = ?"
        " AND name = ? AND (stack = ? OR ? LIKE stack || '-%')"
        " AND times > 0 AND coalesce(token, ?) = ? ORDER BY number",
        (
            *(act, moment, to.name, to.stack_name, to.stack_name),
            *(to.token, to.token),
        ),
    ).fetchone()
    return (int(found[0]), str(found[1])) if found else None


def _use_up(world: sqlite3.Connection, number: int) -> None:
    world.execute(
        "UPDATE orders SET times = times - 1 WHERE number = ?", (number,)
    )


def _was_noted(
    world: sqlite3.Connection, act: str, to: call_context.Context
) -> bool:
    """Answer whether it is the newest that was noted of the thing."""
    newest = world.execute(
        "SELECT act FROM calls WHERE token = ? ORDER BY number DESC LIMIT 1",
        (to.token,),
    ).fetchone()
    return newest is not None and newest[0] == act
