"""``OS::Keystone::Role``."""

from orch.clients import lookup
from orch.resources.openstack import type_table
from orch.resources.openstack.keystone import entity


class Role(entity.KeystoneEntity):
    """A role: a name that policies of services require."""

    type_name = "OS::Keystone::Role"
    table = type_table.Table(
        service="identity",
        version="3",
        path="/roles",
        key="role",
        plural="roles",
        updates_by="PATCH",
        is_of_project=False,
        is_outside_projects=True,
        fields=(
            entity.NAME,
            type_table.Field(
                name="domain", wire="domain_id", refers_to=lookup.DOMAIN
            ),
        ),
    )
