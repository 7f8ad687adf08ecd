"""Claims of the physical resources that an operation adopts.

A claim is checked when it is accepted. What was not known then is checked
before anything is done; what other projects own, once the physical resource
was seen: who cannot see it learns nothing, and cannot block its adoption.
"""

import collections.abc
import dataclasses
import threading
import typing

from orch import errors
from orch import ids
from orch import redacted
from orch.db import engine as db_engine
from orch.db.repositories import ownership
from orch.flow.state import id_scopes
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.plugin import id_scopes as plugin_scopes
from orch.plugin import registry

Rows = collections.abc.Sequence[resource.Resource]
Owners = collections.abc.Mapping[
    ownership.PhysicalKey, collections.abc.Sequence[ownership.Owner]
]
FindOwners = collections.abc.Callable[
    [registry.Types, collections.abc.Iterable[ownership.PhysicalKey]], Owners
]


_GONE: typing.Final = ownership.ScopeTerms(None, {})


class AlreadyOwned(errors.Conflict):
    """Another stack of the installation owns a physical resource."""

    code = "orch.resource.owned"


class SamePhysicalResource(errors.Invalid):
    """Two resources of a tree would be the same physical resource."""

    code = "orch.resource.same"


def already_owned(
    problems: collections.abc.Sequence[errors.Problem],
) -> AlreadyOwned:
    """Return the error for what stacks of the own project own."""
    listed = redacted.cut("; ".join(each.message for each in problems), 1000)
    return AlreadyOwned(
        "Two stacks would own the same physical resources:"
        f" {listed}. Abandon that stack, or remove the resource there"
        " with the deletion policy Retain; with adopt_owned it is taken from"
        " a stack of the same project that has no operation in progress.",
        problems,
    )


def foreign(physical_id: str) -> AlreadyOwned:
    """Return the error for what a stack of another project owns."""
    return AlreadyOwned(
        f"{physical_id} belongs to another stack, of another project: it has"
        " to be abandoned there first."
    )


def same_physical_resource(
    key: ownership.PhysicalKey, name: str, other: str
) -> SamePhysicalResource:
    """Return the error for two resources of a tree."""
    message = (
        f"resources.{name} and resources.{other} would be the same physical"
        f" resource, {key.physical_id} ({key.type_name})"
    )
    return SamePhysicalResource(
        f"{message}. Give each an id of its own; one that only refers to it"
        " takes external_id.",
        [errors.Problem(message, f"resources.{name}")],
    )


def key_of(row: resource.Resource) -> ownership.PhysicalKey:
    """Return what a row claims."""
    return ownership.PhysicalKey(
        row.plugin_type, row.physical_id or "", row.id_scope
    )


def find_owners(
    connection: db_engine.Connection,
    types: registry.Types,
    keys: collections.abc.Iterable[ownership.PhysicalKey],
) -> Owners:
    """Return who owns physical resources.

    Types of the same physical resources (``listed_as``) count as one. The
    scope of a row of an earlier release is what its properties say.
    """
    of_any_type = {key: key._replace(type_name="") for key in keys}
    known = ownership.find_owners(connection, of_any_type.values())
    owners_by_key = {
        key: [
            each
            for each in known.get(wanted, ())
            if not key.type_name
            or _is_same_type(types, key.type_name, each.type_name)
        ]
        for key, wanted in of_any_type.items()
    }
    scopes = _find_scopes(connection, types, owners_by_key)
    found: dict[ownership.PhysicalKey, list[ownership.Owner]] = {}
    for key, owners in owners_by_key.items():
        scoped = [
            each._replace(id_scope=scopes.get(each.resource_id, each.id_scope))
            for each in owners
        ]
        same = [
            each
            for each in scoped
            if None in (each.id_scope, key.id_scope)
            or each.id_scope == key.id_scope
        ]
        if same:
            found[key] = same
    return found


def _is_same_type(types: registry.Types, one: str, other: str) -> bool:
    """Whether two types have the same physical resources."""
    return one == other or _listed_as(types, one) == _listed_as(types, other)


def _listed_as(types: registry.Types, type_name: str) -> str:
    plugin = types.find(type_name)
    return (plugin and plugin.listed_as) or type_name


def _find_scopes(
    connection: db_engine.Connection,
    types: registry.Types,
    owners_by_key: Owners,
) -> dict[ids.ResourceId, str | None]:
    """Return the scopes of rows of an earlier release, which have none."""
    found: dict[ids.ResourceId, str | None] = {}
    unscoped: dict[ids.ResourceId, tuple[str, ownership.Owner]] = {}
    for key, owners in owners_by_key.items():
        is_everywhere = id_scopes.names_everywhere(types.find(key.type_name))
        for each in owners:
            if each.id_scope is not None:
                continue
            if is_everywhere:
                found[each.resource_id] = plugin_scopes.EVERYWHERE
            else:
                unscoped[each.resource_id] = key.type_name, each
    terms = ownership.list_scope_terms(
        connection, [owner for _, owner in unscoped.values()]
    )
    for resource_id, (type_name, owner) in unscoped.items():
        user_id, properties = terms.get(resource_id, _GONE)
        found[resource_id] = id_scopes.find_scope(
            types.find(type_name),
            plugin_scopes.Account(owner.project_id, user_id),
            properties,
        )
    return found


class Claims:
    """The claims of one run; from any thread.

    Owners of what was known when the run began are read once for all rows.

    :ivar types: the installed types
    """

    def __init__(
        self,
        stack: stack.Stack,
        account: plugin_scopes.Account,
        types: registry.Types,
        rows: collections.abc.Mapping[ids.ResourceId, resource.Resource],
        find_owners: FindOwners,
    ) -> None:
        """Read nothing yet.

        :param account: in whose name the services act on the resources
        :param find_owners: reads the database
        """
        self._stack = stack
        self._account = account
        self.types = types
        self._rows = rows
        self._find_owners = find_owners
        self._owners: Owners | None = None
        self._lock = threading.Lock()

    def with_scope(self, row: resource.Resource) -> resource.Resource:
        """Return a row with the scope of the physical id that it has."""
        return id_scopes.with_scope(self.types, self._account, row)

    def settle(
        self, connection: db_engine.Connection, rows: Rows
    ) -> list[resource.Resource]:
        """Return rows that are to be written, with the claims that they have.

        Of two projects that verify a physical resource at the same time the
        first one has it, the other's claim stays unverified.
        """
        verified = {key_of(row): row for row in rows if _is_verified(row)}
        if not verified:
            return list(rows)
        ownership.decide_alone(connection)
        found = find_owners(connection, self.types, verified)
        lost = {
            verified[key].id
            for key, owners in found.items()
            if any(is_foreign(self._stack, owner) for owner in owners)
        }
        return [
            dataclasses.replace(row, is_unverified=True)
            if row.id in lost
            else row
            for row in rows
        ]

    def find_owned(
        self,
        row: resource.Resource,
        physical_ids: collections.abc.Collection[str],
    ) -> frozenset[str]:
        """Return those that a resource of any stack has as its own.

        :param row: tells their type and scope
        :raises orch.errors.Outage: the database does not say
        """
        plugin = self.types.find(row.plugin_type)
        scope = id_scopes.find_scope(plugin, self._account, row.properties)
        return frozenset(
            key.physical_id
            for key in self._find_owners(
                self.types,
                [
                    ownership.PhysicalKey(row.plugin_type, each, scope)
                    for each in physical_ids
                ],
            )
        )

    def find_successor(
        self, row: resource.Resource
    ) -> resource.Resource | None:
        """Return what replaced a row and is the same physical resource.

        :returns: ``None`` where another one did, or where it is gone
        """
        found = row
        while found.replaced_by and found.replaced_by in self._rows:
            found = self._rows[found.replaced_by]
        if found is row or found.is_gone or row.physical_id is None:
            return None
        if row.physical_id != found.physical_id:
            return None
        keys = {key_of(self.with_scope(each)) for each in (row, found)}
        return found if len(keys) == 1 else None

    def check(self, row: resource.Resource, physical_id: str) -> bool:
        """Check a claim; return whether a resource of another project has it.

        :param physical_id: of the resource that is adopted
        :raises SamePhysicalResource: a resource of the tree has it
        :raises AlreadyOwned: one of another stack of the project has it
        :raises orch.errors.Outage: the database does not say
        """
        key = key_of(
            self.with_scope(dataclasses.replace(row, physical_id=physical_id))
        )
        owners = [
            each
            for each in self._find(key, is_known=_is_known(row, key))
            if each.resource_id != row.id
        ]
        for owner in owners:
            if owner.root_id == self._stack.root_id:
                if None not in (owner.id_scope, key.id_scope):
                    raise same_physical_resource(key, row.name, owner.name)
            elif owner.project_id == self._stack.project_id:
                message = (
                    f"{key.physical_id} belongs to resource {owner.name} of"
                    f" stack {owner.stack_id}"
                )
                where = f"resources.{row.name}"
                raise already_owned([errors.Problem(message, where)])
        return any(is_foreign(self._stack, owner) for owner in owners)

    def _find(
        self, key: ownership.PhysicalKey, *, is_known: bool
    ) -> collections.abc.Sequence[ownership.Owner]:
        """Return the owners of a physical resource.

        The claim on it is stored before it is called: of two that begin at
        once at least one sees the other.

        :param is_known: as :func:`_is_known` says
        """
        if not is_known:
            return self._find_owners(self.types, [key]).get(key, ())
        with self._lock:
            if self._owners is None:
                self._owners = self._find_owners(
                    self.types,
                    [
                        key_of(row)
                        for row in self._rows.values()
                        if row.is_unadopted and row.physical_id is not None
                    ],
                )
            return self._owners.get(key, ())


def is_foreign(stack: stack.Stack, owner: ownership.Owner) -> bool:
    """Whether an owner is of another project, and has seen what it owns."""
    return owner.project_id != stack.project_id and not owner.is_unverified


def _is_known(row: resource.Resource, key: ownership.PhysicalKey) -> bool:
    """Whether a row has claimed, and owned, a physical resource all along."""
    return key == key_of(row) and row.taken_from is None


def _is_verified(row: resource.Resource) -> bool:
    """Whether a row is of an adoption that has seen the resource."""
    return (
        row.adopted_by is not None
        and row.adopted_by == row.operation_id
        and row.action is states.Action.ADOPT
        and row.is_complete
        and not row.is_unverified
        and row.physical_id is not None
    )
