"""The vocabulary of the tables that describe types on OpenStack.

A :class:`Table` says where the physical resources of a type are, a
:class:`Field` how one property is written in a request and in an answer.
"""

import collections.abc
import dataclasses
import typing

from orch.clients import lookup

Normaliser = collections.abc.Callable[[object], object]
"""Brings a value of a property into the form that like is compared in."""

UNSENT: typing.Final = object()
"""Of :attr:`Field.empty`: a property that is not given is not sent."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One property, or one key of a map within one.

    :ivar wire: its key in requests and answers; the name of the property by
        default
    :ivar refers_to: the property names a resource of that kind by its name or
        id, and the service takes ids; in a list each element does
    :ivar parts: keys of the map that it is, or of each element of the list;
        others pass unchanged
    :ivar normal: see :data:`Normaliser`; after it keys without a value are
        gone
    :ivar empty: what is sent by a change in place after which the property
        is not given any more
    :ivar is_sent: it stands in the requests that create and change; code of
        the type brings about what does not
    :ivar is_read: answers tell it
    :ivar is_shared: others set it too where it is not given or is empty, so
        that it is only looked at where it is
    :ivar is_named: where it is not given the resource gets its physical name
    """

    name: str
    wire: str = ""
    refers_to: lookup.Kind | None = None
    parts: tuple["Field", ...] = ()
    normal: Normaliser | None = None
    empty: object = UNSENT
    is_sent: bool = True
    is_read: bool = True
    is_shared: bool = False
    is_named: bool = False

    @property
    def key(self) -> str:
        """Return its key in requests and answers."""
        return self.wire or self.name


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The meanings of a resource's states, in lower or upper case.

    :ivar key: where answers tell it
    :ivar pending: it is under way; all states that stand nowhere are ready
    :ivar failed: it did not come about
    :ivar reason_key: where answers tell why
    """

    key: str = "status"
    pending: tuple[str, ...] = ()
    failed: tuple[str, ...] = ("ERROR",)
    reason_key: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The description of a resource type: collection, fields, states.

    :ivar service: type of the service in the catalogue
    :ivar version: of its interface; ``None`` for the address of the
        catalogue as it stands
    :ivar microversion: asked for in each request
    :ivar path: of the collection, below the service
    :ivar key: around one resource in requests and answers; empty for nothing
    :ivar plural: around the list of an answer
    :ivar fields: of all properties that stand in requests or answers
    :ivar attributes: keys, with dots for maps in maps, by name of the
        attribute where they differ
    :ivar status: ``None`` for things that are there at once
    :ivar token_key: where the token stands: a text of its own behind what
        is given there (``description``), or the name of the resource itself
        (``name``)
    :ivar updates_by: the method that changes a resource
    :ivar list_path: answers whole resources; below the service, ``path`` where
        it is empty
    :ivar is_of_project: lists are asked for the resources of one project
    :ivar is_outside_projects: its resources belong to no project: to the whole
        cloud, or to a user
    :ivar is_listed: a list tells what things of the type there are
    :ivar id_key: where an answer tells the id of a resource
    """

    service: str
    path: str
    key: str
    plural: str
    fields: tuple[Field, ...] = ()
    version: str | None = None
    microversion: str | None = None
    attributes: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    status: Status | None = None
    token_key: str = "description"  # noqa: S105 - where, not what
    updates_by: str = "PUT"
    list_path: str = ""
    is_of_project: bool = True
    is_outside_projects: bool = False
    is_listed: bool = True
    id_key: str = "id"
