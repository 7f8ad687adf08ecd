"""Read references and attributes from rows first, then from plug-ins.

No plug-in is called in a transaction: each read of the rows is one of its own,
so that a slow plug-in holds no connection.
"""

import collections.abc

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.engine import plugin_reads
from orch.flow.state import contexts
from orch.model import marked
from orch.model import resource
from orch.model import stack
from orch.plugin import registry
from orch.plugin import sensitivity
from orch.template import world

_MAX_SINGLE_ROWS = 8

ReadRows = collections.abc.Callable[
    [], collections.abc.Mapping[ids.ResourceId, resource.Resource]
]


class StackRows:
    """The rows of a stack's resources, loaded on demand.

    The first few are read one by one, so that one of ten thousand is cheap;
    after that all are read at once.
    """

    def __init__(
        self, database: db_engine.Database, stack_id: ids.StackId
    ) -> None:
        """Load no row yet."""
        self._database = database
        self._stack_id = stack_id
        self._known: dict[str, resource.Resource | None] = {}
        self._has_all = False

    def find(self, name: str) -> resource.Resource | None:
        """Return the current row of a resource, or ``None``."""
        if name not in self._known and not self._has_all:
            if len(self._known) < _MAX_SINGLE_ROWS:
                self._known[name] = self._database.query(
                    lambda connection: self._read_one(connection, name)
                )
            else:
                rows = self.read_all().values()
                self._known = {row.name: row for row in rows if row.is_current}
                self._has_all = True
        return self._known.get(name)

    def read_all(self) -> dict[ids.ResourceId, resource.Resource]:
        """Return all rows of all resources, by id, as they are now."""
        rows = self._database.query(
            lambda connection: resources.list_(connection, self._stack_id)
        )
        return {row.id: row for row in rows}

    def _read_one(
        self, connection: db_engine.Connection, name: str
    ) -> resource.Resource | None:
        rows = resources.list_named(connection, self._stack_id, name)
        return next((row for row in reversed(rows) if row.is_current), None)


class StoredValues:
    """References and attributes of a stack's resources, for its outputs."""

    def __init__(
        self,
        stack: stack.Stack,
        rows: StackRows,
        types: registry.Types,
        ctxt: request.RequestContext,
        budget: plugin_reads.ReadBudget,
    ) -> None:
        """Read this stack for this caller.

        :param budget: for attributes that no row has
        """
        self._stack = stack
        self._rows = rows
        self._types = types
        self._ctxt = ctxt
        self._budget = budget
        self._read: dict[tuple[str, str], object] = {}
        self._sensitive: set[tuple[str, str | None]] = set()

    def reference_id(self, name: str) -> object:
        """Return the value of ``get_resource`` for a resource.

        :raises orch.template.world.NotYetKnown: it has no physical resource
        :raises orch.errors.OrchError: its plug-in is missing, or failed
        """
        row = self._there(name)
        plugin = self._types.get(row.plugin_type)
        context = contexts.build_context(self._stack, row, self._ctxt)
        try:
            return plugin.reference_id(context)
        except errors.OrchError:
            raise
        except Exception as error:
            raise plugin_reads.ReadFailed(
                f"{row.type_name}: {type(error).__name__}: {error}"
            ) from error

    def attribute(self, name: str, attribute: str) -> object:
        """Return an attribute from the row, else from the plug-in.

        A child stack may have changed by itself: its plug-in is always called.

        :raises orch.template.world.NotYetKnown: it has no physical resource
        :raises orch.errors.OrchError: its plug-in is missing, or failed
        """
        row = self._there(name)
        plugin = self._types.find(row.plugin_type)
        is_stack = plugin is not None and plugin.is_nested_stack
        if attribute in row.attributes and not is_stack:
            return row.attributes[attribute]
        key = name, attribute
        if key not in self._read:
            found = read_attributes(
                self._stack,
                row,
                [attribute],
                read_rows=self._rows.read_all,
                types=self._types,
                ctxt=self._ctxt,
                budget=self._budget,
            )
            self._read[key] = found.get(attribute)
            if marked.paths_of(found):
                self._sensitive.add(key)
        return self._read[key]

    def is_sensitive(
        self, name: str, attribute: str | None, value: object
    ) -> bool:
        """Whether what was read of a resource is sensitive."""
        row = self._rows.find(name)
        return row is not None and (
            (name, attribute) in self._sensitive
            or sensitivity.is_row_sensitive(
                self._types.find(row.plugin_type), row, attribute, value
            )
        )

    def _there(self, name: str) -> resource.Resource:
        row = self._rows.find(name)
        if row is None or row.physical_id is None:
            raise world.NotYetKnown(f"the resource {name} does not exist yet")
        return row


def read_attributes(
    stack: stack.Stack,
    row: resource.Resource,
    names: collections.abc.Collection[str],
    *,
    read_rows: ReadRows,
    types: registry.Types,
    ctxt: request.RequestContext,
    budget: plugin_reads.ReadBudget,
) -> marked.Marked:
    """Return the current attributes of a resource, read by its plug-in.

    :param read_rows: returns all rows of the stack by id, for a resource that
        listens to another one
    :raises orch.errors.OrchError: its plug-in is missing, or failed
    """
    plugin = types.get(row.plugin_type)
    heard = None
    if plugin.listens_to is not None:
        listening = contexts.SignalSources(read_rows(), stack, types, ctxt)
        heard = listening.find(plugin, row)
    context = contexts.build_context(stack, row, ctxt, heard)
    return budget.read(plugin, context, names)
