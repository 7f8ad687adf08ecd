"""Progress as plain lines, for pipes, logs and those who like it so."""

import datetime
import shlex
import typing

from orchclient import models
from orchclient import operations
from orchclient.console import formatting
from orchclient.console import progress_events
from orchclient.console import trees

# Says nothing that the status does not.
_NOTHING_MORE: typing.Final = "state changed"


class View:
    """Writes a line for each event, and one at the end."""

    wants_tree = False

    def __init__(self, out: typing.TextIO) -> None:
        self._out = out
        self._pause: object = None
        self._told = (0, 0)

    def begin(self, operation: operations.Operation) -> None:
        """Write what was asked for."""
        self._write(
            f"{operation.action} of {operation.stack.name}"
            f" (operation {operation.id}{_attempt(operation)})"
        )

    def happened(
        self,
        operation: operations.Operation,
        happening: progress_events.Happening,
    ) -> None:
        """Write an event."""
        self._write(event(operation.stack.name, happening))

    def progress(
        self,
        operation: operations.Operation,
        nodes: tuple[trees.Node, ...],
    ) -> None:
        """Write how far it is, or that it is blocked, where that is new."""
        pause = _pause(operation)
        if pause is not None and pause != self._pause:
            self._write(blocked(operation))
        self._pause = pause
        told = (operation.done, operation.total)
        if told != self._told and operation.total:
            self._write(done(operation))
        self._told = told

    def end(
        self,
        operation: operations.Operation,
        outputs: tuple[models.Output, ...],
    ) -> None:
        """Write how it ended, and the outputs of the stack."""
        took = progress_events.seconds_taken(operation)
        span = "" if took is None else f" after {formatting.span(took)}"
        self._write(
            f"{operation.action} of {operation.stack.name}"
            f" {operation.state}{span}"
        )
        for line in outputs_text(outputs):
            self._write(line)

    def close(self) -> None:
        """Do nothing: the lines stay."""

    def _write(self, line: str) -> None:
        print(line, file=self._out, flush=True)


def event(name: str, happening: progress_events.Happening) -> str:
    """Return an event of a stack in a line."""
    where = formatting.path(happening.path) or name
    line = (
        f"{formatting.moment(happening.time)} {happening.status!s:<20} {where}"
    )
    if happening.reason not in ("", _NOTHING_MORE):
        line += f"  {' '.join(happening.reason.split())}"
    return line


def blocked(operation: operations.Operation) -> str:
    """Return why an operation is blocked, and when it goes on."""
    if operation.is_held:
        return held(operation)
    told = f"BLOCKED: {operation.reason}"
    if operation.next_try_at is not None:
        told += f"; next try at {formatting.moment(operation.next_try_at)}"
    return told


def held(operation: operations.Operation) -> str:
    """Return who holds an operation and why, and how it goes on."""
    first, *others = operation.open_holds
    where = f" at {formatting.path(first.path)}" if first.path else ""
    said = " ".join(first.hold.text.split())
    more = f" (and {len(others)} more)" if others else ""
    return (
        f"HELD by {first.hold.plugin}{where}: {said}; approve with: orch stack"
        f" approve {shlex.quote(first.which)}, before"
        f" {formatting.moment(first.hold.deadline_at)}{more}"
    )


def done(operation: operations.Operation) -> str:
    """Return how much of an operation is done, and how long it goes on."""
    told = (
        f"{progress_events.percent(operation)}%:"
        f" {operation.done} of {operation.total} done"
    )
    rest = left(operation)
    return f"{told}, {rest}" if rest else told


def left(operation: operations.Operation) -> str:
    """Return how long an operation should go on; may be empty."""
    now = datetime.datetime.now(datetime.UTC)
    seconds = progress_events.seconds_left(operation, now)
    return "" if seconds is None else f"about {formatting.span(seconds)} left"


def outputs_text(outputs: tuple[models.Output, ...]) -> list[str]:
    """Return the outputs of a stack, a line each."""
    found = []
    for each in outputs:
        told = formatting.value(each.value)
        if each.error:
            told = f"(no value: {each.error})"
        found.append(f"{each.key} = {told}")
    return found


def _pause(operation: operations.Operation) -> object:
    """Return what tells one pause from another; ``None`` for none."""
    if operation.is_held:
        return operation.open_holds
    return "blocked" if operation.state == "BLOCKED" else None


def _attempt(operation: operations.Operation) -> str:
    if operation.attempt == 1:
        return ""
    return f", attempt {operation.attempt}"
