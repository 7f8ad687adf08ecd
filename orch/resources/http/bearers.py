"""What a service lists by a token, and what of that surely bears it.

A service may list more than it was asked for, or not show the token in a
list: then each entry is read.
"""

import collections.abc
import dataclasses
import typing

from orch.resources.http import calls
from orch.resources.http import client
from orch.resources.http import pointer
from orch.resources.http import schemas

Send = collections.abc.Callable[[client.Request], object]
"""Sends a request; returns the document of its answer."""

_MAX_READ: typing.Final = 20
"""Entries of a list that are read: each costs a request."""


def is_list(desired: calls.Calls) -> bool:
    """Whether the answer of find has a list, and the id is in an entry."""
    return _list_place(desired) is not None


def is_removed_by_id(desired: calls.Calls, names: calls.Names) -> bool:
    """Whether the request that removes depends on the id."""
    one, other = (
        desired.build(schemas.DELETE, dataclasses.replace(names, id=each))
        for each in ("one", "other")
    )
    return one != other


def list_bearers(
    send: Send, desired: calls.Calls, names: calls.Names
) -> list[str]:
    """Return the ids of what find lists and what bears the token.

    :param names: what has their id bears the token in any case
    :raises orch.errors.OrchError: the service does not say
    """
    place = _list_place(desired)
    if place is None:
        return []
    try:
        body = send(desired.build(schemas.FIND, names))
    except client.NotFound:
        return []
    listed = pointer.find_value(body, place[0])
    found, reads = [], 0
    for each in listed if isinstance(listed, list) else ():
        identifier = find_id(each, place[1])
        if identifier is None:
            continue
        if identifier == names.id or names.token in str(each):
            found.append(identifier)
        elif reads < _MAX_READ:
            reads += 1
            if _shows_token(send, desired, names, identifier):
                found.append(identifier)
    return found


def find_id(body: object, place: str) -> str | None:
    """Return the id at a place of an answer, if there is one."""
    value = pointer.find_value(body, place)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value) or None


def _list_place(desired: calls.Calls) -> tuple[str, str] | None:
    """Return the places of the list, and of the id in an entry of it."""
    part = desired.part(schemas.FIND)
    if part is None:
        return None
    return pointer.split_list(str(part["id_pointer"]))


def _shows_token(
    send: Send, desired: calls.Calls, names: calls.Names, identifier: str
) -> bool:
    """Whether what has an id shows the token of the resource."""
    names = dataclasses.replace(names, id=identifier)
    try:
        body = send(desired.build(schemas.READ, names))
    except client.ServiceRefused:
        return False
    return names.token in str(body)
