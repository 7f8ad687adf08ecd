"""``OS::Keystone::Group``."""

from orch.clients import lookup
from orch.resources.openstack import type_table
from orch.resources.openstack.keystone import entity
from orch.resources.openstack.keystone import grants


class Group(grants.EntityWithRoles):
    """A group of users, with roles."""

    type_name = "OS::Keystone::Group"
    kind = "group"
    table = type_table.Table(
        service="identity",
        version="3",
        path="/groups",
        key="group",
        plural="groups",
        updates_by="PATCH",
        is_of_project=False,
        is_outside_projects=True,
        fields=(
            entity.NAME,
            entity.DESCRIPTION,
            type_table.Field(
                name="domain", wire="domain_id", refers_to=lookup.DOMAIN
            ),
            grants.FIELD,
        ),
    )
