"""Update policies and attributes of groups whose members have names."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.resources.groups import attributes
from orch.resources.groups import batching as group_batching

_FIRST: typing.Final = "first_size"
"""In the data of a group: the members that it was first made with."""


def initial_data(
    context: call_context.Context,
    members: collections.abc.Sequence[nested_stack.Member],
    desired: int,
) -> dict[str, object]:
    """Return the data of a group, with the size that it is first made in.

    That is kept until it once had so many members: what is added later comes
    at once.

    :param desired: members that there shall be
    """
    data = dict(context.data)
    first = data.pop(_FIRST, None)
    is_short = isinstance(first, int) and len(members) < first
    if context.physical_id is None or is_short:
        data[_FIRST] = desired
    return data


def is_first(context: call_context.Context) -> bool:
    """Whether a group is being made, rather than changed."""
    return _FIRST in context.data


def first_batch_policy(
    context: call_context.Context,
) -> group_batching.BatchPolicy | None:
    """Return how fast a group is first made; ``None`` for all at once."""
    if not is_first(context):
        return None
    return group_batching.read_batch_policy(
        context.update_policy.get("batch_create")
    )


def change_batch_policy(
    context: call_context.Context,
) -> group_batching.BatchPolicy | None:
    """Return how fast members change; ``None`` for all at once."""
    return group_batching.read_batch_policy(
        context.update_policy.get("rolling_update")
    )


def read_attribute(
    type_name: str,
    group: str,
    path: nested_stack.Path,
    view: nested_stack.ChildView,
) -> object:
    """Return an attribute of a group of members with names, by their names.

    :param group: name of the group
    :raises orch.errors.Invalid: there is none of that name
    """
    members = sorted(attributes.current_members(view), key=_place)
    return attributes.read_members(
        type_name, group, path, view, members, "attributes"
    )


def _place(member: nested_stack.Member) -> tuple[int, str]:
    """Return the place of a member: numbers by their value."""
    is_number = member.name.isascii() and member.name.isdigit()
    return (int(member.name) if is_number else 0, member.name)
