"""``OS::Magnum::Cluster``: a cluster of containers.

API reference:
https://docs.openstack.org/api-ref/container-infrastructure-management/
"""

import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base

_COUNT: typing.Final = "node_count"
_LATE_S: typing.Final = 60.0
"""For how long the service may not show yet what it has accepted."""


class Cluster(base.OpenStackResource):
    """A cluster of containers.

    The service accepts requests before it stores what they change.
    """

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is ready.

        :raises orch.clients.rest.CloudNotFound: it has not been stored in time
        """
        try:
            return super().is_created(context)
        except rest.CloudNotFound:
            if not self._may_be_late(context):
                raise
            return call_context.Pending(note="it is not stored yet")

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is ready, and has the nodes.

        Until the service shows their number its state is that before.
        """
        body = self.body(context)
        desired = context.properties.get(_COUNT)
        if body.get(_COUNT) != desired and self._may_be_late(context):
            return call_context.Pending(note="the change is not stored yet")
        return self.check_status(body)

    def _may_be_late(self, context: call_context.Context) -> bool:
        return self.clock.now() - context.started_at <= _LATE_S
