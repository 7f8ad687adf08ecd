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


def read_members(
    type_name: str,
    group: str,
    path: Path,
    view: nested_stack.ChildView,
    members: collections.abc.Sequence[nested_stack.Member],
    map_key: str,
) -> object:
    """Return an attribute of a group, in the order of its members.

    :param group: name of the group
    :param map_key: reads an attribute of each member, by their names
    :raises orch.errors.Invalid: there is none of that name
    """
    name, *rest = path
    key = str(name)
    names = [member.name for member in members]
    if key.startswith(MEMBER):
        return read_one(group, view, members, key, rest)
    if key == "refs":
        found = list(member_references(members).values())
        return nested_stack.find_part(found, rest)
    if key == "refs_map":
        return nested_stack.find_part(member_references(members), rest)
    if key == map_key:
        return read_each(view, names, member_path(type_name, key, rest))
    return list(read_each(view, names, path).values())
