"""Views of operations for lifecycle plug-ins, built when they are read.

Each part is built when it is read: plug-ins that read nothing cost an
operation no more than what is loaded and planned already.
"""

import collections.abc
import dataclasses
import functools

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import decisions
from orch.db.repositories import resources
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import stack_views
from orch.engine.lifecycle import stacks_before
from orch.engine.plan_tree import nested
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.flow.state import restoration
from orch.model import lifecycle as model
from orch.model import operation
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.planner import plan
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values
from orch.template import template
from orch.template import world

ByPlugin = collections.abc.Mapping[str, collections.abc.Mapping[str, object]]
_BEGINNING = frozenset({states.Action.CREATE, states.Action.ADOPT})


@dataclasses.dataclass(frozen=True)
class TreeView:
    """What all views have in common.

    :ivar stack: the stack as it is now; ``None`` where there is none
    """

    deps: dependencies.Dependencies
    ctxt: request.RequestContext
    stack: stack_model.Stack | None

    def decisions(self) -> ByPlugin:
        """Return the decisions in the tree: by plug-in, then by path."""
        found: dict[str, dict[str, object]] = {}
        stack = self.stack
        if stack is not None:
            for each in self.deps.database.query(
                lambda connection: decisions.list_(connection, stack.root_id)
            ):
                found.setdefault(each.plugin, {})[each.path] = each.value
        return found

    def decisions_elsewhere(
        self, plugin: str
    ) -> tuple[lifecycle_operation.StoredDecision, ...]:
        """Return the decisions of a plug-in in other trees."""
        own = "" if self.stack is None else self.stack.root_id
        found = self.deps.database.query(
            lambda connection: decisions.list_by_plugin(connection, plugin)
        )
        return tuple(
            lifecycle_operation.StoredDecision(
                root_id=each.root_id,
                path=each.path,
                value=read_only_values.freeze(each.value),
                earlier=tuple(
                    map(read_only_values.freeze, each.earlier_values)
                ),
            )
            for each in found
            if each.root_id != own
        )

    def _current_view(
        self, redacts: redaction.Redaction
    ) -> lifecycle_operation.StackView | None:
        """Return the stack as its rows are now; ``None`` where it is gone."""
        stack = self.stack
        if stack is None:
            return None

        def read(
            connection: db_engine.Connection,
        ) -> tuple[list[resource.Resource], str]:
            return (
                resources.list_(connection, stack.id),
                tree_paths.path_of(connection, stack),
            )

        rows, path = self.deps.database.query(read)
        return self._view(stack, rows, redacts, path)

    def _view(
        self,
        stack: stack_model.Stack,
        rows: collections.abc.Sequence[resource.Resource],
        redacts: redaction.Redaction,
        path: str,
    ) -> lifecycle_operation.StackView:
        parsed_template = stack_views.find_template(self.deps, stack)
        look = stack_views.ViewSettings(self.deps, self.ctxt, redacts)
        return stack_views.current_view(
            look, stack, rows, parsed_template, path
        )


@dataclasses.dataclass(frozen=True)
class ViewBefore(TreeView):
    """The view of an operation before its run."""

    found: situation.Situation

    def before(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it was when the operation started."""
        found, run = self.found, self.found.run
        operation, loaded = found.operation, found.loaded
        attempt = operation.attempt if run is None else run.attempt
        if operation.action in _BEGINNING and attempt == 1:
            return None
        return stacks_before.find_stack(
            self.deps.database, run, found.path
        ) or self._view(
            _stack_before(loaded.stack, operation),
            loaded.rows,
            self._redacts,
            found.path,
        )

    def after(self) -> lifecycle_operation.StackView | None:
        """Return the stack as the plan will leave it."""
        return desired_view(
            self.deps, self.ctxt, self._planned, self.found.path
        )

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return the plan of the operation, as the API shows plans."""
        return self._planned.shown()

    def decisions(self) -> ByPlugin:
        """Return the decisions in the tree: by plug-in, then by path."""
        by_path = self.found.decided
        found: dict[str, dict[str, object]] = {}
        for path in list(by_path):
            for plugin, value in dict(by_path[path]).items():
                found.setdefault(plugin, {})[path] = value
        return found

    @functools.cached_property
    def _redacts(self) -> redaction.Redaction:
        loaded = self.found.loaded
        return _redaction_of(self.deps, loaded.stack, loaded.parsed_template)

    @functools.cached_property
    def _planned(self) -> nested.PlannedStack:
        deps, loaded, operation = (
            self.deps,
            self.found.loaded,
            self.found.operation,
        )
        return nested.plan_tree(
            deps, self.ctxt, loaded, operation, self._redacts
        )


class ViewAfter(ViewBefore):
    """The view of an operation that has ended."""

    def after(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it is now; ``None`` when no resource is left."""
        store = self.found.store
        rows = tuple(store.rows.values())
        is_deletion = self.found.operation.action is states.Action.DELETE
        if is_deletion and not any(row.is_in_place for row in rows):
            return None
        return self._view(store.stack, rows, self._redacts, self.found.path)


@dataclasses.dataclass(frozen=True)
class PreviewView(TreeView):
    """The view of an operation that is only previewed."""

    planned: nested.PlannedStack

    def before(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it is now; ``None`` before its creation."""
        return self._current_view(self.planned.redacts)

    def after(self) -> lifecycle_operation.StackView | None:
        """Return the stack as the plan will leave it."""
        path = ""
        if self.stack is not None and self.stack.parent_id is not None:
            stack = self.stack
            path = self.deps.database.query(
                lambda connection: tree_paths.path_of(connection, stack)
            )
        return desired_view(self.deps, self.ctxt, self.planned, path)

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return the plan, as the API shows plans."""
        return self.planned.shown()


@dataclasses.dataclass(frozen=True)
class UnchangedView(TreeView):
    """The view of a request that changed nothing.

    :ivar path: of the stack in its tree
    :ivar run: the calls that it is shown for; ``None`` for no call
    """

    path: str = ""
    run: model.Run | None = None

    def before(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it was before the request."""
        return (
            stacks_before.find_stack(self.deps.database, self.run, self.path)
            or self.after()
        )

    def after(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it is now; ``None`` where it is gone."""
        if self.stack is None:
            return None
        return self._current_view(_redaction_of(self.deps, self.stack, None))

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return an empty plan."""
        return {}


def _redaction_of(
    deps: dependencies.Dependencies,
    before: stack_model.Stack,
    parsed_template: template.Template | None,
) -> redaction.Redaction:
    """Return what is redacted in a stack: all where a template is gone."""
    try:
        return tree_secrets.find_redaction(deps, before, parsed_template)
    except db_errors.DatabaseDown:
        raise
    except errors.OrchError:
        return redaction.BLIND


def desired_view(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: nested.PlannedStack,
    path: str,
) -> lifecycle_operation.StackView | None:
    """Return a stack as planned; ``None`` when it is deleted."""
    if found.loaded.parsed_template is None:
        return None
    look = stack_views.ViewSettings(deps, ctxt, found.redacts)
    return _PlannedStack(
        look, found, found.loaded.parsed_template, path
    ).view()


class _PlannedStack:
    """The resources of one stack as they are known before the run."""

    def __init__(
        self,
        look: stack_views.ViewSettings,
        found: nested.PlannedStack,
        parsed_template: template.Template,
        path: str,
    ) -> None:
        self._parsed_template = parsed_template
        self._look = look
        self._found = found
        self._path = path
        self._rows = {
            row.name: row for row in found.loaded.rows if row.is_current
        }
        self._changes = {
            each.name: each
            for each in found.planned.changes
            if found.children.is_bringing(each)
        }

    def view(self) -> lifecycle_operation.StackView:
        """Return the stack as the plan will leave it."""
        return stack_views.build_view(
            self._look,
            self._found.loaded.stack,
            self._parsed_template,
            self._path,
            stack_views.LazyMapping(
                self._parsed_template.resources, self._resource
            ),
            {},
        )

    def _resource(self, name: str) -> lifecycle_operation.ResourceView:
        """Return a resource: its row, if it is not replaced, as desired."""
        declared = self._parsed_template.resources[name]
        change, row = self._changes.get(name), self._rows.get(name)
        path = tree_paths.below(self._path, name)
        child = self._find_child(change, row, path)
        difference = self._found.planned.differences.get(name)
        if difference is not None:
            properties = difference.after or {}
        else:
            properties = {} if row is None else row.properties
        is_replaced = change is not None and change.replaces is not None
        if is_replaced or (row is not None and row.is_gone):
            row = None
        return lifecycle_operation.ResourceView(
            name=name,
            path=path,
            type_name=declared.declared_type,
            properties=self._look.properties(properties),
            metadata=self._look.frozen(self._metadata(name)),
            requires=tuple(declared.requires),
            physical_id=row.physical_id if row else None,
            action=row.action.value if row else "",
            status=row.status.value if row else "",
            child_stack=child,
        )

    def _metadata(self, name: str) -> collections.abc.Mapping[str, object]:
        try:
            return self._parsed_template.resolve_metadata(
                name, world.EmptyWorld()
            )
        except world.NotYetKnown:
            return {}

    def _find_child(
        self,
        change: plan.Change | None,
        row: resource.Resource | None,
        path: str,
    ) -> lifecycle_operation.StackView | None:
        """Return the planned child stack of a resource, if it is known."""
        if change is None:
            if row is None:
                return None
            return stack_views.current_child_view(self._look, row, path)
        try:
            found = self._found.children.find(change)
        except errors.OrchError:
            return None
        if found is None:
            return None
        return desired_view(self._look.deps, self._look.ctxt, found, path)


def _stack_before(
    stack: stack_model.Stack, operation: operation.Operation
) -> stack_model.Stack:
    """Return the stack as it was before the operation."""
    before = operation.options.get(restoration.BEFORE)
    if before is None:
        return stack
    return dataclasses.replace(
        stack, **restoration.columns_of(before, has_state=True)
    )
