"""``OS::Keystone::UserRoleAssignment`` and ``GroupRoleAssignment``.

They are roles of somebody who is made elsewhere. The id of such a resource is
that of the user or group.
"""

import collections.abc
import dataclasses
import typing

from orch.clients import collection
from orch.clients import lookup
from orch.plugin import acts
from orch.plugin import reality
from orch.resources.openstack import table
from orch.resources.openstack import wire
from orch.resources.openstack.keystone import grants


class Assignment(grants.Granting):
    """Base of both; the grantee stands in the property ``kind``."""

    grantees: typing.ClassVar[lookup.Kind]

    def create(self, context: acts.Context) -> acts.PhysicalId | acts.Made:
        """Grant the roles."""
        identifier = self._grantee_of(context, context.properties).id
        self.grant(
            dataclasses.replace(context, physical_id=identifier),
            context.properties,
        )
        return identifier

    def find(
        self, context: acts.Context
    ) -> acts.PhysicalId | acts.Made | None:
        """Find nothing: what is granted already is granted again."""
        return None

    def is_created(self, context: acts.Context) -> acts.Pending | None:
        """Answer that it is there: grants hold at once."""
        return acts.DONE

    def update(
        self,
        context: acts.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> acts.Made | None:
        """Grant what is wanted, then revoke what is not any more."""
        former = self._grantee_of(context, before)
        now = self._grantee_of(context, context.properties)
        mine = dataclasses.replace(context, physical_id=now.id)
        if former == now:
            self.regrant(mine, before)
            return None
        self.grant(mine, context.properties)
        self.revoke(context, self.grants(context, before), former)
        return acts.Made(physical_id=now.id)

    def is_updated(self, context: acts.Context) -> acts.Pending | None:
        """Answer that it is done."""
        return acts.DONE

    def remove(self, context: acts.Context) -> None:
        """Revoke the roles."""
        self.revoke(context, self.grants(context, context.properties))

    def delete(self, context: acts.Context) -> None:
        """Revoke the roles; nothing where none were granted."""
        if context.physical_id is not None:
            self.remove(context)

    def is_deleted(self, context: acts.Context) -> acts.Pending | None:
        """Answer that they are gone."""
        return acts.DONE

    def body(self, context: acts.Context) -> collection.Body:
        """Return whose roles they are, and those that are granted now.

        :raises orch.clients.rest.NotThere: the user or group is gone
        """
        identifier = self.id_of(context)
        self.things(context).get(identifier)
        return {
            "id": identifier,
            grants.ROLES: [dict(one) for one in self.granted(context)],
        }

    def check(self, context: acts.Context) -> acts.Pending | None:
        """Look whether all roles are granted.

        :raises orch.plugin.reality.Vanished: one is not
        """
        granted = self.body(context)[grants.ROLES]
        missing = len(self.grants(context, context.properties)) - len(granted)
        if missing > 0:
            raise reality.Vanished(f"{missing} roles are not granted any more")
        return acts.DONE

    def observe(
        self, contexts: collections.abc.Sequence[acts.Context]
    ) -> collections.abc.Sequence[reality.Answer] | None:
        """Let each be read: grants are listed for one grantee at a time."""
        return None

    def _grantee_of(
        self,
        context: acts.Context,
        properties: collections.abc.Mapping[str, object],
    ) -> grants.Grantee:
        cloud = self.cloud(context)
        name = str(properties[self.kind])
        return grants.Grantee(
            self.kind, lookup.find_id(cloud, self.grantees, name)
        )


_ROLES: typing.Final = table.Field(name=grants.ROLES, normal=wire.unordered)


class UserRoleAssignment(Assignment):
    """Roles of a user."""

    type_name = "OS::Keystone::UserRoleAssignment"
    kind = "user"
    grantees = lookup.USER
    table = table.Table(
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
    table = table.Table(
        service="identity",
        version="3",
        path="/groups",
        key="group",
        plural="groups",
        token_key="",
        is_listed=False,
        fields=(_ROLES,),
    )
