"""``OS::Trove::Cluster``: instances of a database that work together.

API reference: https://docs.openstack.org/api-ref/database/
"""

import collections.abc
import typing

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import errors
from orch.resources.openstack import wire
from orch.resources.openstack.trove import networks

_INSTANCES: typing.Final = "instances"
_PENDING: typing.Final = ("NEW", "BUILD", "REBOOT", "RESIZE", "UPGRADE")
_FAILED: typing.Final = ("ERROR", "FAILED")

Values = collections.abc.Mapping[str, object]


class Cluster(base.OpenStackResource):
    """A cluster, which is ready when all of its instances are."""

    has_full_lists = False

    def validate(self, properties: Values) -> None:
        """Refuse interfaces that name not exactly one of network and port."""
        super().validate(properties)
        for each in wire.to_maps(properties.get(_INSTANCES)):
            networks.validate_networks(each.get("networks"))

    def check_status(self, body: wire.Body) -> call_context.Pending | None:
        """Answer ``None`` where the cluster and its instances are ready.

        :raises orch.resources.openstack.errors.InError: an instance has failed
        """
        pending = super().check_status(body)
        for each in wire.to_maps(body.get(_INSTANCES)):
            status = str(each.get("status")).upper()
            if status in _FAILED:
                raise errors.InError.of(status, f"instance {each['id']}")
            if status in _PENDING:
                pending = call_context.Pending(note=f"an instance: {status}")
        return pending

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return the ids of its instances, and their addresses."""
        body = self.body(context)
        found: dict[str, object] = {
            _INSTANCES: [
                each["id"] for each in wire.to_maps(body.get(_INSTANCES))
            ],
            "ip": body.get("ip") or [],
        }
        return {name: found[name] for name in names}
