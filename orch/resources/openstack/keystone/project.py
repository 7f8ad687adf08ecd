"""``OS::Keystone::Project``."""

import collections.abc
import typing

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import type_table
from orch.resources.openstack import wire
from orch.resources.openstack.keystone import entity

_OF_CALLER: typing.Final = "/auth/projects"
"""The projects that whoever asks has a role in."""


class Project(entity.KeystoneEntity):
    """A project, which quotas and physical resources belong to."""

    type_name = "OS::Keystone::Project"
    table = type_table.Table(
        service="identity",
        version="3",
        path="/projects",
        key="project",
        plural="projects",
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
                name="parent", wire="parent_id", refers_to=lookup.PROJECT
            ),
            type_table.Field(name="tags", normal=wire.sort_list, empty=()),
        ),
    )

    def all_listed(
        self, context: call_context.Context
    ) -> collections.abc.Iterable[wire.Body]:
        """Return all projects; those of the caller where that is refused."""
        try:
            yield from super().all_listed(context)
        except rest.CloudRefused:
            found = self.api_collection(context).ask("GET", _OF_CALLER)
            yield from found.get(self.table.plural) or ()
