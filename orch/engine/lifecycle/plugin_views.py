"""What each plug-in sees of an operation: the root stack, or its own stack.

An operation that begins at a child stack is one of its root for the plug-ins
of root stacks: they see the root, with the child stack as it is to be.
"""

import collections.abc
import dataclasses

from orch.context import request
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import stack_views
from orch.engine.lifecycle import stacks_before
from orch.engine.lifecycle import views
from orch.model import lifecycle as model
from orch.model import stack as stack_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order

OperationOf = situation.OperationOf
FindDeps = collections.abc.Callable[[], dependencies.Dependencies]


def show_operation(
    find_deps: FindDeps,
    found: situation.Situation,
    asked: lifecycle_operation.OperationRequest,
    phase: str,
) -> OperationOf:
    """Return what the pre-ops or the post-ops of an operation see.

    :param find_deps: returns the parts of the worker, which are built later
    """
    deps, stack = find_deps(), found.loaded.stack
    ctxt = request.RequestContext.from_stored(found.operation.context)
    view = views.ViewAfter if phase == model.POST else views.ViewBefore
    return operations_by_scope(
        deps,
        ctxt,
        asked,
        view(deps, ctxt, stack, found),
        stack,
        found.path,
        found.run,
    )


def operations_by_scope(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    asked: lifecycle_operation.OperationRequest,
    source: lifecycle_operation.Source,
    stack: stack_model.Stack,
    path: str,
    run: model.Run | None = None,
) -> OperationOf:
    """Return a function that gives an operation as each plug-in sees it.

    :param source: shows the stack where it begins
    :param path: of that stack in its tree
    :param run: the calls that it is shown for; ``None`` for no call
    """
    if path and not asked.paths:
        asked = dataclasses.replace(asked, paths=(path,))
    own = lifecycle_operation.LifecycleOperation(asked, source)
    if not path:
        return lambda member: own
    of_root = lifecycle_operation.LifecycleOperation(
        asked, _RootView(deps, ctxt, source, stack, path, run)
    )

    def operation_of(
        member: lifecycle_order.OrderedPlugin,
    ) -> lifecycle_operation.LifecycleOperation:
        is_own = member.plugin.scope is lifecycle.Scope.EVERY_STACK
        return own if is_own else of_root

    return operation_of


@dataclasses.dataclass(frozen=True, slots=True)
class _RootView:
    """The view of an operation that begins at a child stack, from its root.

    :ivar source: shows the child stack
    :ivar path: of the child stack
    :ivar run: the calls that it is shown for; ``None`` for no call
    """

    deps: dependencies.Dependencies
    ctxt: request.RequestContext
    source: lifecycle_operation.Source
    stack: stack_model.Stack
    path: str
    run: model.Run | None

    def before(self) -> lifecycle_operation.StackView | None:
        """Return the root stack, with the child stack as it was."""
        return stacks_before.find_stack(
            self.deps.database, self.run, ""
        ) or self._around(self.source.before())

    def after(self) -> lifecycle_operation.StackView | None:
        """Return the root stack, with the child stack as it is to be."""
        return self._around(self.source.after())

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return the plan of the child stack."""
        return self.source.plan()

    def decisions(self) -> views.ByPlugin:
        """Return the decisions in the tree: by plug-in, then by path."""
        return self.source.decisions()

    def decisions_elsewhere(
        self, plugin: str
    ) -> tuple[lifecycle_operation.StoredDecision, ...]:
        """Return the decisions of a plug-in in other trees."""
        return self.source.decisions_elsewhere(plugin)

    def _around(
        self, child: lifecycle_operation.StackView | None
    ) -> lifecycle_operation.StackView | None:
        root = self.deps.database.query(
            lambda connection: stacks.find(connection, self.stack.root_id)
        )
        found = views.UnchangedView(self.deps, self.ctxt, root).after()
        return _grafted(found, self.path.split("/"), child)


def _grafted(
    around: lifecycle_operation.StackView | None,
    path: list[str],
    child: lifecycle_operation.StackView | None,
) -> lifecycle_operation.StackView | None:
    """Return a stack with another view of the child stack at a path."""
    if not path or around is None:
        return child if not path else around
    resources = around.resources

    def make(name: str) -> lifecycle_operation.ResourceView:
        found = resources[name]
        if name != path[0]:
            return found
        below = _grafted(found.child_stack, path[1:], child)
        return dataclasses.replace(found, child_stack=below)

    return dataclasses.replace(
        around, resources=stack_views.LazyMapping(resources, make)
    )
