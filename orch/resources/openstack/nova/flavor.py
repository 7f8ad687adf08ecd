"""``OS::Nova::Flavor``: a size of servers."""

import collections.abc
import typing

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

_TENANTS: typing.Final = "tenants"
_SPECS: typing.Final = "extra_specs"


def _texts(value: object) -> object:
    """Return the values of a map as texts."""
    found = value if isinstance(value, dict) else {}
    return {name: str(inner) for name, inner in found.items()}


class Flavor(base.OpenStackResource):
    """A flavor; only administrators make them."""

    type_name = "OS::Nova::Flavor"
    table = type_table.Table(
        service="compute",
        version="2.1",
        microversion="2.75",
        path="/flavors",
        list_path="/flavors/detail",
        key="flavor",
        plural="flavors",
        token_key="",
        is_of_project=False,
        is_outside_projects=True,
        fields=(
            type_table.Field(name="name", is_named=True),
            type_table.Field(name="flavorid", wire="id"),
            type_table.Field(name="ram"),
            type_table.Field(name="vcpus"),
            type_table.Field(name="disk"),
            type_table.Field(name="swap"),
            type_table.Field(
                name="ephemeral", wire="OS-FLV-EXT-DATA:ephemeral"
            ),
            type_table.Field(name="rxtx_factor"),
            type_table.Field(
                name="is_public", wire="os-flavor-access:is_public"
            ),
            type_table.Field(name=_SPECS, is_sent=False, normal=_texts),
            type_table.Field(
                name=_TENANTS,
                is_sent=False,
                is_read=False,
                normal=wire.sort_list,
            ),
        ),
        attributes={"is_public": "os-flavor-access:is_public"},
    )

    def filters_of_project(
        self, context: call_context.Context
    ) -> dict[str, str]:
        """Ask for those that are not public, too."""
        return {"is_public": "None"}

    def body_to_create(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request; without an id the service chooses one."""
        return {"id": "auto", **super().body_to_create(context)}

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Look for the flavor of that name; there is one at most."""
        name = context.properties.get("name") or context.physical_name
        for body in self.all_of_project(context):
            if body.get("name") == name:
                return self.create_result(body)
        return None

    def settles(self, changed: collections.abc.Collection[str]) -> bool:
        """Whether specs or projects are to be brought about."""
        return bool({_SPECS, _TENANTS}.intersection(changed))

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Bring about its specs, and which projects may use it."""
        if _SPECS in changed:
            self._settle_specs(context, dict(body.get(_SPECS) or {}))
        is_public = context.properties.get("is_public")
        if _TENANTS in changed and not is_public:
            self._settle_tenants(context)

    def _settle_specs(
        self, context: call_context.Context, held: dict[str, object]
    ) -> None:
        api_collection = self.api_collection(context)
        place = f"{api_collection.place(self.id_of(context))}/os-extra_specs"
        desired = _texts(context.properties.get(_SPECS))
        assert isinstance(desired, dict)
        new = {
            key: value
            for key, value in desired.items()
            if held.get(key) != value
        }
        if new:
            api_collection.ask("POST", place, {_SPECS: new})
        for key in sorted(held.keys() - desired.keys()):
            api_collection.ask("DELETE", f"{place}/{rest.path_segment(key)}")

    def _settle_tenants(self, context: call_context.Context) -> None:
        api_collection = self.api_collection(context)
        place = f"{api_collection.place(self.id_of(context))}/action"
        held = set(self._tenants(context))
        given = context.properties.get(_TENANTS)
        cloud = self.cloud(context)
        desired = {
            lookup.find_id(cloud, lookup.PROJECT, str(each))
            for each in (given if isinstance(given, list | tuple) else ())
        }
        for each in sorted(desired - held):
            api_collection.ask(
                "POST", place, {"addTenantAccess": {"tenant": each}}
            )
        for each in sorted(held - desired):
            api_collection.ask(
                "POST", place, {"removeTenantAccess": {"tenant": each}}
            )

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what the service tells, and which projects may use it."""
        found = super().reality_of(context, body)
        if not body.get("os-flavor-access:is_public"):
            found[_TENANTS] = self._tenants(context)
        return found

    def _tenants(self, context: call_context.Context) -> list[str]:
        api_collection = self.api_collection(context)
        place = f"{api_collection.place(self.id_of(context))}/os-flavor-access"
        try:
            found = api_collection.ask("GET", place).get("flavor_access")
        except rest.CloudNotFound:
            # A public one has no such list.
            return []
        listed = found if isinstance(found, list) else []
        return sorted(str(each["tenant_id"]) for each in listed)
