"""Stores the calls and decisions of plug-ins around an operation.

They are written with what the run writes anyway. Only before calls that must
not be forgotten, and after calls that took long, the runner makes a write for
them.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.db.repositories import lifecycle
from orch.engine.lifecycle import decisions as tree_decisions
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import stacks_before
from orch.engine.lifecycle import transitions
from orch.events import scaling
from orch.flow.state import conclusion as endings
from orch.flow.state import hooks
from orch.flow.state import store as state_store
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.plugin import lifecycle_order

WRITE_AFTER_S: typing.Final = 0.05
"""Calls are stored at least this often, while there are any."""
_DUE: typing.Final = frozenset({model.Stage.OPENING, model.Stage.CLOSING})


@dataclasses.dataclass(slots=True, eq=False)
class Entry:
    """The calls of one chain of plug-ins.

    :ivar run: their state
    :ivar loaded: the state that an earlier worker has stored; ``None`` for
        none
    :ivar stored: the state that is stored; ``None`` for none
    :ivar before: the stacks before the operation, until they are stored
    :ivar is_owed: of an earlier attempt, or of a move before the operation
    """

    run: model.Run
    loaded: model.Run | None = None
    stored: model.Run | None = None
    before: bytes | None = None
    is_owed: bool = False

    @property
    def phase(self) -> str:
        """Return the phase of the calls that are due: ``PRE`` or ``POST``."""
        is_opening = self.run.stage is model.Stage.OPENING
        return model.PRE if is_opening else model.POST

    @property
    def is_cancel(self) -> bool:
        """Whether they are those of a request to cancel the operation."""
        return self.run.verb == model.CANCEL and not self.is_owed

    @property
    def turn(self) -> int:
        """Return the place among all calls of an operation, lowest first.

        Those of a request to cancel it surround the post-ops.
        """
        is_pre = self.phase == model.PRE
        if self.is_owed:
            return 2
        if self.is_cancel:
            return 0 if is_pre else 4
        return 3 if is_pre else 1

    @property
    def is_changed(self) -> bool:
        """Whether the state is not stored yet."""
        return self.run != self.stored

    def save_before(self, before: bytes | None) -> None:
        """Store the stacks before the operation with its first changes."""
        self.before = before
        self.run = dataclasses.replace(self.run, has_before=before is not None)

    @property
    def is_opening(self) -> bool:
        """Whether they decide if the operation begins.

        Pre-ops of a request to cancel it cannot stop anything any more.
        """
        return self.phase == model.PRE and self.run.verb != model.CANCEL

    def expect(self, member: lifecycle_order.OrderedPlugin) -> bool:
        """Expect the next call, and return whether that must be stored first.

        Once a post-op is called, no worker may call a pre-op of the chain.
        """
        stored = self.stored
        if self.phase == model.POST:
            return stored is None or stored.stage is model.Stage.OPENING
        if not member.is_recorded:
            return False
        self.run = transitions.expect(self.run)
        return stored is None or stored.ahead <= self.run.passed

    def capture(
        self,
        members: lifecycle_order.PluginOrder,
        operation_of: situation.OperationOf,
    ) -> bytes | None:
        """Return the stacks before the operation, for its post-ops.

        :param operation_of: returns the operation as a plug-in sees it
        :returns: ``None`` where no plug-in has one, or no stack exists yet
        """
        found = map(members.find, self.run.chain)
        return stacks_before.capture_stacks(
            operation_of(each)
            for each in found
            if each is not None and each.has_op(model.POST)
        )

    def call_record(
        self, name: str, result: hook_call.CallResult, redact: hook_call.Redact
    ) -> model.Call:
        """Return the record of a call that has ended.

        A worker that was lost may have called any of the post-ops.
        """
        loaded, is_pre = self.loaded, self.phase == model.PRE
        may_repeat = loaded is not None and loaded.stage is model.Stage.CLOSING
        return hook_call.call_record(
            result,
            name,
            self.phase,
            is_repeat=self.run.may_repeat if is_pre else may_repeat,
            redact=redact,
            outcome="" if is_pre else self.run.outcome,
        )


class Journal:
    """Tracks which calls and decisions of one operation are not stored yet.

    :ivar entries: the calls
    :ivar decided: the decisions in the tree of the stack
    :ivar has_begun: the plan was begun, by this worker or an earlier one
    """

    def __init__(
        self,
        store: state_store.Store,
        decided: tree_decisions.TreeDecisions,
        clock_: clock.Clock,
        left: collections.abc.Iterable[model.Run],
    ) -> None:
        """Begin with nothing to write; the store writes what is added.

        :param left: calls that are stored
        """
        self.decided = decided
        self.has_begun = True
        self._store = store
        self._clock = clock_
        self._written_at = clock_.monotonic()
        self.entries: list[Entry] = []
        for each in left:
            self.add(each, each)
        store.book = self

    def add(self, run: model.Run, stored: model.Run | None = None) -> None:
        """Add calls, whose state is written from now on."""
        operation = self._store.operation
        is_owed = run.verb == model.MOVE or run.attempt != operation.attempt
        self.entries.append(Entry(run, stored, stored, is_owed=is_owed))

    @property
    def main(self) -> Entry | None:
        """Return the calls around the operation itself, if there are any."""
        found = (
            each
            for each in self.entries
            if not (each.is_owed or each.is_cancel)
        )
        return next(found, None)

    def find_turn(self) -> Entry | None:
        """Return the calls whose turn it is, or whose phase is to end."""
        due = (each for each in self.entries if each.run.stage in _DUE)
        return min(due, key=lambda each: each.turn, default=None)

    @property
    def is_due(self) -> bool:
        """Whether ended calls have waited too long to be stored."""
        waited_s = self._clock.monotonic() - self._written_at
        return waited_s >= WRITE_AFTER_S and any(
            each.is_changed for each in self.entries
        )

    def of(self, name: str) -> collections.abc.Mapping[str, object]:
        """Return the decisions for a resource of the stack."""
        return self.decided.for_resource(name)

    @property
    def is_empty(self) -> bool:
        """Whether the tree of the stack has no decisions."""
        return not self.decided.values

    def take(self) -> hooks.JournalEntry | None:
        """Return what is to be written; each change is returned once."""
        store = self._store
        changed = [
            (each.run, each.before) for each in self.entries if each.is_changed
        ]
        for each in self.entries:
            each.stored, each.before = each.run, None
        unsaved = self.decided.take()
        self._written_at = self._clock.monotonic()
        is_resize = scaling.find_data(store.operation) is not None
        settles = self.decided.has_any or is_resize
        drops_before = any(each.run.has_before for each in self.entries)
        if not (changed or unsaved or settles or drops_before):
            return None

        def write(
            connection: db_engine.Connection,
            stop_reason: operation_model.StopReason | None,
            ending: endings.Conclusion | None,
        ) -> None:
            for run, before in changed:
                lifecycle.save(connection, run, before)
            for plugin, values in unsaved:
                if values is None:
                    decisions.put_back(connection, store.operation, plugin)
                    continue
                decisions.save(
                    connection, store.stack, store.operation, plugin, values
                )
            if ending is not None and drops_before:
                lifecycle.drop_before(connection, store.operation.id)
            if ending is not None and settles:
                tree_decisions.settle(
                    connection,
                    store,
                    self.decided,
                    ending,
                    stop_reason,
                    has_begun=self.has_begun,
                )

        return write
