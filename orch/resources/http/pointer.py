"""JSON pointers (RFC 6901): the place of a value in a document."""

import collections.abc
import enum
import re
import typing

from orch import errors

_POINTER: typing.Final = re.compile(r"(/([^~/]|~[01])*)*")


class Missing(enum.Enum):
    """The type of :data:`MISSING`."""

    MISSING = "missing"


MISSING = Missing.MISSING
"""What :func:`find_value` gives where the document has no such place."""


def is_valid(pointer: str) -> bool:
    """Whether the text is a pointer."""
    return _POINTER.fullmatch(pointer) is not None


def no_pointer_error(path: str, text: str) -> errors.Invalid:
    """Return the error of a property that has to be a pointer.

    :param path: of the property, dotted
    """
    return errors.property_error(
        path, f"{text!r} is no JSON pointer; it should look like /a/b"
    )


def split_steps(pointer: str) -> tuple[str, ...]:
    """Return the keys and indexes that a pointer leads through."""
    return tuple(
        step.replace("~1", "/").replace("~0", "~")
        for step in pointer.split("/")[1:]
    )


def split_list(pointer: str) -> tuple[str, str] | None:
    """Return where a list is whose first entry a pointer leads into.

    :returns: pointers to the list, and within an entry of it; ``None`` where
        the pointer leads into no first entry
    """
    steps = pointer.split("/")
    if "0" not in steps:
        return None
    place = steps.index("0")
    return "/".join(steps[:place]), "/".join(["", *steps[place + 1 :]])


def find_value(document: object, pointer: str) -> object:
    """Return the value at a place of a document.

    :param pointer: ``/a/0``; the empty text means the whole document
    :returns: :data:`MISSING` when there is no such place
    """
    value = document
    for name in split_steps(pointer):
        if isinstance(value, collections.abc.Mapping):
            value = value.get(name, MISSING)
        elif isinstance(value, list):
            is_index = name in map(str, range(len(value)))
            value = value[int(name)] if is_index else MISSING
        else:
            return MISSING
    return value
