"""Progress as plain lines, for pipes and logs."""

import datetime
import shlex
import typing

from orchclient import models
from orchclient import operations
from orchclient import sensitive
from orchclient.console import formatting
from orchclient.console import progress_events
from orchclient.console import trees

# Says nothing that the status does not.
_NOTHING_MORE: typing.Final = "state changed"


class View:
    """Writes a line for each event, and one at the end."""

    wants_tree = False

    def __init__(
        self, out: typing.TextIO, *, shows_secrets: bool = False
    ) -> None:
        """Write to a stream.

        :param shows_secrets: also the values of sensitive outputs
        """
        self._out = out
        self._shows_secrets = shows_secrets
        self._pause: object = None
        self._last_progress = (0, 0)

    def begin(self, operation: operations.Operation) -> None:
        """Write the requested operation."""
        self._write(
            f"{operation.action} of {operation.stack.name}"
            f" (operation {operation.id}{_attempt(operation)})"
        )

    def happened(
        self,
        operation: operations.Operation,
        progress_event: progress_events.ProgressEvent,
    ) -> None:
        """Write an event."""
        self._write(event_line(operation.stack.name, progress_event))

    def progress(
        self,
        operation: operations.Operation,
        nodes: tuple[trees.Node, ...],
    ) -> None:
        """Write the progress, or the reason of a block, where that is new."""
        pause = _pause(operation)
        if pause is not None and pause != self._pause:
            self._write(blocked_line(operation))
        self._pause = pause
        shown = (operation.done, operation.total)
        if shown != self._last_progress and operation.total:
            self._write(progress_text(operation))
        self._last_progress = shown

    def end(
        self,
        operation: operations.Operation,
        outputs: tuple[models.Output, ...],
    ) -> None:
        """Write the outcome, and the outputs of the stack."""
        took = progress_events.seconds_taken(operation)
        span = "" if took is None else f" after {formatting.span_text(took)}"
        self._write(
            f"{operation.action} of {operation.stack.name}"
            f" {operation.state}{span}"
        )
        for line in outputs_text(outputs, shows_secrets=self._shows_secrets):
            self._write(line)

    def close(self) -> None:
        """Do nothing: the lines stay."""

    def _write(self, line: str) -> None:
        print(line, file=self._out, flush=True)


def event_line(
    name: str, progress_event: progress_events.ProgressEvent
) -> str:
    """Format an event of a stack in a line."""
    where = formatting.path_text(progress_event.path) or name
    time = formatting.time_text(progress_event.time)
    line = f"{time} {progress_event.status!s:<20} {where}"
    if progress_event.reason not in ("", _NOTHING_MORE):
        line += f"  {' '.join(progress_event.reason.split())}"
    return line


def is_blocked(operation: operations.Operation) -> bool:
    """Whether it is to be shown what an operation waits for.

    While only a child stack waits, its own operation has a reason and runs.
    """
    return operation.state == "BLOCKED" or (
        operation.state == "RUNNING" and bool(operation.reason)
    )


def blocked_line(operation: operations.Operation) -> str:
    """Format why an operation is blocked, and when it goes on."""
    if operation.is_held:
        return held_line(operation)
    shown = f"BLOCKED: {operation.reason}"
    says_when = "next try at" in operation.reason
    if operation.next_try_at is not None and not says_when:
        shown += f"; next try at {formatting.time_text(operation.next_try_at)}"
    return shown


def held_line(operation: operations.Operation) -> str:
    """Format who holds an operation and why, and how to let it go on."""
    first, *others = operation.open_holds
    where = f" at {formatting.path_text(first.path)}" if first.path else ""
    said = " ".join(first.hold.text.split())
    more = f" (and {len(others)} more)" if others else ""
    return (
        f"HELD by {first.hold.plugin}{where}: {said}; approve with: orch stack"
        f" approve {shlex.quote(first.which)}, before"
        f" {formatting.time_text(first.hold.deadline_at)}{more}"
    )


def progress_text(operation: operations.Operation) -> str:
    """Format how much of an operation is done, and the time left."""
    shown = (
        f"{progress_events.percent(operation)}%:"
        f" {operation.done} of {operation.total} done"
    )
    rest = remaining_text(operation)
    return f"{shown}, {rest}" if rest else shown


def remaining_text(operation: operations.Operation) -> str:
    """Format the time that an operation should still take; may be empty."""
    now = datetime.datetime.now(datetime.UTC)
    seconds = progress_events.seconds_left(operation, now)
    return (
        ""
        if seconds is None
        else f"about {formatting.span_text(seconds)} left"
    )


def outputs_text(
    outputs: tuple[models.Output, ...], *, shows_secrets: bool
) -> list[str]:
    """Format the outputs of a stack, a line each.

    :param shows_secrets: also the values of sensitive outputs
    """
    found = []
    for each in outputs:
        if each.is_sensitive and not shows_secrets:
            shown = sensitive.TEXT
        elif each.error:
            shown = f"(no value: {each.error})"
        else:
            shown = formatting.value_text(each.value)
        found.append(f"{each.key} = {shown}")
    return found


def _pause(operation: operations.Operation) -> object:
    """Return the identity of a pause; ``None`` for none."""
    if operation.is_held:
        return operation.open_holds
    return "blocked" if is_blocked(operation) else None


def _attempt(operation: operations.Operation) -> str:
    if operation.attempt == 1:
        return ""
    return f", attempt {operation.attempt}"
