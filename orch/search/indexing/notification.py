"""What a notification tells the index: that a stack has to be read again."""

import collections.abc
import datetime
import re
import typing

from orch.search.index import port

_FAMILY: typing.Final = "orchestration."
_ID: typing.Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_MICRO: typing.Final = 1_000_000
_MAX_VERSION: typing.Final = 2**53


class MalformedNotification(ValueError):  # noqa: N818 - it names what the message is
    """A message that is none of those that we listen for; says why."""


def find_mark(
    message: collections.abc.Mapping[str, object], *, is_thin: bool
) -> port.Mark | None:
    """Return which stack a notification is of.

    :param message: with ``event_type``, ``payload`` and ``metadata``, as a
        listener of oslo.messaging gets it
    :param is_thin: nothing counts the events of a stack where it comes from:
        the moment at which it was sent, in microseconds, is the version, and
        what it says goes along
    :returns: ``None`` for what is of no stack
    :raises MalformedNotification: it is said to be of one, and does not say of
        which
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
    if not is_thin:
        return port.Mark(stack_id, _version_of(payload.get("sequence")))
    sent = _sent_at(message.get("metadata"))
    return port.Mark(
        stack_id,
        sent,
        {"event_type": event_type, "version": sent, "payload": dict(payload)},
    )


def _version_of(sequence: object) -> int:
    if isinstance(sequence, bool) or not isinstance(sequence, int):
        return 0
    return sequence if 0 <= sequence <= _MAX_VERSION else 0


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
    return int(when.timestamp() * _MICRO)
