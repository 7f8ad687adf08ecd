"""Count the resources that a tree of stacks will have.

The tree counts what its stacks declare now. Near the limit that is not enough:
a stack that grows may be counted before one that shrinks or goes in the same
operation. Then this count is used. It is used as well before an operation is
accepted, when its template states more resources than are allowed.
"""

import collections.abc
import dataclasses
import threading
import typing

import cachetools

from orch import errors
from orch import ids
from orch.context import outside
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import plugin_reads
from orch.engine import resource_values
from orch.flow.state import contexts
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.plugin import call_context
from orch.plugin import registry
from orch.template import errors as template_errors
from orch.template import resource_count
from orch.template import template
from orch.template import world

_MAX_REFUSED: typing.Final = 1000

TypesOf = collections.abc.Callable[
    [
        stack.Stack,
        template.Template,
        collections.abc.Sequence[resource.Resource],
    ],
    registry.Types,
]


@typing.runtime_checkable
class StackHolder(typing.Protocol):
    """A resource type of child stacks."""

    @property
    def fetches_definition(self) -> bool:
        """Whether the template of the stack is fetched from elsewhere."""

    def foresee(
        self,
        context: call_context.Context,
        document: collections.abc.Mapping[str, object] | None = None,
    ) -> template.Template:
        """Return the template that the stack is to have in the end."""


class RefusedAttempts:
    """The newest attempts of operations whose trees would become too large.

    Whatever else of such a tree wants to grow is refused without a count.
    Threads may share one.
    """

    def __init__(self) -> None:
        """Start without any."""
        self._lock = threading.Lock()
        self._keys: cachetools.FIFOCache[tuple[ids.OperationId, int], bool] = (
            cachetools.FIFOCache(_MAX_REFUSED)
        )

    def add(self, origin: operation.Operation) -> None:
        """Record that the tree of an operation would become too large."""
        with self._lock:
            self._keys[origin.id, origin.attempt] = True

    def __contains__(self, origin: operation.Operation) -> bool:
        with self._lock:
            return (origin.id, origin.attempt) in self._keys


@dataclasses.dataclass(frozen=True, slots=True)
class TreeSize:
    """Counts the resources of a tree after an operation.

    :ivar types_of: finds the types of one stack
    """

    database: db_engine.Database
    types_of: TypesOf
    reads: plugin_reads.PluginReads
    requested_by: request.RequestContext

    def is_within_limit(
        self, top: stack.Stack, parsed_template: template.Template, limit: int
    ) -> bool:
        """Whether a tree will be within the limit.

        :param top: the stack that an operation changes, with all below it
        :param parsed_template: the template that this one is to have
        :param limit: the maximum of resources
        """

        def look(
            connection: db_engine.Connection,
        ) -> tuple[stack.Stack, list[stack.Stack]]:
            root = stacks.get(connection, top.root_id)
            return root, stacks.list_tree(connection, top.root_id)

        root, tree = self.database.query(look)
        count = resource_count.ResourceCount(limit)
        try:
            count.add(root.tree_count - _count(tree, top.id))
            self._add(top, parsed_template, tree, count)
        except template_errors.TooLarge:
            return False
        return True

    def check_stated(
        self, top: stack.Stack, parsed_template: template.Template, limit: int
    ) -> None:
        """Raise TooLarge if a template states more resources than allowed.

        What is not known before the run, or is to be fetched, does not count.
        Nor does a child stack of this one that alone has more: its resource
        fails in the run before anything of it is made, as it does in Heat.

        :param top: the stack that is to have the template; it may not exist
        :param limit: the maximum of resources
        :raises orch.template.errors.TooLarge: there would be more
        """
        if 0 <= limit < parsed_template.estimate_size():
            count = resource_count.ResourceCount(limit)
            self._add(
                top,
                parsed_template,
                (),
                count,
                fetches=False,
                leaves_too_large=True,
            )

    def _add(
        self,
        stack: stack.Stack,
        parsed_template: template.Template,
        tree: collections.abc.Sequence[stack.Stack],
        count: resource_count.ResourceCount,
        *,
        fetches: bool = True,
        leaves_too_large: bool = False,
    ) -> None:
        """Count the resources that a stack will have, with those below it.

        :param tree: the stacks whose current resources count where their
            templates are not known
        :param fetches: templates are fetched from elsewhere
        :param leaves_too_large: a child stack of this one that alone has too
            many does not count
        """
        rows = self.database.query(
            lambda connection: resources.list_(connection, stack.id)
        )
        level = _Level(self, stack, parsed_template, rows)
        count.add(len(parsed_template.resources))
        for each in _living(tree, stack.id):
            if level.stays(each):
                count.add(_count(tree, each.id))
        for name in parsed_template.resources:
            if not parsed_template.is_nested_stack(name):
                continue
            try:
                row, wanted = level.child(name, fetches=fetches)
            except template_errors.TooLarge:
                if not leaves_too_large:
                    raise
                continue
            child_id = ids.StackId(row.id)
            if wanted is None:
                count.add(_count(tree, child_id))
                continue
            child = dataclasses.replace(stack, id=child_id)
            self._add(child, wanted, tree, count, fetches=fetches)


class _Level:
    """One stack of the tree, with its child stacks."""

    def __init__(
        self,
        sizing: TreeSize,
        stack: stack.Stack,
        parsed_template: template.Template,
        rows: collections.abc.Sequence[resource.Resource],
    ) -> None:
        self._stack = stack
        self._parsed_template = parsed_template
        self._requested_by = sizing.requested_by
        self._rows = {row.id: row for row in rows}
        self._current = {row.name: row for row in rows if row.is_current}
        self._types = sizing.types_of(stack, parsed_template, rows)
        self._world = resource_values.StoredValues(
            stack,
            resource_values.StackRows(sizing.database, stack.id),
            self._types,
            sizing.requested_by,
            sizing.reads.begin(),
        )

    def stays(self, found: stack.Stack) -> bool:
        """Whether a child stack stays although no resource declares it."""
        row = self._rows.get(ids.ResourceId(found.id))
        if row is None or row.is_gone:
            return True
        if self._is_declared(row):
            return False
        return row.deletion_policy == "Retain"

    def child(
        self, name: str, *, fetches: bool
    ) -> tuple[resource.Resource, template.Template | None]:
        """Return the resource of a child stack, and its desired template.

        :returns: ``None`` for a template that is not known before the run
        :raises orch.template.errors.TooLarge: it alone has too many resources
        """
        row = self._current.get(name)
        declared = self._parsed_template.resources[name]
        if row is None or not self._is_declared(row):
            row = resource.Resource(
                id=ids.ResourceId(ids.new()),
                stack_id=self._stack.id,
                name=name,
                type_name=declared.declared_type,
                created_at=self._stack.created_at,
                updated_at=self._stack.created_at,
            )
        plugin: object = self._types.find(declared.type_name)
        if not isinstance(plugin, StackHolder):
            return row, None
        if plugin.fetches_definition and not fetches:
            return row, None
        try:
            return row, self._desired_value(row, plugin)
        except (errors.LimitExceeded, *outside.REFUSALS):
            raise
        except errors.OrchError:
            return row, None

    def _desired_value(
        self, row: resource.Resource, plugin: StackHolder
    ) -> template.Template | None:
        values = self._parsed_template.resolve_properties(
            row.name, self._world, marks_unknown=True
        )
        if world.has_unknown(values):
            return None
        context = contexts.build_context(self._stack, row, self._requested_by)
        return plugin.foresee(dataclasses.replace(context, properties=values))

    def _is_declared(self, row: resource.Resource) -> bool:
        declared = self._parsed_template.resources.get(row.name)
        return (
            row.is_current
            and declared is not None
            and declared.type_name == row.plugin_type
        )


def _living(
    tree: collections.abc.Iterable[stack.Stack], parent_id: ids.StackId
) -> list[stack.Stack]:
    return [
        each
        for each in tree
        if each.parent_id == parent_id and each.deleted_at is None
    ]


def _count(
    tree: collections.abc.Sequence[stack.Stack], stack_id: ids.StackId
) -> int:
    """Return how many resources a stack declares, with those below it."""
    own = sum(each.resource_count for each in tree if each.id == stack_id)
    return own + sum(_count(tree, each.id) for each in _living(tree, stack_id))
