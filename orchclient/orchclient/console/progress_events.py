"""Progress events: what views are notified of, and the protocol of views."""

import dataclasses
import datetime
import typing

from orchclient import models
from orchclient import operations
from orchclient.console import trees


@dataclasses.dataclass(frozen=True, slots=True)
class ProgressEvent:
    """An event, with its place in the whole tree.

    :ivar path: names of resources from the root stack down; empty for
        that stack itself
    """

    time: datetime.datetime
    path: tuple[str, ...]
    status: models.Status
    reason: str


class View(typing.Protocol):
    """Shows how an operation goes on.

    :ivar wants_tree: ``progress`` is to bring the resources as they are now
    """

    wants_tree: bool

    def begin(self, operation: operations.Operation) -> None:
        """Show the requested operation; what follows is about it."""

    def happened(
        self, operation: operations.Operation, progress_event: ProgressEvent
    ) -> None:
        """Show an event."""

    def progress(
        self,
        operation: operations.Operation,
        nodes: tuple[trees.Node, ...],
    ) -> None:
        """Show the progress of the operation."""

    def end(
        self,
        operation: operations.Operation,
        outputs: tuple[models.Output, ...],
    ) -> None:
        """Show the outcome; the error report shows failures."""

    def close(self) -> None:
        """Restore the terminal."""


def percent(operation: operations.Operation) -> int | None:
    """Return the progress of an operation; ``None`` while it is unknown."""
    if operation.is_complete:
        return 100
    if not operation.total:
        return None
    return min(100, operation.done * 100 // operation.total)


def seconds_left(
    operation: operations.Operation, now: datetime.datetime
) -> float | None:
    """Estimate the seconds left; ``None`` while that is unknown."""
    if operation.is_over or operation.expected_at is None:
        return None
    return max(0.0, (operation.expected_at - now).total_seconds())


def seconds_taken(operation: operations.Operation) -> float | None:
    """Return how long the last attempt took; ``None`` while it runs."""
    start = operation.created_at
    if operation.attempts:
        start = operation.attempts[-1].started_at or start
    elif operation.started_at is not None:
        start = operation.started_at
    if operation.finished_at is None:
        return None
    return (operation.finished_at - start).total_seconds()
