"""Views of operations for lifecycle plug-ins, built when they are read.

Plug-ins that read nothing cost an operation no more than what is loaded and
planned already. An operation that begins at a child stack is one of its root
for the plug-ins of root stacks: they see the root, with the child stack as it
is to be.
"""

import collections.abc
import dataclasses
import functools

from orch import errors
from orch.context import request
from orch.db import errors as db_errors
from orch.db.repositories import decisions
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.lifecycle import decisions as tree_decisions
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import stack_views
from orch.engine.lifecycle import stacks_before
from orch.engine.plan_tree import nested
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.flow.state import restoration
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values
from orch.template import template

FindDeps = collections.abc.Callable[[], dependencies.Dependencies]
StackView = lifecycle_operation.StackView


@dataclasses.dataclass(frozen=True, kw_only=True)
class View:
    """The view of a request that changes no resource; the base of others.

    :ivar stack: the stack as it is now; ``None`` where there is none
    :ivar path: of the stack in its tree
    :ivar run: the calls that it is shown for; ``None`` for no call
    :ivar find_redacts: returns what is redacted in the stack
    :ivar is_of_root: the root is shown, with the stack within
    """

    deps: dependencies.Dependencies
    ctxt: request.RequestContext
    stack: stack_model.Stack | None
    find_redacts: collections.abc.Callable[[], redaction.Redaction]
    path: str = ""
    run: model.Run | None = None
    is_of_root: bool = False

    def before(self) -> StackView | None:
        """Return the stack as it was before the operation."""
        path = "" if self.is_of_root else self.path
        return stacks_before.find_stack(
            self.deps.database, self.run, path
        ) or self._placed(self._before())

    def after(self) -> StackView | None:
        """Return the stack as the operation leaves it."""
        return self._placed(self._after())

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return the plan of the operation, as the API shows plans."""
        return {}

    def decisions(self) -> tree_decisions.ByPlugin:
        """Return the decisions in the tree: by plug-in, then by path."""
        if self.stack is None:
            return {}
        root_id = self.stack.root_id
        return tree_decisions.by_plugin(
            self.deps.database.query(
                lambda connection: decisions.list_(connection, root_id)
            )
        )

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

    def _before(self) -> StackView | None:
        """Return the stack as its rows are now; ``None`` where it is gone."""
        if self.stack is None:
            return None
        rows = self.deps.database.query(
            functools.partial(resources.list_, stack_id=self.stack.id)
        )
        return self._view(self.stack, rows)

    def _after(self) -> StackView | None:
        return self._before()

    def _view(
        self,
        stack: stack_model.Stack,
        rows: collections.abc.Sequence[resource.Resource],
    ) -> StackView:
        parsed_template = stack_views.find_template(self.deps, stack)
        look = stack_views.ViewSettings(
            self.deps, self.ctxt, self.find_redacts()
        )
        return stack_views.current_view(
            look, stack, rows, parsed_template, self.path
        )

    def _placed(self, shown: StackView | None) -> StackView | None:
        """Return a view of the stack, within its root if that is shown."""
        if self.stack is None or not self.is_of_root:
            return shown
        root_id = self.stack.root_id
        root = self.deps.database.query(
            lambda connection: stacks.find(connection, root_id)
        )
        around = unchanged_view(self.deps, self.ctxt, root, "").after()
        return stack_views.graft(around, self.path.split("/"), shown)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlannedView(View):
    """The view of an operation that is only previewed.

    :ivar find_planned: returns the planned stack
    """

    find_planned: collections.abc.Callable[[], nested.PlannedStack]

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return the plan of the operation, as the API shows plans."""
        return self.find_planned().shown()

    def _after(self) -> StackView | None:
        return stack_views.desired_view(
            self.deps, self.ctxt, self.find_planned(), self.path
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class OperationView(PlannedView):
    """The view of an operation before its run, or after it.

    :ivar phase: of the calls
    """

    found: situation.Situation
    phase: str

    def decisions(self) -> tree_decisions.ByPlugin:
        """Return the decisions in the tree: by plug-in, then by path."""
        return {
            plugin: dict(values)
            for plugin, values in list(self.found.decided.items())
        }

    def _before(self) -> StackView | None:
        """Return the stack as it was when the operation started."""
        operation, loaded = self.found.operation, self.found.loaded
        attempt = operation.attempt if self.run is None else self.run.attempt
        if restoration.begins_stack(operation) and attempt == 1:
            return None
        before = _stack_before(loaded.stack, operation)
        return self._view(before, loaded.rows)

    def _after(self) -> StackView | None:
        """Return the stack as planned, or as it is after the run."""
        if self.phase == model.PRE:
            return super()._after()
        store = self.found.store
        rows = tuple(store.rows.values())
        is_deletion = self.found.operation.action is states.Action.DELETE
        if is_deletion and not any(row.is_in_place for row in rows):
            return None
        return self._view(store.stack, rows)


def unchanged_view(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack_model.Stack | None,
    path: str,
    run: model.Run | None = None,
) -> View:
    """Return the view of a request that changes no resource of a stack."""
    return View(
        deps=deps,
        ctxt=ctxt,
        stack=stack,
        find_redacts=lambda: (
            redaction.BLIND
            if stack is None
            else _redaction_of(deps, stack, None)
        ),
        path=path,
        run=run,
    )


def show_preview(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    asked: lifecycle_operation.OperationRequest,
    stack: stack_model.Stack | None,
    planned: nested.PlannedStack,
    path: str,
) -> situation.OperationOf:
    """Return what plug-ins see of an operation that is only planned.

    :param stack: the stack as it is now; ``None`` before its creation
    :param path: of the stack in its tree
    """
    view = PlannedView(
        deps=deps,
        ctxt=ctxt,
        stack=stack,
        find_redacts=lambda: planned.redacts,
        path=path,
        find_planned=lambda: planned,
    )
    return operations_by_scope(asked, view)


def show_operation(
    find_deps: FindDeps,
    found: situation.Situation,
    asked: lifecycle_operation.OperationRequest,
    phase: str,
) -> situation.OperationOf:
    """Return what the pre-ops or the post-ops of an operation see.

    :param find_deps: returns the parts of the worker, which are built later
    """
    deps, loaded, operation = find_deps(), found.loaded, found.operation
    ctxt = request.RequestContext.from_stored(operation.context)
    find_redacts = functools.cache(
        lambda: _redaction_of(deps, loaded.stack, loaded.parsed_template)
    )

    @functools.cache
    def find_planned() -> nested.PlannedStack:
        return nested.plan_tree(deps, ctxt, loaded, operation, find_redacts())

    view = OperationView(
        deps=deps,
        ctxt=ctxt,
        stack=loaded.stack,
        find_redacts=find_redacts,
        path=found.path,
        run=found.run,
        find_planned=find_planned,
        found=found,
        phase=phase,
    )
    return operations_by_scope(asked, view)


def operations_by_scope(
    asked: lifecycle_operation.OperationRequest, view: View
) -> situation.OperationOf:
    """Return a function that gives an operation as each plug-in sees it.

    :param view: shows the stack where it begins
    """
    if view.path and not asked.paths:
        asked = dataclasses.replace(asked, paths=(view.path,))
    own = of_root = lifecycle_operation.LifecycleOperation(asked, view)
    if view.path:
        of_root = lifecycle_operation.LifecycleOperation(
            asked, dataclasses.replace(view, is_of_root=True)
        )
    return lambda member: (
        own if member.plugin.scope is lifecycle.Scope.EVERY_STACK else of_root
    )


def _redaction_of(
    deps: dependencies.Dependencies,
    stack: stack_model.Stack,
    parsed_template: template.Template | None,
) -> redaction.Redaction:
    """Return what is redacted in a stack: all where a template is gone."""
    try:
        return tree_secrets.find_redaction(deps, stack, parsed_template)
    except db_errors.DatabaseDown:
        raise
    except errors.OrchError:
        return redaction.BLIND


def _stack_before(
    stack: stack_model.Stack, operation: operation_model.Operation
) -> stack_model.Stack:
    """Return the stack as it was before the operation."""
    before = operation.options.get(restoration.BEFORE)
    if before is None:
        return stack
    return dataclasses.replace(
        stack, **restoration.columns_of(before, has_state=True)
    )
