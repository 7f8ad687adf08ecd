"""``OS::Keystone::Project``."""

from orch.clients import lookup
from orch.resources.openstack import table
from orch.resources.openstack import wire
from orch.resources.openstack.keystone import entity


class Project(entity.Entity):
    """A project: what quotas are given to, and things belong to."""

    type_name = "OS::Keystone::Project"
    table = table.Table(
        service="identity",
        version="3",
        path="/projects",
        key="project",
        plural="projects",
        updates_by="PATCH",
        is_of_project=False,
        fields=(
            entity.NAME,
            entity.DESCRIPTION,
            entity.ENABLED,
            table.Field(
                name="domain", wire="domain_id", refers_to=lookup.DOMAIN
            ),
            table.Field(
                name="parent", wire="parent_id", refers_to=lookup.PROJECT
            ),
            table.Field(name="tags", normal=wire.unordered, empty=()),
        ),
    )
