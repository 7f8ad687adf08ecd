"""The vocabulary of the data files that describe types on OpenStack.

A :class:`Table` says where the physical resources of a type are, a
:class:`Field` how one property is written in a request and in an answer.
Data files use the same names (:mod:`orch.resources.openstack.type_data`).
"""

import collections.abc
import dataclasses

from orch.clients import lookup
from orch.plugin import traits


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request whose path and body are templates.

    ``{id}`` is the id of the resource, ``{item}`` an element, ``{items}`` the
    list of all elements that one request is about.
    """

    path: str
    method: str = "POST"
    body: collections.abc.Mapping[str, object] | None = None

    @property
    def names_elements(self) -> bool:
        """Whether the request says which elements it is about."""
        return "{item" in f"{self.path} {self.body}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Elements:
    """The requests of a list whose elements are associated one by one.

    :ivar plural: around the list of those that are associated, or the one that
        is, with dots for maps in maps
    :ivar path: where that list is; empty if answers about the resource have
        it
    :ivar key: the id of each in that list; empty where it is the element
    :ivar is_shared: others associate elements too, which are left alone
    :ivar unless: a property; where it is true there are no such elements
    :ivar removes_first: a changed element is removed before it is added
    """

    add: Request
    remove: Request
    plural: str
    path: str = ""
    key: str = ""
    is_shared: bool = False
    unless: str = ""
    removes_first: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One property, or one key of a map within one.

    :ivar key: its key in requests and answers; the name of the property by
        default
    :ivar change_key: its key in requests that change the resource, if that is
        another one
    :ivar refers_to: the property names a resource of that kind by its name or
        id, and the service takes ids; in a list each element does
    :ivar parts: keys of the map that it is, or of each element of the list;
        others pass unchanged
    :ivar form: how values are normalised for comparison, a name in
        :data:`orch.resources.openstack.wire.FORMS`
    :ivar empty: what a change in place sends if the property is not given any
        more
    :ivar ignores_removal: a change in place sends nothing then
    :ivar is_create_only: the service takes it in creations only: a change
        replaces the resource, though the schema allows one in place
    :ivar is_sent: it is in the requests that create and change the resource
    :ivar is_read: answers show it
    :ivar is_shared: others set it too where it is not given or is empty, so
        that it is only read where it is
    :ivar is_named: where it is not given the resource gets its physical name
    :ivar is_single: a list of one element, which the service takes alone
    :ivar own_path: below the resource: it is set by a PUT of its own there
    :ivar entries_path: below the resource: entries of the map are set by POST
        and removed by DELETE there
    :ivar elements: its elements have requests of their own
    """

    name: str
    key: str = ""
    change_key: str = ""
    refers_to: lookup.Kind | None = None
    parts: tuple["Field", ...] = ()
    form: str = ""
    empty: object = None
    ignores_removal: bool = False
    is_create_only: bool = False
    is_sent: bool = True
    is_read: bool = True
    is_shared: bool = False
    is_named: bool = False
    is_single: bool = False
    own_path: str = ""
    entries_path: str = ""
    elements: Elements | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The meanings of a resource's states, in lower or upper case.

    :ivar key: where answers have it, with dots for maps in maps
    :ivar pending: it is under way; all states that are not listed are ready
    :ivar failed: it did not come about
    :ivar reason_key: where answers say why
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
        catalogue
    :ivar microversion: asked for in each request
    :ivar headers: of each request, beside those that all have
    :ivar path: of the collection, below the service; ``{property}`` is the
        value of a property, which names the parent
    :ivar key: around one resource in requests and answers; empty for nothing
    :ivar is_bare: requests have nothing around a resource, though answers do
    :ivar plural: around the list of an answer
    :ivar fields: of all properties, by name
    :ivar attributes: keys, with dots for maps in maps, by name of the
        attribute where they differ
    :ivar status: ``None`` for resources that are ready at once
    :ivar token_key: where the token is: a text of its own behind what
        is given there (``description``), a key of a map
        (``extra.orch:token``), or the name of the resource itself (``name``);
        empty if the service has no place for one
    :ivar max_text: characters that the service takes of that text; a longer
        one has no token
    :ivar is_name_unique: so the name finds a lost creation, also a given one
    :ivar found_by: the property that lists of a lost creation are filtered
        by; the token itself by default; ``None`` if the service filters by
        neither
    :ivar defaults: what requests that create a resource have, unless a
        property gives it
    :ivar kind_key: the key of ``defaults`` by which resources of the type
        differ from others of the same list; empty if there are no others
    :ivar create_query: the query of requests that create a resource
    :ivar remove_query: the query of requests that remove it
    :ivar updates_by: the method that changes a resource
    :ivar patch_type: media type of a JSON patch, if changes are one
    :ivar list_path: answers whole resources; below the service, ``path`` where
        it is empty
    :ivar own_list_path: answers the caller's own where the list is refused
    :ivar is_paged: lists take a ``limit``
    :ivar project_key: filters lists by project; empty if none does
    :ivar filters: of all lists, beside that
    :ivar is_outside_projects: its resources belong to no project: to the whole
        cloud, or to a user
    :ivar is_listed: a list shows what resources of the type there are
    :ivar listed_as: the type that has the same ones; empty if there is none
    :ivar id_key: where an answer has the id of a resource; of an address
        paths have the last part
    :ivar is_only: the resource that its path leads to has one alone, which
        ``path`` itself answers; so a lost creation is found there
    :ivar is_quota: there is one for each project, which is changed in place
        of a creation, and reset in place of a removal
    :ivar host: the property that names a resource which ``elements`` of the
        other properties are associated with; its id is the resource's
    :ivar not_yet: parts of messages of a refusal that passes: the resource is
        then created or removed later, or its elements associated
    :ivar before_removal: what is changed before the resource is removed
    :ivar releases: lists that a change empties before a replacement is
        created, each with the part of its elements that only one resource can
        have
    :ivar one_of: groups of properties of which exactly one is given
    :ivar needs: properties by the one that needs them
    :ivar comes_after: types on whose resources those of this one depend
        without naming them
    :ivar has_late_effects: see :class:`orch.plugin.traits.Traits`
    """

    service: str
    path: str
    key: str
    is_bare: bool = False
    plural: str = ""
    fields: collections.abc.Mapping[str, Field] = dataclasses.field(
        default_factory=dict
    )
    version: str | None = None
    microversion: str | None = None
    headers: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    attributes: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    status: Status | None = None
    token_key: str = "description"  # noqa: S105 - where, not what
    max_text: int = 255
    is_name_unique: bool = False
    found_by: str | None = ""
    defaults: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    kind_key: str = ""
    create_query: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    remove_query: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    updates_by: str = "PUT"
    patch_type: str = ""
    list_path: str = ""
    own_list_path: str = ""
    is_paged: bool = True
    project_key: str = "project_id"
    filters: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    is_outside_projects: bool = False
    is_listed: bool = True
    listed_as: str = ""
    id_key: str = "id"
    is_only: bool = False
    is_quota: bool = False
    host: str = ""
    not_yet: tuple[str, ...] = ()
    before_removal: collections.abc.Mapping[str, object] | None = None
    releases: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    one_of: tuple[tuple[str, ...], ...] = ()
    needs: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    comes_after: tuple[traits.ComesAfter, ...] = ()
    has_late_effects: bool = True
