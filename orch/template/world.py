"""What a template asks of the resources that really exist."""

import collections.abc
import enum
import typing

from orch import errors
from orch.model import marked


class NotYetKnown(errors.OrchError):
    """The value comes into being only when the resource does."""

    code = "orch.template.not_yet_known"


class Unknown(enum.Enum):
    """The type of :data:`UNKNOWN`."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "<not yet known>"


UNKNOWN: typing.Final = Unknown.UNKNOWN
"""Stands in resolved properties for a value that is not known yet."""


class World(typing.Protocol):
    """Ids and attributes of the resources of one stack."""

    def reference_id(self, name: str) -> object:
        """Return what ``get_resource`` gives.

        :raises NotYetKnown: the resource does not exist yet
        """

    def attribute(self, name: str, attribute: str) -> object:
        """Return the value of an attribute.

        :raises NotYetKnown: the resource does not exist yet
        :raises orch.errors.OrchError: the attribute cannot be read
        """

    def is_sensitive(
        self, name: str, attribute: str | None, value: object
    ) -> bool:
        """Answer whether what was read of a resource is sensitive.

        :param attribute: ``None`` for what ``get_resource`` gives
        :param value: of the attribute, as it was read
        """


class EmptyWorld:
    """The world before anything was made: nothing in it is known."""

    def reference_id(self, name: str) -> object:
        """Say that the resource does not exist yet."""
        raise NotYetKnown(f"resource {name} does not exist yet")

    def attribute(self, name: str, attribute: str) -> object:
        """Say that the resource does not exist yet."""
        raise NotYetKnown(f"resource {name} does not exist yet")

    def is_sensitive(
        self, name: str, attribute: str | None, value: object
    ) -> bool:
        """Answer that nothing is: nothing can be read."""
        return False


def has_unknown(value: object) -> bool:
    """Answer whether a part of the value is not known yet."""
    if isinstance(value, dict):
        return any(map(has_unknown, value.values()))
    if isinstance(value, list):
        return any(map(has_unknown, value))
    return value is UNKNOWN


def visible_value(value: object) -> object:
    """Return the value as JSON; ``null`` stands for what is not known yet.

    The marks of a map stay.
    """
    if value is UNKNOWN:
        return None
    if isinstance(value, collections.abc.Mapping):
        found = {key: visible_value(one) for key, one in value.items()}
        paths = marked.paths_of(value)
        return marked.Marked(found, paths) if paths else found
    if isinstance(value, list | tuple):
        return [visible_value(one) for one in value]
    return value
