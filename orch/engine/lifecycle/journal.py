"""Stores the calls and decisions of plug-ins around an operation.

They are written with what the run writes anyway. Only before the first call,
and after calls that took long, the runner makes a write for them.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.db.repositories import lifecycle
from orch.engine.lifecycle import hook_chain as chains
from orch.engine.lifecycle import resize_undo
from orch.flow.state import conclusion as endings
from orch.flow.state import hooks
from orch.flow.state import restoration
from orch.flow.state import store
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import states

WRITE_AFTER_S: typing.Final = 0.05
"""Calls are stored at least this often, while there are any."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Decided:
    plugin: str
    values: collections.abc.Mapping[str, object]


class Journal:
    """Tracks which calls and decisions of one operation are not stored yet.

    :ivar path: of the stack in its tree
    :ivar decided: decisions in the tree of the stack, by path, then by plug-in
    """

    def __init__(
        self,
        known: collections.abc.Iterable[model.Decision],
        path: str,
        clock_: clock.Clock,
    ) -> None:
        """Begin with nothing to write.

        :param known: decisions in the tree
        """
        self.decided: dict[str, dict[str, object]] = {}
        for each in known:
            self.decided.setdefault(each.path, {})[each.plugin] = each.value
        self.path = path
        self._clock = clock_
        self._chains: list[chains.HookChain] = []
        self._stored: dict[int, model.Run] = {}
        self._new: list[_Decided] = []
        self._written_at = clock_.monotonic()
        self._store: store.Store | None = None
        # Whether the plan was begun, now or by an earlier worker.
        self.has_begun = False
        # Whether decisions of the operation may have to be put back.
        self._has_decided = False

    def serve(self, store: store.Store) -> None:
        """Attach the journal to a store, which writes its entries."""
        self._store = store
        store.book = self

    def add(self, chain: chains.HookChain) -> None:
        """Track a chain, and write its state from now on."""
        self._chains.append(chain)
        if chain.stored is not None:
            self._stored[id(chain)] = chain.stored
            self._has_decided = True

    def decide(
        self, plugin: str, values: collections.abc.Mapping[str, object]
    ) -> None:
        """Add a plug-in's decisions, by path, to the next write."""
        if not values:
            return
        self._has_decided = True
        self._new.append(_Decided(plugin, values))
        for path, value in values.items():
            self.decided.setdefault(path, {})[plugin] = value

    def expect_decisions(self) -> None:
        """Record that decisions are about to be saved separately."""
        self._has_decided = True

    def known_of(self, plugin: str) -> dict[str, object]:
        """Return a plug-in's decisions in the tree, by path."""
        return {
            path: values[plugin]
            for path, values in list(self.decided.items())
            if plugin in values
        }

    def learn(
        self, plugin: str, values: collections.abc.Mapping[str, object]
    ) -> None:
        """Replace a plug-in's decisions in the tree by newer ones."""
        for path, known in list(self.decided.items()):
            known.pop(plugin, None)
            if not known:
                del self.decided[path]
        for path, value in values.items():
            self.decided.setdefault(path, {})[plugin] = value

    @property
    def is_due(self) -> bool:
        """Whether ended calls have waited too long to be stored."""
        return (
            self._clock.monotonic() - self._written_at >= WRITE_AFTER_S
            and bool(self._changed())
        )

    def has_ahead(self, chain: chains.HookChain) -> bool:
        """Whether it is stored that the next pre-op may be called."""
        stored = self._stored.get(id(chain))
        return stored is not None and stored.ahead > chain.run.passed

    def has_closed_opening(self, chain: chains.HookChain) -> bool:
        """Whether it is stored that no pre-op of the chain may be called."""
        stored = self._stored.get(id(chain))
        return stored is not None and stored.stage is not model.Stage.OPENING

    def has_stored(self, chain: chains.HookChain) -> bool:
        """Whether the current state of the chain is stored."""
        return self._stored.get(id(chain)) == chain.run

    def of(self, name: str) -> collections.abc.Mapping[str, object]:
        """Return the decisions for a resource of the stack."""
        path = f"{self.path}/{name}" if self.path else name
        return self.decided.get(path, {})

    @property
    def is_empty(self) -> bool:
        """Whether the tree of the stack has no decisions."""
        return not self.decided

    def take(self) -> hooks.JournalEntry | None:
        """Return what is to be written; each change is returned once."""
        store = self._store
        if store is None:
            return None
        changed = self._changed()
        for each in self._chains:
            self._stored[id(each)] = each.run
        new, self._new = self._new, []
        self._written_at = self._clock.monotonic()
        settles = (
            self._has_decided
            or bool(self.decided)
            or resize_undo.is_resize(store.operation)
        )
        if not changed and not new and not settles:
            return None

        def write(
            connection: db_engine.Connection,
            stop_reason: operation_model.StopReason | None,
            ending: endings.Conclusion | None,
        ) -> None:
            for run in changed:
                lifecycle.save(connection, run)
            for each in new:
                decisions.save(
                    connection,
                    store.stack,
                    store.operation,
                    each.plugin,
                    each.values,
                )
            if ending is not None and settles:
                self._settle(connection, store, ending, stop_reason)

        return write

    def _changed(self) -> list[model.Run]:
        return [
            each.run
            for each in self._chains
            if self._stored.get(id(each)) != each.run
        ]

    def _settle(
        self,
        connection: db_engine.Connection,
        store: store.Store,
        ending: endings.Conclusion,
        stop_reason: operation_model.StopReason | None,
    ) -> None:
        """Confirm or revert decisions, as the operation has ended."""
        operation, stack = store.operation, store.stack
        if ending.stack_columns.get("deleted_at") is not None:
            decisions.release_all(connection, stack)
        elif (
            ending.operation_columns.get("state")
            is states.OperationState.COMPLETE
        ):
            if operation.action is states.Action.ROLLBACK:
                own = operation.id if operation.template_hash else None
                decisions.undo(connection, stack.id, own)
            decisions.prove(connection, stack.id)
            self._release_gone(connection, store)
            resize_undo.redo_resize(connection, stack, operation)
        elif not self.has_begun or (
            stop_reason
            and not restoration.has_touched(operation, store.rows.values())
        ):
            decisions.put_back(connection, operation)
            if stop_reason is not operation_model.StopReason.SUPERSEDED:
                resize_undo.undo_resize(connection, stack, operation)

    def _release_gone(
        self, connection: db_engine.Connection, store: store.Store
    ) -> None:
        """Release the decisions for resources that do not exist any more."""
        names = {
            row.name
            for row in store.rows.values()
            if row.is_current and not row.is_gone
        }
        start = f"{self.path}/" if self.path else ""
        decided = {
            path.removeprefix(start).partition("/")[0]
            for path in self.decided
            if path != self.path and path.startswith(start)
        }
        for name in sorted(decided - names):
            decisions.release(connection, store.stack, self.path, name)
