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
from orch.engine.execution import planning
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
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values
from orch.template import template

ByPlugin = collections.abc.Mapping[str, collections.abc.Mapping[str, object]]
_BEGINNING = frozenset({states.Action.CREATE, states.Action.ADOPT})


class RunView:
    """What the views before and after a run have in common."""

    def __init__(
        self, deps: dependencies.Dependencies, found: situation.Situation
    ) -> None:
        """Read nothing yet."""
        self._deps = deps
        self._operation = found.operation
        self._loaded = found.loaded
        self._found = found
        self._ctxt = request.RequestContext.from_stored(
            found.operation.context
        )

    def before(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it was when the operation started."""
        operation, run = self._operation, self._found.run
        attempt = operation.attempt if run is None else run.attempt
        if operation.action in _BEGINNING and attempt == 1:
            return None
        return stacks_before.find_stack(
            self._deps.database, run, self._found.path
        ) or self._current_view(
            _stack_before(self._loaded.stack, operation), self._loaded.rows
        )

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return the plan of the operation, as the API shows plans."""
        return self._planned.shown()

    def decisions(self) -> ByPlugin:
        """Return the decisions in the tree: by plug-in, then by path."""
        by_path = self._found.decided
        found: dict[str, dict[str, object]] = {}
        for path in list(by_path):
            for plugin, value in dict(by_path[path]).items():
                found.setdefault(plugin, {})[path] = value
        return found

    def decisions_elsewhere(
        self, plugin: str
    ) -> tuple[lifecycle_operation.StoredDecision, ...]:
        """Return the decisions of a plug-in in other trees."""
        return other_decisions(self._deps, plugin, self._loaded.stack.root_id)

    def _current_view(
        self,
        stack: stack_model.Stack,
        rows: collections.abc.Sequence[resource.Resource],
    ) -> lifecycle_operation.StackView:
        parsed_template = stack_views.find_template(self._deps, stack)
        return stack_views.current_view(
            stack_views.ViewSettings(self._deps, self._ctxt, self._redacts),
            stack,
            rows,
            parsed_template,
            self._found.path,
        )

    @functools.cached_property
    def _redacts(self) -> redaction.Redaction:
        return _redaction_of(
            self._deps, self._loaded.stack, self._loaded.parsed_template
        )

    @functools.cached_property
    def _planned(self) -> nested.PlannedStack:
        deps, loaded = self._deps, self._loaded
        types = deps.types_of(
            loaded.stack, loaded.parsed_template, self._ctxt, loaded.rows
        )
        planned = planning.build_plan(
            loaded, self._operation, types, shows_all=True
        )
        return nested.plan_tree(
            deps, self._ctxt, planned, loaded, self._operation, self._redacts
        )


class ViewBefore(RunView):
    """The view of an operation before its run."""

    def after(self) -> lifecycle_operation.StackView | None:
        """Return the stack as the plan will leave it."""
        return desired_view(
            self._deps, self._ctxt, self._planned, self._found.path
        )


class ViewAfter(RunView):
    """The view of an operation that has ended."""

    def after(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it is now; ``None`` when no resource is left."""
        rows = tuple(self._found.store.rows.values())
        is_deletion = self._operation.action is states.Action.DELETE
        if is_deletion and not any(row.is_in_place for row in rows):
            return None
        return self._current_view(self._found.store.stack, rows)


@dataclasses.dataclass(frozen=True, slots=True)
class PreviewView:
    """The view of an operation that is only previewed.

    :ivar stack: the stack as it is now; ``None`` before its creation
    """

    deps: dependencies.Dependencies
    ctxt: request.RequestContext
    stack: stack_model.Stack | None
    planned: nested.PlannedStack

    def before(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it is now."""
        if self.stack is None:
            return None
        look = stack_views.ViewSettings(
            self.deps, self.ctxt, self.planned.redacts
        )
        return _read_view(look, self.stack)

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

    def decisions(self) -> ByPlugin:
        """Return the decisions in the tree: by plug-in, then by path."""
        return (
            {} if self.stack is None else tree_decisions(self.deps, self.stack)
        )

    def decisions_elsewhere(
        self, plugin: str
    ) -> tuple[lifecycle_operation.StoredDecision, ...]:
        """Return the decisions of a plug-in in other trees."""
        root_id = self.stack.root_id if self.stack else ""
        return other_decisions(self.deps, plugin, root_id)


@dataclasses.dataclass(frozen=True, slots=True)
class UnchangedView:
    """The view of a request that changed nothing.

    :ivar stack: the stack; ``None`` where it is gone
    :ivar path: of the stack in its tree
    :ivar run: the calls that it is shown for; ``None`` for no call
    """

    deps: dependencies.Dependencies
    ctxt: request.RequestContext
    stack: stack_model.Stack | None
    path: str = ""
    run: model.Run | None = None

    def before(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it was before the request."""
        database = self.deps.database
        return (
            stacks_before.find_stack(database, self.run, self.path)
            or self.after()
        )

    def after(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it is now."""
        stack = self.stack
        if stack is None:
            return None
        redacts = _redaction_of(self.deps, stack, None)
        return _read_view(
            stack_views.ViewSettings(self.deps, self.ctxt, redacts), stack
        )

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return an empty plan."""
        return {}

    def decisions(self) -> ByPlugin:
        """Return the decisions in the tree: by plug-in, then by path."""
        return (
            {} if self.stack is None else tree_decisions(self.deps, self.stack)
        )

    def decisions_elsewhere(
        self, plugin: str
    ) -> tuple[lifecycle_operation.StoredDecision, ...]:
        """Return the decisions of a plug-in in other trees."""
        root_id = self.stack.root_id if self.stack else ""
        return other_decisions(self.deps, plugin, root_id)


def _read_view(
    look: stack_views.ViewSettings, stack: stack_model.Stack
) -> lifecycle_operation.StackView:
    """Return a stack as its rows are now."""

    def read(
        connection: db_engine.Connection,
    ) -> tuple[list[resource.Resource], str]:
        return (
            resources.list_(connection, stack.id),
            tree_paths.path_of(connection, stack),
        )

    rows, path = look.deps.database.query(read)
    parsed_template = stack_views.find_template(look.deps, stack)
    return stack_views.current_view(look, stack, rows, parsed_template, path)


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


def tree_decisions(
    deps: dependencies.Dependencies, stack: stack_model.Stack
) -> ByPlugin:
    """Return the decisions of a tree: by plug-in, then by path."""
    found: dict[str, dict[str, object]] = {}
    for each in deps.database.query(
        lambda connection: decisions.list_(connection, stack.root_id)
    ):
        found.setdefault(each.plugin, {})[each.path] = each.value
    return found


def other_decisions(
    deps: dependencies.Dependencies, plugin: str, root_id: str
) -> tuple[lifecycle_operation.StoredDecision, ...]:
    """Return a plug-in's decisions for trees other than this one."""
    found = deps.database.query(
        lambda connection: decisions.list_by_plugin(connection, plugin)
    )
    return tuple(
        lifecycle_operation.StoredDecision(
            root_id=each.root_id,
            path=each.path,
            value=read_only_values.freeze(each.value),
            earlier=tuple(map(read_only_values.freeze, each.earlier_values)),
        )
        for each in found
        if each.root_id != root_id
    )


def desired_view(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: nested.PlannedStack,
    path: str,
) -> lifecycle_operation.StackView | None:
    """Return a stack as planned; ``None`` when it is deleted."""
    parsed_template = found.loaded.parsed_template
    if parsed_template is None:
        return None
    look = stack_views.ViewSettings(deps, ctxt, found.redacts)
    return stack_views.planned_view(
        look,
        _PlannedStack(look, found, parsed_template, path),
        found.loaded.stack,
        path,
    )


class _PlannedStack:
    """The resources of one stack as they are known before the run."""

    def __init__(
        self,
        look: stack_views.ViewSettings,
        found: nested.PlannedStack,
        parsed_template: template.Template,
        path: str,
    ) -> None:
        self.parsed_template = parsed_template
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

    def row(self, name: str) -> resource.Resource | None:
        """Return the current resource of a name, if it is not replaced."""
        change = self._changes.get(name)
        if change is not None and change.replaces is not None:
            return None
        row = self._rows.get(name)
        return None if row is None or row.is_gone else row

    def properties(self, name: str) -> collections.abc.Mapping[str, object]:
        """Return the desired properties, unknown ones marked."""
        difference = self._found.planned.differences.get(name)
        if difference is not None:
            return difference.after or {}
        row = self._rows.get(name)
        return {} if row is None else row.properties

    def find_child(
        self, name: str, path: str
    ) -> lifecycle_operation.StackView | None:
        """Return the planned child stack of a resource, if it is known."""
        change = self._changes.get(name)
        if change is None:
            row = self._rows.get(name)
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
