"""Tells consumers of groups that signals scale: ``orchestration.autoscaling``.

The operation of the group's own stack bears what there is to tell, so that
beginning and end are told in the transactions that make them true.
"""

import collections.abc
import typing

from orch import clock
from orch.events import payloads
from orch.model import notification
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.plugin import signals

_RESIZE: typing.Final = "resize"
"""Option of an operation that a signal asked for: what it changes."""

_ABOUT: typing.Final = "about"
_BEFORE: typing.Final = "before"
_AFTER: typing.Final = "after"
_DATA: typing.Final = "data"

Data = collections.abc.Mapping[str, object]
"""What the row of a group keeps of its size."""

_TYPES: typing.Final = {
    "change_in_capacity": "ChangeInCapacity",
    "exact_capacity": "ExactCapacity",
    "percent_change_in_capacity": "PercentChangeInCapacity",
}
"""How notifications call the kinds of adjustment, whoever asked."""


def options_of(
    around: stack.Stack,
    asked: operation.Operation,
    request: signals.Resize,
    group: str,
    sizes: tuple[int, int],
    data: tuple[Data, Data],
) -> dict[str, object]:
    """Return options with which an operation is told of as a resizing.

    :param around: the stack with the group
    :param group: what ``get_resource`` gives for the group
    :param sizes: members that it has, and that it shall have
    :param data: of the group, before it was asked for and since
    """
    before, after = sizes
    about = {
        # What is counted is the group's: see find_notification.
        **payloads.of_stack(around, asked, 0, {}),
        "adjustment": request.adjustment,
        "adjustment_type": _TYPES[request.adjustment_type],
        "groupname": group,
    }
    resize = {
        _ABOUT: about,
        _BEFORE: before,
        _AFTER: after,
        _DATA: [dict(each) for each in data],
    }
    return {**asked.options, _RESIZE: resize}


def find_data(asked: operation.Operation) -> tuple[Data, Data] | None:
    """Return the data of the group before and since it was asked for.

    :returns: ``None`` when no signal has asked for the operation
    """
    resize = asked.options.get(_RESIZE)
    if not isinstance(resize, dict) or _DATA not in resize:
        return None
    before, since = resize[_DATA]
    return before, since


def find_notification(
    stack: stack.Stack,
    asked: operation.Operation,
    sequence: int,
    members: int | None,
    statuses: payloads.Statuses,
    now: clock.Timestamp,
) -> notification.Notification | None:
    """Return what is told of a group whose stack has come to a status.

    The state in it is that of the stack around when the signal came.

    :param stack: the group's own stack
    :param sequence: number of the event that tells the same
    :param members: how many members stand, where it has failed
    :param statuses: how many of them have come to which status
    :returns: ``None`` when no signal has asked for the operation
    """
    resize = asked.options.get(_RESIZE)
    if not isinstance(resize, dict):
        return None
    ending, priority = payloads.ENDINGS[stack.status]
    group = resize[_ABOUT]["groupname"]
    capacity, message = {
        states.Status.IN_PROGRESS: (
            resize[_BEFORE],
            f"Start resizing the group {group}",
        ),
        states.Status.COMPLETE: (
            resize[_AFTER],
            f"End resizing the group {group}",
        ),
        states.Status.FAILED: (
            resize[_BEFORE] if members is None else members,
            stack.status_reason,
        ),
    }[stack.status]
    return notification.Notification(
        stack_id=stack.id,
        sequence=sequence,
        event_type=f"orchestration.autoscaling.{ending}",
        priority=priority,
        context=asked.context,
        payload={
            **resize[_ABOUT],
            **payloads.of_operation(asked, sequence, statuses),
            "capacity": capacity,
            "message": message,
        },
        created_at=now,
    )
