"""What plug-ins keep of a stack's snapshots, to remove it."""

import collections.abc
import dataclasses
import typing

from orch.context import request
from orch.flow.state import contexts
from orch.model import snapshot
from orch.model import stack
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource
from orch.template import inputs
from orch.template import world
from orch.template.resources import declaration

Values = collections.abc.Mapping[str, object]


class DeclaredStack(typing.Protocol):
    """What an operation needs of the template that it brings about."""

    @property
    def resources(
        self,
    ) -> collections.abc.Mapping[str, declaration.Declaration]:
        """Return the active declarations by name."""

    def resolve_properties(
        self,
        name: str,
        world_view: world.World,
        *,
        marks_unknown: bool = False,
    ) -> Values:
        """Return what is wanted of a resource."""

    def resolve_metadata(
        self, name: str, world_view: world.World
    ) -> dict[str, object]:
        """Return the wanted metadata."""

    def nested_inputs(
        self,
        name: str,
        values: Values,
        metadata: Values,
        template: object = None,
    ) -> inputs.Inputs:
        """Return what a stack that belongs to a resource is made of."""

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the attributes that anything in the template reads."""


@dataclasses.dataclass(frozen=True, slots=True)
class SnapshotData:
    """What one plug-in keeps of one resource's snapshot.

    :ivar data: what the plug-in has stored of it; ``None`` where nobody has its answer
    """

    plugin: resource.Resource
    context: call_context.Context
    snapshot_id: str
    data: Values | None

    def remove(self) -> None:
        """Let the plug-in remove it; already gone is success."""
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
    """Return all that plug-ins keep of a snapshot, or may keep.

    :raises orch.errors.NotFound: no plug-in serves one of the types
    """
    open_names = found.open_names()
    return [
        SnapshotData(
            types.get(row.plugin_type),
            contexts.build_context(stack, row, requested_by),
            found.id,
            row.snapshot_data,
        )
        for row in found.resources()
        if row.snapshot_data or row.name in open_names
    ]
