"""``OS::Neutron::Port``: a connection to a network."""

import collections.abc
import dataclasses
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import listing
from orch.resources.openstack import base
from orch.resources.openstack import wire

_ADDRESSES: typing.Final = "fixed_ips"
_DEVICE: typing.Final = ("device_id", "device_owner")
_GROUPS: typing.Final = "security_groups"
_SECURITY: typing.Final = "port_security_enabled"


class Port(base.OpenStackResource):
    """A port of a network."""

    def listed(self, body: wire.Body) -> listing.PhysicalResource:
        """Return it, with the server or router that has it."""
        device_id = str(body.get("device_id") or "")
        return dataclasses.replace(
            super().listed(body), held_by=(device_id,) if device_id else ()
        )

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, without an empty device.

        Only some users may send that at all.
        """
        body = super().body_of_properties(context)
        return {
            key: value
            for key, value in body.items()
            if value or key not in _DEVICE
        }

    def sent(
        self,
        context: call_context.Context,
        names: collections.abc.Iterable[str],
        *,
        is_change: bool = False,
    ) -> dict[str, object]:
        """Return properties; a port may be desired without any address."""
        chosen = set(names)
        body = super().sent(context, chosen, is_change=is_change)
        has_none = context.properties.get("no_fixed_ips")
        if has_none and "no_fixed_ips" in chosen:
            body[_ADDRESSES] = []
        keys = {self.fields[name].key for name in chosen & self.fields.keys()}
        if is_change and _GROUPS in keys and body.get(_GROUPS) is None:
            body.pop(_GROUPS, None)
            if self._has_security(context):
                body[_GROUPS] = self._default_groups(context)
        return body

    def _has_security(self, context: call_context.Context) -> bool:
        """Whether the port may have security groups."""
        given = context.properties.get(_SECURITY)
        if given is None:
            given = self.body(context).get(_SECURITY)
        return given is not False

    def _default_groups(self, context: call_context.Context) -> list[str]:
        """Return the group that a port without given ones gets, as in Heat."""
        found = self.api_collection(context).ask(
            "GET",
            "/security-groups",
            None,
            {"name": "default", "project_id": context.stack_project},
        )
        return [str(each["id"]) for each in found.get(_GROUPS) or ()]

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return attributes; of its network and subnets all is shown."""
        own = set(names) - {"network", "subnets"}
        found = dict(super().read_attributes(context, own)) if own else {}
        if len(own) == len(names):
            return found
        body = self.body(context)
        if "network" in names:
            found["network"] = self._show(
                context, "network", body["network_id"]
            )
        if "subnets" in names:
            found["subnets"] = [
                self._show(context, "subnet", each["subnet_id"])
                for each in body.get(_ADDRESSES) or []
            ]
        return found

    def _show(
        self, context: call_context.Context, key: str, identifier: str
    ) -> object:
        path = f"/{key}s/{rest.path_segment(identifier)}"
        return self.api_collection(context).ask("GET", path).get(key)
