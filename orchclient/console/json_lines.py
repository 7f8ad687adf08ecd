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

    def __init__(self, out: typing.TextIO) -> None:
        self._out = out
        self._last: dict[str, object] = {}

    def begin(self, operation: operations.Operation) -> None:
        """Write what was asked for."""
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
        happening: progress_events.Happening,
    ) -> None:
        """Write an event."""
        self._write("event", **event(happening))

    def progress(
        self,
        operation: operations.Operation,
        nodes: tuple[trees.Node, ...],
    ) -> None:
        """Write how far it is, where that has changed."""
        told: dict[str, object] = {
            "state": operation.state,
            "done": operation.done,
            "total": operation.total,
            "percent": progress_events.percent(operation),
            "expected_at": formatting.moment(operation.expected_at) or None,
            "reason": operation.reason,
            "held_by": [each.hold.plugin for each in operation.open_holds],
        }
        if told != self._last:
            self._write("progress", **told)
        self._last = told

    def end(
        self,
        operation: operations.Operation,
        outputs: tuple[models.Output, ...],
    ) -> None:
        """Write how it ended, and the outputs of the stack."""
        self._write(
            "end",
            stack=operation.stack.name,
            stack_id=operation.stack.id,
            operation=operation.id,
            action=operation.action,
            state=operation.state,
            seconds=progress_events.seconds_taken(operation),
            outputs={each.key: each.value for each in outputs},
        )

    def close(self) -> None:
        """Do nothing: each line is out."""

    def _write(self, kind: str, **told: object) -> None:
        write(self._out, {"kind": kind, **told})


def event(happening: progress_events.Happening) -> dict[str, object]:
    """Return an event as a line tells it."""
    return {
        "time": formatting.moment(happening.time),
        "path": list(happening.path),
        "action": happening.status.action,
        "state": happening.status.state,
        "reason": happening.reason,
    }


def write(out: typing.TextIO, told: dict[str, object]) -> None:
    """Write one line, at once."""
    line = json.dumps(told, default=str, ensure_ascii=False)
    print(line, file=out, flush=True)
