"""Roles that users and groups have in projects and domains.

Keystone grants a role as often as it is asked, and revokes one that is not
granted with 404: both may be asked again.
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.keystone import entity

ROLES: typing.Final = "roles"
FIELD: typing.Final = type_table.Field(
    name=ROLES, normal=wire.sort_list, is_sent=False, is_read=False
)

GivenRole = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class Grant:
    """One role in one place.

    :ivar scope: ``projects`` or ``domains``
    """

    role_id: str
    scope: str
    scope_id: str


@dataclasses.dataclass(frozen=True, slots=True)
class Grantee:
    """A user or a group that has roles.

    :ivar kind: ``user`` or ``group``
    """

    kind: str
    id: str

    def path(self, grant: Grant) -> str:
        """Return where a grant stands, below the service."""
        return (
            f"/{grant.scope}/{rest.path_segment(grant.scope_id)}"
            f"/{self.kind}s/{rest.path_segment(self.id)}"
            f"/roles/{rest.path_segment(grant.role_id)}"
        )


def check_roles(properties: GivenRole) -> None:
    """Refuse a role without one place, or with two.

    :raises orch.errors.Invalid: there is one
    """
    for given in _roles(properties):
        places = [key for key in ("project", "domain") if given.get(key)]
        if len(places) != 1:
            raise errors.Invalid(
                f"The role {given.get('role')} needs either a project or a"
                f" domain, and has {' and '.join(places) or 'none'}."
            )


class RoleHolder(base.OpenStackResource):
    """Base of the types with a property ``roles``.

    What somebody else has granted beside is left alone, and is no drift.
    """

    kind: typing.ClassVar[str]

    def validate(self, properties: GivenRole) -> None:
        """Refuse a role without one place, or with two."""
        check_roles(properties)

    def grantee(self, context: call_context.Context) -> Grantee:
        """Return whose roles they are."""
        return Grantee(self.kind, self.id_of(context))

    def grant(
        self, context: call_context.Context, properties: GivenRole
    ) -> None:
        """Grant all roles of the properties."""
        whose = self.grantee(context)
        for grant in self.grants(context, properties):
            self.api_collection(context).ask("PUT", whose.path(grant))

    def revoke(
        self,
        context: call_context.Context,
        grants: collections.abc.Iterable[Grant],
        whose: Grantee | None = None,
    ) -> None:
        """Revoke roles; those that are not granted are fine.

        :param whose: somebody else than :meth:`grantee`
        """
        whose = whose or self.grantee(context)
        for grant in grants:
            try:
                self.api_collection(context).ask("DELETE", whose.path(grant))
            except rest.CloudNotFound:
                continue

    def regrant(
        self, context: call_context.Context, before: GivenRole
    ) -> None:
        """Go from the roles of the properties before to those of now."""
        desired = self.grants(context, context.properties)
        former = self.grants(context, before)
        self.grant(context, context.properties)
        self.revoke(context, former - desired)

    def grants(
        self, context: call_context.Context, properties: GivenRole
    ) -> set[Grant]:
        """Return the roles of properties, names as ids."""
        return {self._grant(context, one) for one in _roles(properties)}

    def granted(self, context: call_context.Context) -> list[GivenRole]:
        """Return those roles of the properties that are granted now."""
        whose = self.grantee(context)
        found = self.api_collection(context).ask(
            "GET", "/role_assignments", None, {f"{whose.kind}.id": whose.id}
        )
        there = {
            Grant(each["role"]["id"], f"{scope}s", each["scope"][scope]["id"])
            for each in found.get("role_assignments", ())
            for scope in ("project", "domain")
            if scope in each["scope"]
        }
        return [
            one
            for one in _roles(context.properties)
            if self._grant(context, one) in there
        ]

    def _grant(self, context: call_context.Context, given: GivenRole) -> Grant:
        cloud = self.cloud(context)
        is_project = bool(given.get("project"))
        kind = lookup.PROJECT if is_project else lookup.DOMAIN
        place = str(given.get("project") or given.get("domain"))
        return Grant(
            lookup.find_id(cloud, lookup.ROLE, str(given["role"])),
            "projects" if is_project else "domains",
            lookup.find_id(cloud, kind, place),
        )


class EntityWithRoles(RoleHolder, entity.KeystoneEntity):
    """An entity of Keystone with roles; its table has :data:`FIELD`."""

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Grant the roles."""
        if ROLES in changed:
            self.grant(context, context.properties)

    def update(
        self,
        context: call_context.Context,
        before: GivenRole,
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        """Send what differs; then the roles, new ones first."""
        super().update(context, before, changed)
        if ROLES in changed:
            self.regrant(context, before)
        return None

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what is told, with roles that are given."""
        found = super().reality_of(context, body)
        if context.properties.get(ROLES):
            found[ROLES] = self.granted(context)
        return found


def _roles(properties: GivenRole) -> list[GivenRole]:
    """Return the roles of properties; they may not be known yet."""
    found = properties.get(ROLES)
    if not isinstance(found, list | tuple):
        return []
    return [one for one in found if isinstance(one, collections.abc.Mapping)]
