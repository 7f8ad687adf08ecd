"""``OS::Keystone::Region``, ``Service`` and ``Endpoint``: the catalogue."""

from orch.clients import lookup
from orch.resources.openstack import type_table
from orch.resources.openstack.keystone import entity

_SERVICE = lookup.Kind(
    noun="service",
    service="identity",
    version="3",
    path="/services",
    plural="services",
)


class Region(entity.KeystoneEntity):
    """A region, which endpoints of services belong to."""

    type_name = "OS::Keystone::Region"
    table = type_table.Table(
        service="identity",
        version="3",
        path="/regions",
        key="region",
        plural="regions",
        updates_by="PATCH",
        is_of_project=False,
        is_outside_projects=True,
        fields=(
            type_table.Field(name="id"),
            entity.DESCRIPTION,
            entity.ENABLED,
            type_table.Field(name="parent_region", wire="parent_region_id"),
        ),
    )


class Service(entity.KeystoneEntity):
    """A service of the catalogue."""

    type_name = "OS::Keystone::Service"
    table = type_table.Table(
        service="identity",
        version="3",
        path="/services",
        key="service",
        plural="services",
        updates_by="PATCH",
        is_of_project=False,
        is_outside_projects=True,
        fields=(
            entity.NAME,
            entity.DESCRIPTION,
            entity.ENABLED,
            type_table.Field(name="type"),
        ),
    )


class Endpoint(entity.KeystoneEntity):
    """An address of a service."""

    type_name = "OS::Keystone::Endpoint"
    table = type_table.Table(
        service="identity",
        version="3",
        path="/endpoints",
        key="endpoint",
        plural="endpoints",
        updates_by="PATCH",
        is_of_project=False,
        is_outside_projects=True,
        fields=(
            entity.NAME,
            entity.ENABLED,
            type_table.Field(name="interface"),
            type_table.Field(name="region", wire="region_id"),
            type_table.Field(
                name="service", wire="service_id", refers_to=_SERVICE
            ),
            type_table.Field(name="url"),
        ),
    )
