"""``OS::Magnum::Cluster``: a cluster of containers.

API reference:
https://docs.openstack.org/api-ref/container-infrastructure-management/
"""

import collections.abc
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire

_CHANGES: typing.Final = "changes"
"""Where the data hold what a change sends, and what there was before."""
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

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult:
        """Send what differs, and keep what there was before."""
        shown = self.body(context)
        body = self.body_to_update(context, before, changed)
        patch = wire.build_patch(body, shown)
        if patch:
            self.api_collection(context).patch(
                self.id_of(context), patch, self.table.patch_type
            )
        changes = {
            key: [shown.get(key), value]
            for key, value in body.items()
            if value is not None
        }
        data = {**context.data, _CHANGES: changes}
        return call_context.CreateResult(self.id_of(context), data)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is ready, and no value is as it was before.

        Until the service shows a change its state is that before. Another
        value is that of others, who may remove nodes: it is drift.

        :raises orch.clients.rest.CloudRefused: a change has not been stored
        """
        body = self.body(context)
        changes = wire.to_mapping(context.data.get(_CHANGES))
        missing = [
            key
            for key, (former, desired) in changes.items()
            if body.get(key) == former != desired
        ]
        if missing and self._may_be_late(context):
            return call_context.Pending(note="the change is not stored yet")
        pending = self.check_status(body)
        if missing and pending is None:
            raise rest.CloudRefused(
                f"the service has accepted a change of {', '.join(missing)},"
                " but has not stored it"
            )
        return pending

    def _may_be_late(self, context: call_context.Context) -> bool:
        return self.clock.now() - context.started_at <= _LATE_S
