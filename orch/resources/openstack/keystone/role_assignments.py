"""``OS::Keystone::UserRoleAssignment`` and ``GroupRoleAssignment``.

They are roles of somebody who is made elsewhere. The id of such a resource is
that of the user or group.
"""

import collections.abc
import dataclasses
import typing

from orch.clients import collection
from orch.clients import lookup
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.keystone import grants


class Assignment(grants.RoleHolder):
    """Base of both; the grantee is in the property ``kind``."""

    has_late_effects = False
    grantees: typing.ClassVar[lookup.Kind]

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Grant the roles."""
        identifier = self._grantee_of(context, context.properties).id
        self.grant(
            dataclasses.replace(context, physical_id=identifier),
            context.properties,
        )
        return identifier

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Find nothing: what is granted already is granted again."""
        return None

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer that it is there: grants hold at once."""
        return call_context.DONE

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        """Grant what is wanted, then revoke what is not any more."""
        former = self._grantee_of(context, before)
        now = self._grantee_of(context, context.properties)
        mine = dataclasses.replace(context, physical_id=now.id)
        if former == now:
            self.regrant(mine, before)
            return None
        self.grant(mine, context.properties)
        self.revoke(context, self.grants(context, before), former)
        return call_context.CreateResult(physical_id=now.id)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer that it is done."""
        return call_context.DONE

    def remove(self, context: call_context.Context) -> None:
        """Revoke the roles."""
        self.revoke(context, self.grants(context, context.properties))

    def delete(self, context: call_context.Context) -> None:
        """Revoke the roles; nothing where none were granted."""
        if context.physical_id is not None:
            self.remove(context)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer that they are gone."""
        return call_context.DONE

    def body(self, context: call_context.Context) -> collection.Body:
        """Return whose roles they are, and those that are granted now.

        :raises orch.clients.rest.CloudNotFound: the user or group is gone
        """
        identifier = self.id_of(context)
        self.api_collection(context).get(identifier)
        return {
            "id": identifier,
            grants.ROLES: [dict(one) for one in self.granted(context)],
        }

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether all roles are granted.

        :raises orch.plugin.reality.Vanished: one is not
        """
        granted = self.body(context)[grants.ROLES]
        missing = len(self.grants(context, context.properties)) - len(granted)
        if missing > 0:
            raise reality.Vanished(f"{missing} roles are not granted any more")
        return call_context.DONE

    def list_bodies(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> list[wire.Body | None] | None:
        """Let each be read: grants are listed for one grantee at a time."""
        return None

    def _grantee_of(
        self,
        context: call_context.Context,
        properties: collections.abc.Mapping[str, object],
    ) -> grants.Grantee:
        cloud = self.cloud(context)
        name = str(properties[self.kind])
        return grants.Grantee(
            self.kind, lookup.find_id(cloud, self.grantees, name)
        )


_ROLES: typing.Final = type_table.Field(
    name=grants.ROLES, normal=wire.sort_list
)


class UserRoleAssignment(Assignment):
    """Roles of a user."""

    type_name = "OS::Keystone::UserRoleAssignment"
    kind = "user"
    grantees = lookup.USER
    table = type_table.Table(
        service="identity",
        version="3",
        path="/users",
        key="user",
        plural="users",
        token_key="",
        is_listed=False,
        fields=(_ROLES,),
    )


class GroupRoleAssignment(Assignment):
    """Roles of a group."""

    type_name = "OS::Keystone::GroupRoleAssignment"
    kind = "group"
    grantees = lookup.GROUP
    table = type_table.Table(
        service="identity",
        version="3",
        path="/groups",
        key="group",
        plural="groups",
        token_key="",
        is_listed=False,
        fields=(_ROLES,),
    )
