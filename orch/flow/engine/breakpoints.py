"""Decide which changes breakpoints hold, before them or after them."""

import collections.abc
import types
import typing

from orch import ids
from orch.flow.state import store
from orch.model import breakpoints
from orch.model import resource
from orch.model import states
from orch.planner import plan

HooksOf = collections.abc.Callable[[str], collections.abc.Collection[str]]
"""Gives the breakpoints that the environment sets at a resource."""

_ACTIONS: typing.Final = types.MappingProxyType(
    {
        plan.Kind.CREATE: states.Action.CREATE,
        plan.Kind.ADOPT: states.Action.CREATE,
        plan.Kind.UPDATE: states.Action.UPDATE,
        plan.Kind.DELETE: states.Action.DELETE,
        plan.Kind.RETAIN: states.Action.DELETE,
    }
)


class Gate:
    """Decides which changes an engine has to hold; this one holds none."""

    def holds_before(self, change: plan.Change) -> bool:
        """Whether the change must not start yet."""
        return False

    def holds_behind(self, change: plan.Change) -> bool:
        """Whether the dependents of the complete change must not start."""
        return False


class BreakpointGate(Gate):
    """Holds the changes at which an environment sets breakpoints.

    A replacement is a creation, and the update of the incarnation before it:
    it stops where either does. An update stops before a resource that it
    leaves as it is, too, as in Heat.
    """

    def __init__(self, rows: store.Store, hooks_of: HooksOf) -> None:
        """Hold nothing yet.

        :param hooks_of: returns the breakpoints of a name
        """
        self._rows = rows
        self._hooks_of = hooks_of
        self._changed: dict[ids.ResourceId, None] = {}
        self._waiting: dict[ids.ResourceId, str] = {}

    @property
    def waiting(self) -> collections.abc.Mapping[ids.ResourceId, str]:
        """The breakpoint that each held resource waits at."""
        return self._waiting

    def take_changed(self) -> list[resource.Resource]:
        """Return, once, the rows whose breakpoints have to be written."""
        changed = [self._rows.rows[each] for each in self._changed]
        self._changed.clear()
        return changed

    def release(
        self,
        found: collections.abc.Mapping[ids.ResourceId, breakpoints.States],
    ) -> None:
        """Take in the breakpoints that users have cleared."""
        for resource_id, hooks in found.items():
            self._rows.rows.remember(resource_id, hooks=hooks)

    def holds_before(self, change: plan.Change) -> bool:
        """Whether the change must not start yet."""
        acting = self._rows.acting(change)
        if acting is None or self._find_action(acting) is None:
            return False
        if not self._hooks_of(acting.name) or self._may_be_needless(acting):
            return False
        return self._waits(acting, "pre")

    def holds_behind(self, change: plan.Change) -> bool:
        """Whether the dependents of the complete change must not start.

        A breakpoint that an earlier run has reached holds each change of its
        resource in the plan of this one.
        """
        if change.kind is plan.Kind.CLEAN_UP:
            return False
        acting = self._rows.acting(change) or change
        if not self._hooks_of(acting.name):
            return False
        if acting.kind in _ACTIONS and self._rows.acting(change) is not None:
            return self._waits(acting, "post")
        known = self._states(acting.resource_id)
        return any(
            self._is_closed(acting.resource_id, name)
            for name in known
            if name.startswith("post")
        )

    def _may_be_needless(self, change: plan.Change) -> bool:
        """Whether a removal may be of an incarnation not replaced."""
        if change.is_certain or change.kind not in plan.REMOVING:
            return False
        return self._rows.rows[change.resource_id].replaced_by is None

    def _waits(self, change: plan.Change, when: str) -> bool:
        """Pass each breakpoint in turn, and stop at one that is closed."""
        hook_names = self._hooks_of(change.name)
        for action in self._actions(change, when):
            name = f"{when}-{action.lower()}"
            if name not in hook_names:
                continue
            resource_id = _find_incarnation(change, name)
            if name not in self._states(resource_id):
                self._note(
                    resource_id,
                    name,
                    breakpoints.WAITING,
                    f"{action} paused until Hook {name} is cleared",
                )
            if self._is_closed(resource_id, name):
                return True
        return False

    def _find_action(self, change: plan.Change) -> states.Action | None:
        """Return the action of a change that breakpoints apply to."""
        if change.kind is not plan.Kind.READ:
            return _ACTIONS.get(change.kind)
        operation = self._rows.operation
        # What this operation has made or changed has been stopped for.
        is_old = (
            self._rows.rows[change.resource_id].operation_id != operation.id
        )
        is_update = operation.action is states.Action.UPDATE
        return states.Action.UPDATE if is_update and is_old else None

    def _is_closed(self, resource_id: ids.ResourceId, name: str) -> bool:
        """Whether the breakpoint is not cleared; record it if it is."""
        state = self._states(resource_id)[name]
        if state == breakpoints.WAITING:
            self._waiting[resource_id] = name
            return True
        if state == breakpoints.RELEASED:
            self._waiting.pop(resource_id, None)
            self._note(
                resource_id,
                name,
                breakpoints.CLEARED,
                f"Hook {name} is cleared",
            )
        return False

    def _states(self, resource_id: ids.ResourceId) -> breakpoints.States:
        row = self._rows.rows[resource_id]
        return breakpoints.states_of(row, self._rows.operation.id)

    def _note(
        self, resource_id: ids.ResourceId, name: str, state: str, reason: str
    ) -> None:
        row = self._rows.rows[resource_id]
        operation = self._rows.operation.id
        hooks = breakpoints.with_state(row, operation, name, state)
        self._rows.rows.remember(resource_id, hooks=hooks)
        self._rows.record_breakpoint(resource_id, (name, state), reason)
        self._changed[resource_id] = None

    def _actions(
        self, change: plan.Change, when: str
    ) -> tuple[states.Action, ...]:
        """Return the actions of a change on its resource, in order."""
        action = self._find_action(change)
        if action is None:
            return ()
        if change.replaces is None or action is not states.Action.CREATE:
            return (action,)
        if not self._rows.rows[change.replaces].is_in_place:
            return (action,)
        both = (states.Action.UPDATE, action)
        return both if when == "pre" else both[::-1]


def _find_incarnation(change: plan.Change, name: str) -> ids.ResourceId:
    """Return the incarnation that exists when a breakpoint is reached."""
    if name == breakpoints.BEFORE_UPDATE and change.replaces is not None:
        return change.replaces
    return change.resource_id
