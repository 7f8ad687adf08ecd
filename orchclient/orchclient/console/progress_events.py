"""What views are told: that something began, happened, or ended."""

import dataclasses
import datetime
import typing

from orchclient import models
from orchclient import operations
from orchclient.console import trees


@dataclasses.dataclass(frozen=True, slots=True)
class ProgressEvent:
    """An event, with its place in the whole tree.

    :ivar path: names of resources from the outermost stack down; empty for
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
        """Show what was asked for; what follows is about that."""

    def happened(
        self, operation: operations.Operation, progress_event: ProgressEvent
    ) -> None:
        """Show an event."""

    def progress(
        self,
        operation: operations.Operation,
        nodes: tuple[trees.Node, ...],
    ) -> None:
        """Show how far the operation is."""

    def end(
        self,
        operation: operations.Operation,
        outputs: tuple[models.Output, ...],
    ) -> None:
        """Show how it ended; failures are the report's."""

    def close(self) -> None:
        """Leave the terminal as it was found."""


def percent(operation: operations.Operation) -> int | None:
    """Return how far an operation is; ``None`` while nobody can tell."""
    if operation.is_complete:
        return 100
    if not operation.total:
        return None
    return min(100, operation.done * 100 // operation.total)


def seconds_left(
    operation: operations.Operation, now: datetime.datetime
) -> float | None:
    """Return how long it should go on; ``None`` while nobody can tell."""
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
