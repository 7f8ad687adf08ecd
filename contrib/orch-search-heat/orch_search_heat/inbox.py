"""What notifications say of stacks, until the index has it.

A notification is acknowledged once its stack is in the index: the broker
gives those of a process that was killed to the next one. One that is received
twice costs a reading, and changes nothing.
"""

import collections.abc
import dataclasses
import datetime
import logging
import re
import threading
import typing

import oslo_messaging as messaging

from orch import ids
from orch.search.sources import port
from orch_search_heat import thin

LOG = logging.getLogger(__name__)

_FAMILY: typing.Final = "orchestration."
_ID: typing.Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_MAX_WAIT_S: typing.Final = 300.0
_MAX_WARNINGS: typing.Final = 50


class MalformedNotification(ValueError):  # noqa: N818 - it names what the message is
    """A notification that cannot be parsed; says why."""


@dataclasses.dataclass(frozen=True, slots=True)
class StackMessage:
    """What a notification says of a stack.

    :ivar thin: ``event_type``, ``version``: when it was sent, microseconds
        since 1970, and ``payload``
    """

    stack_id: str
    thin: collections.abc.Mapping[str, object]
    version: int


def parse(
    message: collections.abc.Mapping[str, object],
) -> StackMessage | None:
    """Return what a notification says of a stack.

    :param message: with ``event_type``, ``payload`` and ``metadata``
    :returns: ``None`` for what is of no stack
    :raises MalformedNotification: it is said to be of one, and does not say of
        which, or when it was sent
    """
    event_type = message.get("event_type")
    if not isinstance(event_type, str):
        raise MalformedNotification("it has no event type")
    if not event_type.startswith(_FAMILY):
        return None
    payload = message.get("payload")
    if not isinstance(payload, collections.abc.Mapping):
        raise MalformedNotification("its payload is no map")
    stack_id = payload.get("stack_identity")
    if stack_id is None and not event_type.startswith(f"{_FAMILY}stack."):
        return None
    if not isinstance(stack_id, str) or not _ID.fullmatch(stack_id):
        raise MalformedNotification("its stack_identity is no id")
    sent = _sent_at(message.get("metadata"))
    return StackMessage(
        stack_id,
        {"event_type": event_type, "version": sent, "payload": dict(payload)},
        sent,
    )


def _sent_at(metadata: object) -> int:
    """Return the moment of sending, microseconds since 1970.

    :raises MalformedNotification: it does not say when
    """
    text = None
    if isinstance(metadata, collections.abc.Mapping):
        text = metadata.get("timestamp")
    try:
        when = datetime.datetime.fromisoformat(str(text))
    except ValueError:
        raise MalformedNotification(
            "it does not say when it was sent"
        ) from None
    if when.tzinfo is None:
        when = when.replace(tzinfo=datetime.UTC)
    return int(when.timestamp() * thin.MICRO)


class Inbox:
    """Stacks that notifications are of, in their order; safe for threads.

    A position is the number of a notification, after an id of this inbox.
    """

    def __init__(
        self, wake: collections.abc.Callable[[], None] = lambda: None
    ) -> None:
        """Hold nothing yet.

        :param wake: called when something was received
        """
        self._wake = wake
        self._id = ids.new()
        self._changed = threading.Condition()
        self._number = 0
        self._confirmed = 0
        self._missed_at = 0
        self._is_stopping = False
        # Those received last are at the end.
        self._told: dict[str, tuple[int, StackMessage]] = {}
        self._warned: set[str] = set()

    def receive(
        self,
        messages: collections.abc.Sequence[
            collections.abc.Mapping[str, object]
        ],
    ) -> str:
        """Take messages, and return once the index has their stacks.

        :returns: whether they are done with, or have to be received
            again, as oslo.messaging wants it
        """
        with self._changed:
            for each in self._parse(messages):
                known = self._told.pop(each.stack_id, None)
                if known is not None and known[1].version > each.version:
                    each = known[1]
                self._number += 1
                self._told[each.stack_id] = (self._number, each)
            number = self._number
        self._wake()
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_stopping or self._confirmed >= number,
                _MAX_WAIT_S,
            )
            is_done = self._confirmed >= number
        return str(
            messaging.NotificationResult.HANDLED
            if is_done
            else messaging.NotificationResult.REQUEUE
        )

    def stop(self) -> None:
        """Wait for nothing more: what is left goes back to the bus."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()

    def note_miss(self) -> None:
        """Let all stacks be read: notifications may be lost."""
        with self._changed:
            self._number += 1
            self._missed_at = self._number
        self._wake()

    def changes(self, position: str, limit: int) -> port.Changes:
        """Return the stacks of notifications after a position."""
        after = self._number_of(position)
        with self._changed:
            some = [
                (number, stack_id)
                for stack_id, (number, _) in self._told.items()
                if number > after
            ]
            has_more = len(some) > limit
            last = some[limit - 1][0] if has_more else self._number
            return port.Changes(
                position=f"{self._id}.{last}",
                changed={stack_id: 0 for _, stack_id in some[:limit]},
                is_complete=bool(position)
                and not after < self._missed_at <= last,
                has_more=has_more,
                is_needed=True,
            )

    def find(self, stack_id: str) -> StackMessage | None:
        """Return what was said last of a stack, if it is not confirmed."""
        with self._changed:
            found = self._told.get(stack_id)
        return found[1] if found else None

    def confirm(self, position: str) -> None:
        """Acknowledge all before a position: the index has their stacks."""
        done = self._number_of(position)
        with self._changed:
            self._confirmed = max(self._confirmed, done)
            self._told = {
                stack_id: each
                for stack_id, each in self._told.items()
                if each[0] > done
            }
            self._changed.notify_all()

    def _number_of(self, position: str) -> int:
        inbox_id, _, number = position.rpartition(".")
        return int(number) if inbox_id == self._id else 0

    def _parse(
        self,
        messages: collections.abc.Iterable[
            collections.abc.Mapping[str, object]
        ],
    ) -> collections.abc.Iterator[StackMessage]:
        for each in messages:
            try:
                found = parse(each)
            except MalformedNotification as error:
                self._warn_once(error, each.get("event_type"))
                continue
            if found is not None:
                yield found

    def _warn_once(
        self, error: MalformedNotification, event_type: object
    ) -> None:
        said = f"{error} ({str(event_type)[:80]})"
        if said not in self._warned and len(self._warned) < _MAX_WARNINGS:
            self._warned.add(said)
            LOG.warning("a notification is passed over: %s", said)
