"""``OS::Keystone::User``."""

import collections.abc
import typing

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.keystone import entity
from orch.resources.openstack.keystone import grants

_GROUPS: typing.Final = "groups"


class User(grants.EntityWithRoles):
    """A user, with roles, and in groups.

    Groups and roles that somebody else has added are left alone. Nobody can
    read a password: only a changed one in the template is sent.
    """

    type_name = "OS::Keystone::User"
    kind = "user"
    table = type_table.Table(
        service="identity",
        version="3",
        path="/users",
        key="user",
        plural="users",
        updates_by="PATCH",
        is_of_project=False,
        is_outside_projects=True,
        fields=(
            entity.NAME,
            entity.DESCRIPTION,
            entity.ENABLED,
            type_table.Field(
                name="domain", wire="domain_id", refers_to=lookup.DOMAIN
            ),
            type_table.Field(
                name="default_project",
                wire="default_project_id",
                refers_to=lookup.PROJECT,
                empty=None,
            ),
            type_table.Field(name="email", empty=None),
            type_table.Field(name="password", is_read=False),
            grants.FIELD,
            type_table.Field(
                name=_GROUPS,
                normal=wire.sort_list,
                is_sent=False,
                is_read=False,
            ),
        ),
    )

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Grant the roles, and add the user to the groups."""
        super().settle(context, body, changed)
        if _GROUPS in changed:
            for group in self._groups(context, context.properties):
                self._member(context, "PUT", group)

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        """Send what differs; then roles and groups, new ones first."""
        super().update(context, before, changed)
        if _GROUPS in changed:
            desired = self._groups(context, context.properties)
            for group in desired:
                self._member(context, "PUT", group)
            for group in self._groups(context, before) - desired:
                self._member(context, "DELETE", group)
        return None

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what is told, with roles and groups that are given."""
        found = super().reality_of(context, body)
        given = context.properties.get(_GROUPS)
        if isinstance(given, list | tuple) and given:
            users = self.api_collection(context)
            path = f"{users.place(self.id_of(context))}/groups"
            answer = users.ask("GET", path)
            there = {
                each[key]
                for each in answer.get("groups", ())
                for key in ("id", "name")
            }
            found[_GROUPS] = [each for each in given if each in there]
        return found

    def _groups(
        self,
        context: call_context.Context,
        properties: collections.abc.Mapping[str, object],
    ) -> set[str]:
        """Return the ids of the groups of properties."""
        given = properties.get(_GROUPS)
        if not isinstance(given, list | tuple):
            return set()
        cloud = self.cloud(context)
        return {
            lookup.find_id(cloud, lookup.GROUP, str(each)) for each in given
        }

    def _member(
        self, context: call_context.Context, method: str, group: str
    ) -> None:
        """Add the user to a group, or take it out; both may come again."""
        user = rest.path_segment(self.id_of(context))
        path = f"/groups/{rest.path_segment(group)}/users/{user}"
        try:
            self.api_collection(context).ask(method, path)
        except rest.CloudNotFound:
            if method == "PUT":
                raise
