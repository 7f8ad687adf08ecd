"""Turns what was seen of drift into event rows and notifications.

Unlike other facts these belong to no operation: whoever stores them holds the
lock of the stack, and no operation of it is under way.
"""

import collections
import collections.abc
import dataclasses
import enum
import json
import typing

from orch import clock
from orch.events import payloads
from orch.events import recorder
from orch.model import event
from orch.model import notification
from orch.model import observation
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.model import states

_PREFIX: typing.Final = "orchestration.stack.drift."
MAX_RESOURCES: typing.Final = 100
"""How many resources one notification names."""
MAX_VALUE_LENGTH: typing.Final = 1024
"""How long a value is in a notification, as JSON."""


class Kind(enum.StrEnum):
    """What has become of the drift of a resource since the last look."""

    DETECTED = "detected"
    VANISHED = "vanished"
    CHANGED = "changed"
    CLEARED = "cleared"
    ACCEPTED = "accepted"
    GIVEN_UP = "given_up"
    """It is neither repaired nor accepted, although its policy says so."""
    REPAIRS_STOPPED = "repairs_stopped"
    """Too many have vanished at once: one event for all of a stack."""
    OBSERVED = "observed"
    """Something else is known of it, and nothing has changed: no event."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """That a resource has drifted, drifts otherwise, or does not any more.

    Or, without anything of that, that something else is known of it.

    :ivar path: names from the root to this one, with ``/`` between them
    :ivar differences: as people may see them, what is hidden covered
    :ivar reason: for people, without any value; empty for what the kind says
    """

    kind: Kind
    row: resource.Resource
    path: str
    differences: tuple[observation.Difference, ...] = ()
    reason: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NotifiedStack:
    """The stack that facts are about, as they are stored.

    :ivar operation: its newest operation
    :ivar newest: number of its newest event
    :ivar statuses: how many of its resources have come to which status
    """

    stack: stack.Stack
    operation: operation.Operation
    newest: int
    drift: observation.StackDrift
    statuses: payloads.Statuses
    now: clock.Timestamp

    def notification_of(
        self, kind: Kind, count: int, resources: list[object]
    ) -> notification.Notification:
        """Return the notification of one kind.

        :param count: how many resources it is about
        :param resources: those that it names
        """
        return notification.Notification(
            stack_id=self.stack.id,
            sequence=self.newest,
            event_type=f"{_PREFIX}{kind}",
            priority="info",
            context=self.operation.context,
            payload={
                **payloads.of_stack(
                    self.stack, self.operation, self.newest, self.statuses
                ),
                "drift": {
                    "state": self.drift.state,
                    "coverage": self.drift.coverage,
                    "drifted": self.drift.drifted,
                    "count": count,
                    "resources": resources[:MAX_RESOURCES],
                },
            },
            created_at=self.now,
        )


def build_facts(
    about: NotifiedStack, changes: collections.abc.Sequence[Change]
) -> recorder.Facts:
    """Return an event a resource, and a notification a kind.

    Of stopped repairs only the first resource has an event. What was only
    observed has none: its notification bears the number of the newest one.
    """
    events = tuple(
        _event(about.stack, change, about.newest + place, about.now)
        for place, change in enumerate(_with_events(changes), 1)
    )
    after = dataclasses.replace(about, newest=about.newest + len(events))
    by_kind = {
        kind: mine
        for kind in Kind
        if (mine := [each for each in changes if each.kind is kind])
    }
    return recorder.Facts(
        events,
        tuple(
            after.notification_of(
                kind, len(mine), [_resource(x) for x in mine[:MAX_RESOURCES]]
            )
            for kind, mine in by_kind.items()
        ),
    )


def merge_notifications(
    about: NotifiedStack,
    held: collections.abc.Iterable[notification.Notification],
) -> tuple[notification.Notification, ...]:
    """Return one notification of each kind, in place of several.

    Of a resource that several name the last one holds. If anything has
    changed there is none of what was only observed.

    :param held: the oldest first
    """
    counts: collections.Counter[Kind] = collections.Counter()
    named: dict[Kind, dict[str, object]] = {}
    for each in held:
        kind = Kind(each.event_type.removeprefix(_PREFIX))
        drift = typing.cast("dict[str, typing.Any]", each.payload["drift"])
        listed = {one["path"]: one for one in drift["resources"]}
        known = named.setdefault(kind, {})
        counts[kind] += drift["count"] - len(known.keys() & listed.keys())
        known.update(listed)
    kinds = [each for each in Kind if each in named]
    return tuple(
        about.notification_of(kind, counts[kind], [*named[kind].values()])
        for kind in kinds
        if kind is not Kind.OBSERVED or len(kinds) == 1
    )


def _with_events(
    changes: collections.abc.Iterable[Change],
) -> collections.abc.Iterator[Change]:
    """Yield the changes that have an event."""
    has_stopped = False
    for each in changes:
        is_stop = each.kind is Kind.REPAIRS_STOPPED
        if each.kind is not Kind.OBSERVED and not (is_stop and has_stopped):
            yield each
        has_stopped = has_stopped or is_stop


def _event(
    stack: stack.Stack, change: Change, sequence: int, now: clock.Timestamp
) -> event.Event:
    row = change.row
    return event.Event(
        stack_id=stack.id,
        sequence=sequence,
        operation_id=None,
        resource_name=row.name,
        resource_type=row.type_name,
        resource_id=row.id,
        physical_id=row.shown_id,
        action=states.Action.OBSERVE,
        status=states.Status.COMPLETE,
        reason=_reason(change),
        created_at=now,
    )


def _reason(change: Change) -> str:
    """Return a sentence without any value."""
    if change.reason:
        return change.reason
    names = ", ".join(each.property for each in change.differences)
    return {
        Kind.DETECTED: f"It has drifted: {names}",
        Kind.VANISHED: (
            "It has vanished: the physical resource does not exist any more"
        ),
        Kind.CHANGED: f"Its drift has changed: {names}",
        Kind.CLEARED: "It is in sync again",
        Kind.ACCEPTED: f"Its drift was accepted: {names}",
        Kind.GIVEN_UP: "It is not repaired any more",
        Kind.REPAIRS_STOPPED: "Too much has vanished at once",
    }[change.kind]


def _resource(change: Change) -> dict[str, object]:
    row = change.row
    return {
        "resource_name": row.name,
        "path": change.path,
        "resource_type": row.type_name,
        "physical_resource_id": row.shown_id,
        "differences": [_difference(each) for each in change.differences],
    }


def _difference(one: observation.Difference) -> dict[str, object]:
    """Return a difference; ``cut`` names what of it is not whole, if any.

    A value that was cut is the beginning of its JSON text.
    """
    texts = {
        side: text
        for side, value in (("expected", one.expected), ("live", one.live))
        if len(text := json.dumps(value, ensure_ascii=False))
        > MAX_VALUE_LENGTH
    }
    return {
        "property": one.property,
        "expected": one.expected,
        "live": one.live,
        "policy": one.policy,
        **{side: text[:MAX_VALUE_LENGTH] for side, text in texts.items()},
        **({"cut": list(texts)} if texts else {}),
    }
