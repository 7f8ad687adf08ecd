"""``OS::Keystone::Group``."""

import collections.abc

from orch.clients import lookup
from orch.plugin import acts
from orch.resources.openstack import table
from orch.resources.openstack import wire
from orch.resources.openstack.keystone import entity
from orch.resources.openstack.keystone import grants


class Group(grants.Granting, entity.Entity):
    """A group of users, with roles."""

    type_name = "OS::Keystone::Group"
    kind = "group"
    table = table.Table(
        service="identity",
        version="3",
        path="/groups",
        key="group",
        plural="groups",
        updates_by="PATCH",
        is_of_project=False,
        fields=(
            entity.NAME,
            entity.DESCRIPTION,
            table.Field(
                name="domain", wire="domain_id", refers_to=lookup.DOMAIN
            ),
            table.Field(
                name=grants.ROLES,
                normal=wire.unordered,
                is_sent=False,
                is_read=False,
            ),
        ),
    )

    def settle(
        self,
        context: acts.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Grant the roles."""
        if grants.ROLES in changed:
            self.grant(context, context.properties)

    def update(
        self,
        context: acts.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> acts.Made | None:
        """Send what differs; then the roles."""
        super().update(context, before, changed)
        if grants.ROLES in changed:
            self.regrant(context, before)
        return None

    def reality_of(
        self, context: acts.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what is told, with roles that are given."""
        found = super().reality_of(context, body)
        if context.properties.get(grants.ROLES):
            found[grants.ROLES] = self.granted(context)
        return found
