"""Park an operation: it leaves its worker while it can only wait.

It waits as a row then: for a moment, after which any worker takes it again,
or for a user. The same transactions read what was cleared meanwhile, so that
no release is missed.
"""

import collections.abc
import dataclasses
import types
import typing

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import breakpoints as stored_breakpoints
from orch.db.repositories import leases
from orch.db.repositories import signals
from orch.db.repositories import stacks
from orch.flow.state import fence
from orch.model import blocked
from orch.model import breakpoints
from orch.model import operation
from orch.model import resource
from orch.model import stack

_BLOCKED_COUNT: typing.Final = "blocked_times"
_DONE: typing.Final = "blocked_done"
"""Options of an operation: how often it was blocked without getting on, and
how far it was."""

Signals = collections.abc.Mapping[ids.ResourceId, signals.SignalData]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Park:
    """How an operation waits without a worker.

    :ivar waits: what it waits for
    :ivar pause_s: after which it goes on by itself; ``None`` when a user
        has to release it
    :ivar options: the operation's own from now on
    """

    waits: blocked.Blocked
    pause_s: float | None
    options: collections.abc.Mapping[str, object]


class SideWrites:
    """What one transaction writes and reads of held changes.

    :ivar released: breakpoints that were cleared
    :ivar new_signals: signal data of each resource that has new signals
    :ivar is_parked: the operation waits as a row now
    """

    def __init__(
        self,
        held: fence.Fence,
        stack: stack.Stack,
        *,
        changed: collections.abc.Sequence[resource.Resource] = (),
        waiting_ids: collections.abc.Collection[ids.ResourceId] = (),
        known_signals: Signals = types.MappingProxyType({}),
        checks_signals: bool = False,
        reason: str | None = None,
        waits: blocked.Blocked = blocked.NOTHING,
        park: Park | None = None,
    ) -> None:
        """Prepare :meth:`write`, which may run again.

        :param changed: rows whose breakpoints have come to another state
        :param waiting_ids: rows whose breakpoints a user may have cleared
        :param known_signals: the known signal data of each resource whose
            signals an atom waits for
        :param checks_signals: events of new signals are recorded
        :param reason: the stack's status reason from now on
        :param waits: what the stack waits for, where it has that reason
        :param park: give the worker back, unless something was cleared
        """
        self._fence = held
        self._stack = stack
        self._changed = changed
        self._waiting_ids = waiting_ids
        self._known_signals = known_signals
        self.checks_signals = checks_signals
        self._reason = reason
        self._waits = waits
        self._park = park
        self.released: dict[ids.ResourceId, breakpoints.States] = {}
        self.new_signals: dict[ids.ResourceId, signals.SignalData] = {}
        self.is_parked = False

    def write(
        self,
        connection: db_engine.Connection,
        stop_reason: operation.StopReason | None,
    ) -> None:
        """Write and read; the caller holds the lock of the operation."""
        stored_breakpoints.save_many(connection, self._changed)
        self.released = _find_released(
            stored_breakpoints.list_(
                connection, self._stack.id, self._waiting_ids
            )
        )
        self.new_signals = self._read_signals(connection)
        reason, waits = self._reason, self._waits
        has_news = self.released or self.new_signals or stop_reason
        self.is_parked = bool(self._park and not has_news)
        if self._park is not None and self.is_parked:
            waits = self._park.waits
            reason = waits.reason
            leases.park(
                connection,
                self._fence.operation_id,
                self._fence.number,
                reason=reason,
                pause_s=self._park.pause_s,
                options=self._park.options,
            )
        if reason is not None and stop_reason is None:
            stacks.update(
                connection,
                self._stack.id,
                status_reason=reason,
                blocked=waits.to_stored(),
            )

    def _read_signals(
        self, connection: db_engine.Connection
    ) -> dict[ids.ResourceId, signals.SignalData]:
        """Return the signal data that is not known yet."""
        if not self._known_signals:
            return {}
        known = self._known_signals
        found = signals.list_(connection, self._stack.id, known)
        return {
            resource_id: kept
            for resource_id, kept in found.items()
            if kept != known[resource_id]
        }


def count_blocked(operation: operation.Operation, done: int) -> int:
    """Return how often the operation was blocked without progress.

    :param done: changes that are complete by now
    """
    times, before = (
        operation.options.get(_BLOCKED_COUNT),
        operation.options.get(_DONE),
    )
    if not isinstance(times, int) or not isinstance(before, int):
        return 0
    return times if done <= before else 0


def reset_blocked_count(
    options: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    """Return the options of an operation that starts anew."""
    return {
        name: value
        for name, value in options.items()
        if name not in (_BLOCKED_COUNT, _DONE)
    }


def increase_blocked_count(
    operation: operation.Operation, done: int
) -> collections.abc.Mapping[str, object]:
    """Return the options of an operation that is blocked once more."""
    times = count_blocked(operation, done) + 1
    return {**operation.options, _BLOCKED_COUNT: times, _DONE: done}


def _find_released(
    found: collections.abc.Mapping[ids.ResourceId, breakpoints.States],
) -> dict[ids.ResourceId, breakpoints.States]:
    return {
        resource_id: hooks
        for resource_id, hooks in found.items()
        if breakpoints.RELEASED in hooks.values()
    }
