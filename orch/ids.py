"""Identifiers, and how they are made."""

import typing
import uuid

StackId = typing.NewType("StackId", str)
ResourceId = typing.NewType("ResourceId", str)
OperationId = typing.NewType("OperationId", str)
EventId = typing.NewType("EventId", str)
WorkerId = typing.NewType("WorkerId", str)

_SEQUENCE_BITS = 48
_SHORT_DIGITS = "abcdefghijklmnopqrstuvwxyz234567"
_SHORT_SHIFTS = range(55, -1, -5)


def new() -> str:
    """Return a fresh random UUID in its usual text form."""
    return str(uuid.uuid4())


def event_id(stack_id: StackId, sequence: int) -> EventId:
    """Return the UUID of a stack's event number ``sequence``.

    The number stands in the last twelve digits, so that an event is found by
    its key (stack, sequence) and no index on random text is needed.
    """
    return EventId(f"{stack_id[:24]}{sequence:012x}")


def find_sequence(event: str) -> int | None:
    """Return the number that :func:`event_id` put into an event's UUID.

    :returns: ``None`` when the text is no UUID
    """
    try:
        return uuid.UUID(event).int & ((1 << _SEQUENCE_BITS) - 1)
    except ValueError:
        return None


def short(resource_id: ResourceId) -> str:
    """Return twelve characters of ``a-z2-7`` that stand for a UUID.

    Physical names end so in Heat; the same resource always gets the same.
    """
    number = int(resource_id.replace("-", "")[:15], 16)
    return "".join(
        _SHORT_DIGITS[number >> shift & 31] for shift in _SHORT_SHIFTS
    )
