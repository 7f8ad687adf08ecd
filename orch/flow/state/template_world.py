"""The resources of a running operation, as template functions read them."""

import typing

from orch import errors
from orch.model import resource as model_resource
from orch.plugin import call_context
from orch.plugin import resource


class Rows(typing.Protocol):
    """The part of the store that the world needs."""

    def current(self, name: str) -> model_resource.Resource:
        """Return the current incarnation of a name."""

    def context(
        self, row: model_resource.Resource
    ) -> tuple[resource.Resource, call_context.Context]:
        """Return the plug-in of a row, and the context of its calls."""


class TemplateWorld:
    """References and attributes of the resources, from their rows."""

    def __init__(self, rows: Rows) -> None:
        """Read these rows."""
        self._rows = rows

    def reference_id(self, name: str) -> object:
        """Return what ``get_resource`` returns.

        :raises orch.errors.Invalid: it was skipped and never created
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
