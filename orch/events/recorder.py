"""Turns what happens to a stack into event rows and notifications.

The recorder numbers the facts of one stack. Whoever holds the stack's
operation owns it and stores what :meth:`Recorder.take` gives, in the
transaction that makes the fact true.
"""

import collections.abc
import dataclasses

from orch import clock
from orch import ids
from orch.model import event
from orch.model import notification
from orch.model import operation
from orch.model import resource
from orch.model import signal
from orch.model import stack
from orch.model import states

STACK_TYPE = "OS::Heat::Stack"

_ENDINGS = {
    states.Status.IN_PROGRESS: ("start", "info"),
    states.Status.COMPLETE: ("end", "info"),
    states.Status.FAILED: ("error", "error"),
}


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


class Recorder:
    """Collects the facts of one stack, in order."""

    def __init__(self, newest: int, asked: operation.Operation) -> None:
        """Go on after the stack's event number ``newest``.

        :param asked: the operation whose facts these are
        """
        self._sequence = newest
        self._operation = asked
        self._events: list[event.Event] = []
        self._notifications: list[notification.Notification] = []

    def record_stack(
        self,
        subject: stack.Stack,
        now: clock.Timestamp,
        asked: operation.Operation | None = None,
    ) -> None:
        """Record that the stack has come to its action and status.

        Consumers are notified as well.

        :param asked: the operation as it stands at this moment
        """
        self._add(
            subject.name,
            STACK_TYPE,
            None,
            subject.id,
            subject.action,
            subject.status,
            subject.status_reason,
            now,
        )
        ending, priority = _ENDINGS[subject.status]
        self._notifications.append(
            notification.Notification(
                stack_id=subject.id,
                sequence=self._sequence,
                event_type=(
                    f"orchestration.stack.{subject.action.lower()}.{ending}"
                ),
                priority=priority,
                context=self._operation.context,
                payload=_payload(
                    subject, asked or self._operation, self._sequence
                ),
                created_at=now,
            )
        )

    def record_resource(
        self,
        subject: resource.Resource,
        action: states.Action,
        status: states.Status,
        reason: str,
        now: clock.Timestamp,
    ) -> None:
        """Record that the resource has come to this action and status."""
        self._add(
            subject.name,
            subject.type_name,
            subject.id,
            subject.physical_id,
            action,
            status,
            reason,
            now,
        )

    def record_signal(self, taken: signal.Untold) -> None:
        """Record that a resource took a signal, or refused it."""
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

    def take(self) -> Facts:
        """Return what was recorded since the last call, and forget it."""
        facts = Facts(tuple(self._events), tuple(self._notifications))
        self._events.clear()
        self._notifications.clear()
        return facts

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


def _payload(
    subject: stack.Stack, asked: operation.Operation, sequence: int
) -> collections.abc.Mapping[str, object]:
    """Return Heat's payload, its misspelt key included, and ours beside."""
    created = clock.isoformat(subject.created_at)
    updated = subject.updated_at
    deleted = subject.deleted_at
    return {
        "tenant_id": subject.project_id,
        "user_id": subject.username,
        "user_identity": subject.user_id,
        "username": subject.username,
        "stack_identity": subject.id,
        "stack_name": subject.name,
        "state": f"{subject.action}_{subject.status}",
        "state_reason": subject.status_reason,
        "create_at": created,
        "updated_at": clock.isoformat(updated) if updated else None,
        "description": subject.description,
        "tags": list(subject.tags) or None,
        "name": subject.name,
        "project_id": subject.project_id,
        "created_at": created,
        "deleted_at": clock.isoformat(deleted) if deleted else None,
        "action": subject.action,
        "status": subject.status,
        "parent_id": subject.parent_id,
        "root_id": subject.root_id,
        "depth": subject.depth,
        "operation_id": asked.id,
        "sequence": sequence,
        "request_id": asked.context.get("request_id"),
        "resource_counts": {"total": asked.total, "done": asked.done},
        "failed_resources": [dict(each) for each in asked.failures],
    }
