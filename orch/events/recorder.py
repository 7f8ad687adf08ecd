"""Turns what happens to a stack into event rows and notifications.

The recorder numbers the facts of one stack. Whoever holds the stack's
operation owns it and stores what :meth:`Recorder.take` gives, in the
transaction that makes the fact true.
"""

import collections.abc
import dataclasses
import threading

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import outbox
from orch.events import payloads
from orch.events import scaling
from orch.model import adoption
from orch.model import breakpoints
from orch.model import event
from orch.model import lifecycle
from orch.model import notification
from orch.model import operation
from orch.model import resource
from orch.model import signal
from orch.model import stack
from orch.model import states

STACK_TYPE = "OS::Heat::Stack"

_HOOKS = {
    breakpoints.WAITING: "reached",
    breakpoints.CLEARED: "cleared",
}
"""The last part of an event type, by what has become of a breakpoint."""


@dataclasses.dataclass(frozen=True, slots=True)
class Facts:
    """Facts to be stored together."""

    events: tuple[event.Event, ...]
    notifications: tuple[notification.Notification, ...]

    def followed_by(self, later: "Facts") -> "Facts":
        """Return these facts, and then others."""
        return Facts(
            self.events + later.events,
            self.notifications + later.notifications,
        )

    def store(self, connection: db_engine.Connection) -> None:
        """Store the events, and the notifications for the relay."""
        events.insert_many(connection, self.events)
        outbox.insert_many(connection, self.notifications)


@dataclasses.dataclass(frozen=True, slots=True)
class Audience:
    """The stack whose resources consumers are notified of one by one.

    :ivar around: the stack that has them
    :ivar shown: gives the properties of one as people may see them; it is
        called once for each notification
    """

    around: stack.Stack
    shown: collections.abc.Callable[
        [resource.Resource], collections.abc.Mapping[str, object]
    ]


class Recorder:
    """Collects the facts of one stack, in order; from any thread."""

    def __init__(
        self,
        newest: int,
        asked: operation.Operation,
        audience: Audience | None = None,
    ) -> None:
        """Go on after the stack's event number ``newest``.

        :param asked: the operation whose facts these are
        :param audience: who is told of single resources; ``None`` where
            notifications tell of the stack as a whole only
        """
        self._sequence = newest
        self._operation = asked
        found = asked.context.get("request_id")
        self._request_id = found if isinstance(found, str) else None
        self._audience = audience
        self._events: list[event.Event] = []
        self._notifications: list[notification.Notification] = []
        self._lock = threading.RLock()

    def record_stack(
        self,
        stack: stack.Stack,
        now: clock.Timestamp,
        asked: operation.Operation | None = None,
        *,
        statuses: payloads.Statuses,
        members: int | None = None,
    ) -> None:
        """Record that the stack has come to its action and status.

        Consumers are notified as well; of a group that was scaled, of a
        stack that is let go of and of an operation that is tried again by
        types of their own too.

        :param asked: the operation as it stands at this moment
        :param statuses: how many resources have come to which status
        :param members: how many of its resources stand, where it has failed
        """
        with self._lock:
            self._add_stack(stack, now)
            self._notify_stack(
                stack, now, asked or self._operation, statuses, members
            )

    def record_superseded(
        self,
        stack: stack.Stack,
        now: clock.Timestamp,
        ended: operation.Operation,
        newer_id: ids.OperationId,
        statuses: payloads.Statuses,
    ) -> Facts:
        """Return the notification of an operation that has ended.

        It is no event: for users the stack is in progress, by the newer
        operation. So its sequence is that of the newest event.

        :param newer_id: the operation that has superseded it
        :param statuses: how many resources have come to which status
        """
        failed = dataclasses.replace(
            stack,
            action=ended.action,
            status=states.Status.FAILED,
            status_reason=f"Superseded by operation {newer_id}",
        )
        ended = dataclasses.replace(ended, superseded_by=newer_id)
        with self._lock:
            self._notify_stack(failed, now, ended, statuses, None)
            return self.take()

    def record_resource(
        self, row: resource.Resource, now: clock.Timestamp
    ) -> None:
        """Record that the resource has come to its action and status."""
        with self._lock:
            # To work it out reads all values of the row.
            physical_id = row.shown_id
            self._add_resource(row, physical_id, row.status_reason, now)
            if self._audience is None or row.action is states.Action.INIT:
                return
            ending, priority = payloads.ENDINGS[row.status]
            self._notify(
                f"orchestration.resource.{row.action.lower()}.{ending}",
                priority,
                payloads.of_resource(
                    row,
                    self._audience.around,
                    self._operation,
                    self._sequence,
                    physical_id,
                    self._audience.shown(row),
                ),
                now,
            )

    def record_remark_of(
        self, stack: resource.Resource, reason: str, now: clock.Timestamp
    ) -> None:
        """Record something of a resource; its state stays as it is.

        It is not notified.
        """
        with self._lock:
            self._add_resource(stack, stack.shown_id, reason, now)

    def record_breakpoint(
        self,
        around: stack.Stack,
        stack: resource.Resource,
        hook: tuple[str, str],
        reason: str,
        now: clock.Timestamp,
        statuses: payloads.Statuses,
    ) -> None:
        """Record that a resource has come to a breakpoint, or goes on.

        Consumers are notified as well.

        :param around: the stack that has it
        :param hook: the name of the breakpoint, and what has become of it
        :param statuses: how many resources have come to which status
        """
        with self._lock:
            physical_id = stack.shown_id
            self._add_resource(stack, physical_id, reason, now)
            name, state = hook
            told = dataclasses.replace(around, status_reason=reason)
            self._notify(
                f"orchestration.stack.hook.{_HOOKS[state]}",
                "info",
                {
                    **payloads.of_stack(
                        told, self._operation, self._sequence, statuses
                    ),
                    "hook": {
                        "name": name,
                        "resource_name": stack.name,
                        "resource_type": stack.type_name,
                        "physical_resource_id": physical_id,
                    },
                },
                now,
            )

    def record_remark(
        self, stack: stack.Stack, reason: str, now: clock.Timestamp
    ) -> None:
        """Record a fact of a running stack, without a notification.

        Clients take any other status for the end of what it does.
        """
        with self._lock:
            running = dataclasses.replace(
                stack,
                action=self._operation.action,
                status=states.Status.IN_PROGRESS,
                status_reason=reason,
            )
            self._add_stack(running, now)

    def record_approval(
        self,
        stack: stack.Stack,
        hold: lifecycle.Hold,
        reason: str,
        now: clock.Timestamp,
        statuses: payloads.Statuses,
    ) -> None:
        """Record that the stack needs an approval, or has its answer.

        Consumers are notified as well.

        :param statuses: how many resources have come to which status
        """
        with self._lock:
            self.record_remark(stack, reason, now)
            ending, priority = payloads.APPROVALS[hold.answer]
            told = dataclasses.replace(stack, status_reason=reason)
            self._notify(
                f"orchestration.stack.approval.{ending}",
                priority,
                {
                    **payloads.of_stack(
                        told, self._operation, self._sequence, statuses
                    ),
                    "approval": payloads.of_hold(hold),
                },
                now,
            )

    def record_override(
        self,
        stack: stack.Stack,
        call: lifecycle.Call,
        reason: str,
        now: clock.Timestamp,
        statuses: payloads.Statuses,
        *,
        is_remark: bool = True,
    ) -> None:
        """Record that a caller has overridden a plug-in's denial.

        Consumers are notified as well.

        :param call: the call that denied
        :param statuses: how many resources have come to which status
        :param is_remark: an operation is in progress, which goes on
        """
        with self._lock:
            told = dataclasses.replace(stack, status_reason=reason)
            if is_remark:
                self.record_remark(stack, reason, now)
            else:
                self._add_stack(told, now)
            self._notify(
                "orchestration.stack.override.end",
                "info",
                {
                    **payloads.of_stack(
                        told, self._operation, self._sequence, statuses
                    ),
                    "override": payloads.of_override(call),
                },
                now,
            )

    def record_signal(self, taken: signal.UnreportedSignal) -> None:
        """Record that a resource took a signal, or refused it."""
        with self._lock:
            self._add(
                taken.resource_name,
                taken.resource_type,
                taken.resource_id,
                taken.physical_id,
                states.Action.SIGNAL,
                taken.status,
                taken.reason,
                taken.created_at,
            )
            if self._audience is None:
                return
            is_refused = taken.status is states.Status.FAILED
            ending, priority = payloads.ENDINGS[
                taken.status if is_refused else states.Status.COMPLETE
            ]
            self._notify(
                f"orchestration.resource.signal.{ending}",
                priority,
                payloads.of_signal(
                    taken,
                    self._audience.around,
                    self._operation,
                    self._sequence,
                ),
                taken.created_at,
            )

    def record_signals(
        self, unreported: collections.abc.Iterable[signal.UnreportedSignal]
    ) -> Facts:
        """Record signals; return what was recorded since the last call."""
        with self._lock:
            for each in unreported:
                self.record_signal(each)
            return self.take()

    def number(self, build: collections.abc.Callable[[int], Facts]) -> Facts:
        """Return facts that follow what was recorded so far.

        :param build: gets the number of the newest event
        """
        with self._lock:
            facts = build(self._sequence)
            self._sequence += len(facts.events)
            return facts

    def take(self) -> Facts:
        """Return what was recorded since the last call, and forget it."""
        with self._lock:
            facts = Facts(tuple(self._events), tuple(self._notifications))
            self._events.clear()
            self._notifications.clear()
            return facts

    def _notify_stack(
        self,
        stack: stack.Stack,
        now: clock.Timestamp,
        told: operation.Operation,
        statuses: payloads.Statuses,
        members: int | None,
    ) -> None:
        """Notify by each type that the state of a stack has; see above."""
        ending, priority = payloads.ENDINGS[stack.status]
        payload = payloads.of_stack(stack, told, self._sequence, statuses)
        for verb in _verbs(stack, told):
            self._notify(
                f"orchestration.stack.{verb}.{ending}", priority, payload, now
            )
        resized = scaling.find_notification(
            stack, told, self._sequence, members, statuses, now
        )
        if resized is not None and told.id == self._operation.id:
            self._notifications.append(resized)

    def _notify(
        self,
        event_type: str,
        priority: str,
        payload: collections.abc.Mapping[str, object],
        now: clock.Timestamp,
    ) -> None:
        self._notifications.append(
            notification.Notification(
                stack_id=self._operation.stack_id,
                sequence=self._sequence,
                event_type=event_type,
                priority=priority,
                context=self._operation.context,
                payload=payload,
                created_at=now,
            )
        )

    def _add_stack(self, stack: stack.Stack, now: clock.Timestamp) -> None:
        self._add(
            stack.name,
            STACK_TYPE,
            None,
            stack.id,
            stack.action,
            stack.status,
            stack.status_reason,
            now,
        )

    def _add_resource(
        self,
        row: resource.Resource,
        physical_id: str | None,
        reason: str,
        now: clock.Timestamp,
    ) -> None:
        self._add(
            row.name,
            row.type_name,
            row.id,
            physical_id,
            row.action,
            row.status,
            reason,
            now,
        )

    def _add(
        self,
        name: str,
        type_name: str,
        resource_id: ids.ResourceId | None,
        physical_id: str | None,
        action: states.Action,
        status: states.Status,
        reason: str,
        now: clock.Timestamp,
    ) -> None:
        self._sequence += 1
        self._events.append(
            event.Event(
                stack_id=self._operation.stack_id,
                sequence=self._sequence,
                operation_id=self._operation.id,
                request_id=self._request_id,
                resource_name=name,
                resource_type=type_name,
                resource_id=resource_id,
                physical_id=physical_id,
                action=action,
                status=status,
                reason=reason,
                created_at=now,
            )
        )


def _verbs(
    stack: stack.Stack, asked: operation.Operation
) -> collections.abc.Iterator[str]:
    """Return by which names consumers know what is done; Heat's first."""
    yield stack.action.lower()
    if asked.options.get(adoption.ABANDONS):
        yield "abandon"
    if asked.attempt > 1:
        yield "retry"
