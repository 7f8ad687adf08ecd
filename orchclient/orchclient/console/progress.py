"""Follows an operation to its end, and notifies a view of its progress."""

import collections.abc
import dataclasses
import datetime
import time

from orchclient import client as clients
from orchclient import errors
from orchclient import models
from orchclient import operation_errors
from orchclient import operations
from orchclient.console import formatting
from orchclient.console import progress_events
from orchclient.console import trees

_INTERVAL_S = 0.5
_PAGE = 200
# The tree of a large stack costs the server much: let it rest so many times
# as long as that took.
_LONG_S = 0.3
_REST = 3
_AWAY = (errors.ConnectError, errors.UnavailableError)


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """The newest operation and event of a stack before a request.

    :ivar event_id: of the last event
    """

    operation: operations.Operation | None = None
    event_id: str | None = None

    def is_moved(self, operation: operations.Operation | None) -> bool:
        """Whether an operation is another, or another attempt."""
        if operation is None or self.operation is None:
            return operation is not None
        before, after = self.operation, operation
        return (before.id, before.attempt) != (after.id, after.attempt)


def mark_position(client: clients.Client, stack: models.StackIdentity) -> Mark:
    """Return the last requested operation and newest event of a stack."""
    last = client.events.list(
        stack, newest_first=True, limit=1, nested_depth=trees.DEPTH
    )
    return Mark(
        client.operations.find_last_requested(stack),
        last[0].id if last else None,
    )


class Follower:
    """Follows operations of one stack.

    :param after: id of the event before the first one of interest
    :param since: events before that time are of no interest
    :param waits_on_hold: go on while the operation waits for an approval
    """

    def __init__(
        self,
        client: clients.Client,
        view: progress_events.View,
        stack: models.StackIdentity,
        *,
        after: str | None = None,
        since: datetime.datetime | None = None,
        waits_on_hold: bool = True,
    ) -> None:
        self._client = client
        self._view = view
        self._stack = stack
        self._after = after
        self._since = since
        self._waits_held = waits_on_hold
        self._paths: dict[str, tuple[str, ...]] = {}
        self._nodes: tuple[trees.Node, ...] = ()

    def follow(
        self, operation: operations.Operation, timeout_s: float | None = None
    ) -> operations.Operation:
        """Follow an operation to its end, and that of its rollback; return it.

        One that has failed may be rolled back: that is waited for.

        :raises orchclient.operation_errors.WaitTimeoutError: it goes on after
            that
        :raises orchclient.operation_errors.OperationHeldError: it is held, and
            that is not waited for
        """
        limit = None if timeout_s is None else time.monotonic() + timeout_s
        ended = self._follow_one(operation, timeout_s)
        if not ended.is_complete:
            latest = self._client.operations.find_latest(self._stack)
            if latest is not None and _undoes(latest, ended):
                self._view.end(ended, ())
                left = None if limit is None else limit - time.monotonic()
                self._view.end(self._follow_one(latest, left), ())
                return ended
        self._view.end(ended, self._outputs(ended))
        return ended

    def events(
        self,
    ) -> collections.abc.Iterator[progress_events.ProgressEvent]:
        """Yield the events since the last call."""
        while True:
            found = self._client.events.list(
                self._stack,
                after=self._after,
                nested_depth=trees.DEPTH,
                limit=_PAGE,
            )
            for event in found:
                self._after = event.id
                if self._since is None or event.time >= self._since:
                    located = self.placed(event)
                    if located is not None:
                        yield located
            if not found:
                return

    def placed(
        self, event: models.Event
    ) -> progress_events.ProgressEvent | None:
        """Return an event with its place in the tree.

        ``None`` for those of a child stack as a whole: its resource in the
        parent has the same.
        """
        outer: tuple[str, ...] = ()
        if event.stack.id != self._stack.id:
            if event.is_of_stack:
                return None
            if event.stack.id not in self._paths:
                self._look()
            outer = self._paths.get(event.stack.id, (event.stack.name,))
        path = () if event.is_of_stack else (*outer, event.resource_name)
        return progress_events.ProgressEvent(
            event.time, path, event.status, event.reason
        )

    def _follow_one(
        self, operation: operations.Operation, timeout_s: float | None
    ) -> operations.Operation:
        limit = None if timeout_s is None else time.monotonic() + timeout_s
        self._view.begin(operation)
        self._look()
        while True:
            # The first is how it is now; the waiter bears with a service
            # that is away for a while. What happens in stacks in the stack
            # does not change the operation, so no client can wait for that.
            shown = next(self._client.waiters.watch(self._stack, operation.id))
            self._report(shown)
            if shown.is_over:
                return shown
            if shown.is_held and not self._waits_held:
                raise _held(shown)
            if limit is not None and time.monotonic() >= limit:
                raise operation_errors.WaitTimeoutError(
                    f"The {shown.action.lower()} of {self._stack.name} goes"
                    " on; it was waited for long enough.",
                    shown,
                )
            time.sleep(_INTERVAL_S)

    def _report(self, operation: operations.Operation) -> None:
        try:
            found = list(self.events())
            for progress_event in found:
                self._view.happened(operation, progress_event)
            if found and self._view.wants_tree:
                self._look()
        except _AWAY:
            # The operation goes on without us; the waiter tells if the
            # service stays away, and the events come with the next answer.
            if operation.is_over:
                raise
        self._view.progress(operation, self._nodes)

    def _look(self) -> None:
        begun = time.monotonic()
        try:
            found = self._client.resources.list(
                self._stack, nested_depth=trees.DEPTH
            )
        except errors.NotFoundError:
            # Gone, and with it its resources; what was seen is kept.
            found = ()
        took = time.monotonic() - begun
        if took > _LONG_S:
            time.sleep(_REST * took)
        current = [each for each in found if not each.is_replaced]
        if current:
            self._nodes = trees.build_tree(current, self._stack)
            self._paths.update(trees.child_stack_paths(self._nodes))

    def _outputs(
        self, operation: operations.Operation
    ) -> tuple[models.Output, ...]:
        if not operation.is_complete or operation.action == "DELETE":
            return ()
        return self._client.stacks.show(self._stack).outputs


def _held(shown: operations.Operation) -> operation_errors.OperationHeldError:
    first = shown.open_holds[0]
    where = f" at {formatting.path_text(first.path)}" if first.path else ""
    return operation_errors.OperationHeldError(
        f"The {shown.action.lower()} of {shown.stack.name} is held by"
        f" {first.hold.plugin}{where}: {' '.join(first.hold.text.split())}; it"
        " counts as rejected after"
        f" {formatting.time_text(first.hold.deadline_at)}.",
        shown,
    )


def _undoes(latest: operations.Operation, ended: operations.Operation) -> bool:
    return (
        latest.action == "ROLLBACK"
        and latest.id != ended.id
        and latest.created_at >= ended.created_at
    )
