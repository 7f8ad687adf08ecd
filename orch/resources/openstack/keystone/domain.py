"""``OS::Keystone::Domain``."""

from orch.plugin import call_context
from orch.resources.openstack import type_table
from orch.resources.openstack.keystone import entity


class Domain(entity.KeystoneEntity):
    """A domain, which users, groups and projects belong to."""

    type_name = "OS::Keystone::Domain"
    table = type_table.Table(
        service="identity",
        version="3",
        path="/domains",
        key="domain",
        plural="domains",
        updates_by="PATCH",
        is_of_project=False,
        is_outside_projects=True,
        fields=(entity.NAME, entity.DESCRIPTION, entity.ENABLED),
    )

    def remove(self, context: call_context.Context) -> None:
        """Disable the domain, and remove it: one in use is kept."""
        api_collection, identifier = (
            self.api_collection(context),
            self.id_of(context),
        )
        api_collection.change(
            identifier, {"enabled": False}, self.table.updates_by
        )
        api_collection.remove(identifier)
