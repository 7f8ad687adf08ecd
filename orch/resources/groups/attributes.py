"""Attributes of groups: lists and maps of their members' attributes."""

import collections.abc
import typing

from orch import errors
from orch.plugin import nested_stack

MEMBER: typing.Final = "resource."
"""Before the name of a member: ``resource.NAME`` or ``resource.NAME.ATTR``."""

Names = collections.abc.Iterable[str]
Path = collections.abc.Sequence[object]


def current_members(view: nested_stack.ChildView) -> list[nested_stack.Member]:
    """Return the members that the stack has, without those that go."""
    return [member for member in view.members if member.definition]


def member_references(
    members: collections.abc.Iterable[nested_stack.Member],
) -> dict[str, object]:
    """Return what stands for each member, of those that were made."""
    return {
        member.name: member.reference_id
        for member in members
        if member.reference_id is not None
    }


def read_each(
    view: nested_stack.ChildView, names: Names, path: Path
) -> dict[str, object]:
    """Return an attribute of members by their names, null left out.

    :param path: the attribute, then what leads into it
    :raises orch.errors.Invalid: a member shows no such attribute
    """
    found = ((name, view.attribute(name, tuple(path))) for name in names)
    return {name: value for name, value in found if value is not None}


def member_path(type_name: str, key: str, path: Path) -> Path:
    """Return the path within each member, which has to be there.

    :param key: the attribute of the group
    :raises orch.errors.Invalid: it is empty
    """
    if not path:
        raise errors.Invalid(
            f"{key} of {type_name} needs the name of an attribute of its"
            f" members: get_attr: [GROUP, {key}, ATTRIBUTE]"
        )
    return path


def read_one(
    group: str,
    view: nested_stack.ChildView,
    members: collections.abc.Iterable[nested_stack.Member],
    key: str,
    path: Path,
) -> object:
    """Return what ``resource.NAME`` or ``resource.NAME.ATTRIBUTE`` gives.

    :param group: name of the group
    :raises orch.errors.Invalid: there is no such member or attribute
    """
    name, *attribute = key.removeprefix(MEMBER).split(".", 1)
    for member in members:
        if member.name == name:
            rest = (*attribute, *path)
            if rest:
                return view.attribute(name, rest)
            return member.reference_id
    raise errors.Invalid(
        f"Member '{name}' not found in group resource '{group}'."
    )
