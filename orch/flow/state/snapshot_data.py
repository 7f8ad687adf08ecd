"""The data that plug-ins stored of a stack's snapshots, to remove them."""

import collections.abc
import dataclasses

from orch.context import request
from orch.flow.state import contexts
from orch.model import snapshot
from orch.model import stack
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource

Values = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class SnapshotData:
    """The data that one plug-in stored of one resource's snapshot.

    :ivar data: what the plug-in returned; ``None`` where its answer was lost
    """

    plugin: resource.Resource
    context: call_context.Context
    snapshot_id: str
    data: Values | None

    def remove(self) -> None:
        """Remove the snapshot by the plug-in; already gone is success."""
        data = self.data
        if data is None:
            data = self.plugin.find_snapshot(self.context, self.snapshot_id)
        if data is not None:
            self.plugin.delete_snapshot(self.context, data)


def list_snapshot_data(
    found: snapshot.Snapshot,
    stack: stack.Stack,
    types: registry.Types,
    requested_by: request.RequestContext,
) -> list[SnapshotData]:
    """Return the data that plug-ins stored, or may have, of a snapshot.

    :raises orch.errors.NotFound: no plug-in serves one of the types
    """
    return [
        SnapshotData(
            types.get(row.plugin_type),
            contexts.build_context(stack, row, requested_by),
            found.id,
            row.snapshot_data,
        )
        for row in found.taken()
    ]
