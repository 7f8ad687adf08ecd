"""Lifecycle plug-ins that were written for Heat, called as Heat does.

They are found by Heat's own entry points and get Heat's objects of a stack
(:mod:`orch.plugin.heat_stack`). Where Heat is not installed, the module of
their base class is offered here.
"""

import collections.abc
import importlib.abc
import importlib.machinery
import sys
import types
import typing

from orch import errors
from orch.plugin import heat_stack
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation

NAMESPACE: typing.Final = "heat.stack_lifecycle_plugins"

ACTIONS: typing.Final[collections.abc.Mapping[str, str]] = (
    types.MappingProxyType(
        {
            "create": "CREATE",
            "adopt": "ADOPT",
            "check": "CHECK",
            "suspend": "SUSPEND",
            "resume": "RESUME",
            "snapshot": "SNAPSHOT",
            "update": "UPDATE",
            "rollback": "ROLLBACK",
            "restore": "RESTORE",
            "delete": "DELETE",
            "abandon": "DELETE",
        }
    )
)
"""Heat's word for each request that it calls plug-ins for."""

_CHANGES: typing.Final = frozenset({"update", "rollback", "restore"})
_MODULES: typing.Final = (
    "heat",
    "heat.engine",
    "heat.engine.lifecycle_plugin",
)


class BadClass(errors.Permanent):
    """A class lacks the methods that Heat calls."""

    code = "orch.lifecycle.bad_heat_class"


class LifecyclePlugin:
    """Base class of plug-ins for Heat, where Heat is not installed."""

    def do_pre_op(
        self,
        cnxt: object,
        stack: object,
        current_stack: object = None,
        action: str | None = None,
    ) -> None:
        """Act before an operation; an error denies it."""

    def do_post_op(
        self,
        cnxt: object,
        stack: object,
        current_stack: object = None,
        action: str | None = None,
        is_stack_failure: bool = False,
    ) -> None:
        """Act after an operation, whatever its outcome."""

    def get_ordinal(self) -> int:
        """Return the position in the order; lower ones come first."""
        return 100


class LegacyPlugin(lifecycle.LifecyclePlugin):
    """Adapts a plug-in for Heat to our interface.

    It is called for every stack of a tree, as Heat does, and not in
    previews. In updates, rollbacks and restores it gets the existing stack
    first, and as ``current_stack`` the one that it is to become: that is
    Heat's order, whatever the names say.
    """

    scope = lifecycle.Scope.EVERY_STACK
    verbs = frozenset(ACTIONS)

    def __init__(self, name: str, kind: type) -> None:
        """Create the one instance.

        :param kind: a class with Heat's methods; it need not derive from
            anything
        :raises BadClass: it lacks them
        :raises Exception: whatever its constructor raises
        """
        super().__init__(name, None)
        for method in ("do_pre_op", "do_post_op"):
            if not callable(getattr(kind, method, None)):
                raise BadClass(f"{kind.__qualname__} has no method {method}")
        self._plugin = kind()
        request = getattr(self._plugin, "get_ordinal", None)
        self.ordinal = 100 if request is None else int(request())

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> None:
        """Call ``do_pre_op``; an error denies the operation."""
        stack, current = self._stacks(operation, None)
        self._plugin.do_pre_op(
            heat_stack.build_context(operation.request),
            stack,
            current,
            ACTIONS[operation.request.verb],
        )

    def post_operation(
        self,
        operation: lifecycle_operation.LifecycleOperation,
        ended: lifecycle.OperationResult,
    ) -> None:
        """Call ``do_post_op`` with the true outcome."""
        stack, current = self._stacks(operation, ended)
        self._plugin.do_post_op(
            heat_stack.build_context(operation.request),
            stack,
            current,
            ACTIONS[operation.request.verb],
            ended.is_failure,
        )

    def _stacks(
        self,
        operation: lifecycle_operation.LifecycleOperation,
        ended: lifecycle.OperationResult | None,
    ) -> tuple[heat_stack.Stack, heat_stack.Stack | None]:
        """Return ``stack`` and ``current_stack``."""
        request = operation.request
        action = ACTIONS[request.verb]
        status, reason = "IN_PROGRESS", f"Stack {action} started"
        if ended is not None:
            status = "FAILED" if ended.is_failure else "COMPLETE"
            reason = ended.reason
        context = heat_stack.build_context(request)

        def show(view: lifecycle_operation.StackView) -> heat_stack.Stack:
            return heat_stack.Stack(view, context, action, status, reason)

        if request.verb not in _CHANGES:
            return show(operation.stack), None
        after = operation.after
        existing = operation.before if ended is None else after
        return (
            show(existing or operation.stack),
            None if after is None else show(after),
        )


def offer() -> None:
    """Make the base class importable where Heat is not installed.

    A Heat that is installed is found before this, at any time.
    """
    if not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.append(_Finder())


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds three modules of Heat that no other finder has found."""

    def find_spec(
        self,
        fullname: str,
        path: collections.abc.Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of one of the modules; ``None`` for all others."""
        if fullname not in _MODULES:
            return None
        return importlib.machinery.ModuleSpec(
            fullname, self, is_package=fullname != _MODULES[-1]
        )

    def create_module(
        self, spec: importlib.machinery.ModuleSpec
    ) -> types.ModuleType | None:
        """Leave it to the interpreter."""
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        """Set the class as an attribute of the module."""
        module.__doc__ = __doc__
        if module.__name__ == _MODULES[-1]:
            # A module in the making, which has no name of its own yet.
            module.LifecyclePlugin = LifecyclePlugin  # type: ignore[attr-defined]
