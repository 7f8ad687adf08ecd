"""What template functions see of a running operation's resources."""

import typing

from orch import errors
from orch.model import resource as model_resource
from orch.plugin import call_context
from orch.plugin import resource


class Rows(typing.Protocol):
    """What the world needs of the store."""

    def current(self, name: str) -> model_resource.Resource:
        """Return the incarnation that stands for a name."""

    def context(
        self, row: model_resource.Resource
    ) -> tuple[resource.Resource, call_context.Context]:
        """Return the plug-in of the row and what it may know."""


class TemplateWorld:
    """References and attributes of the resources as their rows know them."""

    def __init__(self, rows: Rows) -> None:
        """Look into these rows."""
        self._rows = rows

    def reference_id(self, name: str) -> object:
        """Return what ``get_resource`` gives.

        :raises orch.errors.Invalid: nothing of it was ever made
        """
        row = self._rows.current(name)
        if row.physical_id is None:
            raise errors.Invalid(
                f"the resource {name} was skipped, and there is nothing of it"
            )
        plugin, context = self._rows.context(row)
        return plugin.reference_id(context)

    def attribute(self, name: str, attribute: str) -> object:
        """Return an attribute as it was read when the resource was made.

        :raises orch.errors.Invalid: the resource shows no such attribute
        """
        row = self._rows.current(name)
        try:
            return row.attributes[attribute]
        except KeyError:
            raise errors.Invalid(
                f"the resource {name} ({row.type_name}) has no value for"
                f" the attribute {attribute}"
            ) from None
