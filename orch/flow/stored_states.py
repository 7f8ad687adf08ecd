"""What plug-ins keep of a stack's snapshots: to remove it, to restore it."""

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
    types: registry.ResourceTypes,
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


class Restored:
    """A template whose resources shall be what a snapshot says."""

    def __init__(
        self,
        bound: Declared,
        found: snapshot.Snapshot,
        types: registry.ResourceTypes,
    ) -> None:
        """Put a snapshot upon its template."""
        self._bound = bound
        self._types = types
        self._rows = {row.name: row for row in found.resources() if row.kept}

    @property
    def resources(
        self,
    ) -> collections.abc.Mapping[str, declaration.Declaration]:
        """Return the active declarations by name."""
        return self._bound.resources

    def resolve_properties(
        self, name: str, seen: world.World, *, marks_unknown: bool = False
    ) -> Values:
        """Return the properties that bring a stored state back.

        :raises orch.errors.OrchError: a value is wrong, or the stored state
            is not there any more
        """
        found = self._bound.resolve_properties(
            name, seen, marks_unknown=marks_unknown
        )
        row = self._rows.get(name)
        type_name = self._bound.resources[name].type_name
        if row is None or not row.kept or row.plugin_type != type_name:
            return found
        plugin = self._types.get(type_name)
        return plugin.restored_properties(found, row.kept)

    def resolve_metadata(
        self, name: str, seen: world.World
    ) -> dict[str, object]:
        """Return the wanted metadata."""
        return self._bound.resolve_metadata(name, seen)

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the attributes that anything in the template reads."""
        return self._bound.attributes_read(name)
