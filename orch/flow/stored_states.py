"""What plug-ins keep of a stack's snapshots, to remove it."""

import collections.abc
import dataclasses
import typing

from orch.context import request
from orch.flow import contexts
from orch.model import snapshot
from orch.model import stack
from orch.plugin import registry
from orch.plugin import resource
from orch.template import declaration
from orch.template import world

Values = collections.abc.Mapping[str, object]


class Declared(typing.Protocol):
    """What an operation needs of the template that it brings about."""

    @property
    def resources(
        self,
    ) -> collections.abc.Mapping[str, declaration.Declaration]:
        """Return the active declarations by name."""

    def resolve_properties(
        self, name: str, seen: world.World, *, marks_unknown: bool = False
    ) -> Values:
        """Return what is wanted of a resource."""

    def resolve_metadata(
        self, name: str, seen: world.World
    ) -> dict[str, object]:
        """Return the wanted metadata."""

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the attributes that anything in the template reads."""


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """What one plug-in keeps of one resource's snapshot."""

    plugin: resource.Resource
    context: resource.Context
    kept: Values

    def remove(self) -> None:
        """Let the plug-in remove it; already gone is success."""
        self.plugin.delete_snapshot(self.context, self.kept)


def kept_of(
    found: snapshot.Snapshot,
    subject: stack.Stack,
    types: registry.Types,
    asked_by: request.RequestContext,
) -> list[Kept]:
    """Return all that plug-ins keep of a snapshot.

    :raises orch.errors.NotFound: no plug-in serves one of the types
    """
    return [
        Kept(
            types.get(row.plugin_type),
            contexts.context_of(subject, row, asked_by),
            row.kept,
        )
        for row in found.resources()
        if row.kept
    ]
