"""Progress for programs: one JSON object a line."""

import json
import typing

from orchclient import models
from orchclient import operations
from orchclient.console import formatting
from orchclient.console import progress_events
from orchclient.console import trees


class View:
    """Writes ``begin``, ``event``, ``progress`` and ``end``, by ``kind``."""

    wants_tree = False

    def __init__(
        self, out: typing.TextIO, *, shows_secrets: bool = False
    ) -> None:
        """Write to a stream.

        :param shows_secrets: also the values of sensitive outputs
        """
        self._out = out
        self._shows_secrets = shows_secrets
        self._last: dict[str, object] = {}

    def begin(self, operation: operations.Operation) -> None:
        """Write the requested operation."""
        self._write(
            "begin",
            stack=operation.stack.name,
            stack_id=operation.stack.id,
            operation=operation.id,
            action=operation.action,
            attempt=operation.attempt,
        )

    def happened(
        self,
        operation: operations.Operation,
        progress_event: progress_events.ProgressEvent,
    ) -> None:
        """Write an event."""
        self._write("event", **event_object(progress_event))

    def progress(
        self,
        operation: operations.Operation,
        nodes: tuple[trees.Node, ...],
    ) -> None:
        """Write the progress, where it has changed."""
        facts: dict[str, object] = {
            "state": operation.state,
            "done": operation.done,
            "total": operation.total,
            "percent": progress_events.percent(operation),
            "expected_at": formatting.time_text(operation.expected_at) or None,
            "reason": operation.reason,
            "held_by": [each.hold.plugin for each in operation.open_holds],
        }
        if facts != self._last:
            self._write("progress", **facts)
        self._last = facts

    def end(
        self,
        operation: operations.Operation,
        outputs: tuple[models.Output, ...],
    ) -> None:
        """Write the outcome, and the outputs of the stack.

        The value of a sensitive output is null unless secrets are shown.
        """
        self._write(
            "end",
            stack=operation.stack.name,
            stack_id=operation.stack.id,
            operation=operation.id,
            action=operation.action,
            state=operation.state,
            seconds=progress_events.seconds_taken(operation),
            outputs={
                each.key: each.value
                if self._shows_secrets or not each.is_sensitive
                else None
                for each in outputs
            },
            sensitive=[each.key for each in outputs if each.is_sensitive],
        )

    def close(self) -> None:
        """Do nothing: each line is out."""

    def _write(self, kind: str, **facts: object) -> None:
        write_line(self._out, {"kind": kind, **facts})


def event_object(
    progress_event: progress_events.ProgressEvent,
) -> dict[str, object]:
    """Return the object that a line of an event holds."""
    return {
        "time": formatting.time_text(progress_event.time),
        "path": list(progress_event.path),
        "action": progress_event.status.action,
        "state": progress_event.status.state,
        "reason": progress_event.reason,
    }


def write_line(out: typing.TextIO, facts: dict[str, object]) -> None:
    """Write one line, at once."""
    line = json.dumps(facts, default=str, ensure_ascii=False)
    print(line, file=out, flush=True)
