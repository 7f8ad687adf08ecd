"""Loads a claimed operation and plans it; the rows are all it needs."""

import collections.abc
import dataclasses

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import breakpoints
from orch.engine import kept_plans
from orch.engine import outcome
from orch.engine import planning
from orch.engine.nested import asking
from orch.flow import ending
from orch.flow import fence
from orch.flow import holds
from orch.flow import store
from orch.flow import submit
from orch.flow import writer
from orch.model import event
from orch.model import operation
from orch.planner import plan
from orch.plugin import registry

Serve = collections.abc.Callable[
    [planning.Loaded, asking.Acting], registry.Types
]
"""Gives the types of one stack, for an operation that acts on them."""


@dataclasses.dataclass(frozen=True, slots=True)
class Prepared:
    """An operation ready to run.

    :ivar hooks_of: where it stops and waits
    """

    plan: plan.Plan
    store: store.Store
    hooks_of: holds.HooksOf


class Preparer:
    """Plans operations; holds nothing between calls."""

    def __init__(
        self,
        database: db_engine.Database,
        types: registry.ResourceTypes,
        load_template: planning.LoadTemplate,
        clock_: clock.Clock,
        serve: Serve | None = None,
    ) -> None:
        """Plan with these plug-ins and this way to load templates.

        :param serve: gives the types of one stack; ``None`` where no
            resource is a stack
        """
        self._database = database
        self._types = types
        self._load_template = load_template
        self._clock = clock_
        self._serve = serve

    def prepare(
        self, asked: operation.Operation, held: fence.Fence, ttl_s: float
    ) -> Prepared:
        """Return the plan of an operation, and the store it runs on.

        :raises orch.errors.OrchError: it cannot be planned
        """
        loaded = self._database.query(
            lambda connection: planning.load(
                connection, asked, self._load_template
            )
        )
        types = self._types_of(loaded, asked, held, ttl_s)
        kept = self._store(loaded, asked, held, ttl_s, types)
        if not _is_told(asked, loaded.newest):
            kept.recorder.record_stack(
                submit.started(loaded.subject, asked), self._clock.now()
            )
        wanted = planning.build(loaded, asked, types)
        kept_plans.check(self._database, asked, loaded, wanted)
        kept.adopt(wanted)
        hooks_of = breakpoints.of(self._database, loaded, self._load_template)
        return Prepared(wanted, kept, hooks_of)

    def abort(self, held: fence.Fence, ttl_s: float, error: Exception) -> None:
        """End an operation as failed, with the error as its reason.

        It ends as any other that fails: what was under way has failed, the
        snapshot that it takes holds what plug-ins have kept so far, and a
        change is rolled back where the stack is so. Only one that does not
        fit its kept plan any more leaves the stack as it found it.

        :raises orch.db.errors.LeaseLost: another worker has it
        """
        asked, loaded = self._database.query(
            lambda connection: _load_bare(connection, held.operation_id)
        )
        types = self._types_of(loaded, asked, held, ttl_s)
        kept = self._store(loaded, asked, held, ttl_s, types)
        kept.total, kept.done = asked.total, asked.done
        reason = _reason(error)
        if asked.superseded_by is None:
            kept.note_interrupted(reason)

        is_stale = isinstance(error, kept_plans.Stale)

        def conclude(halt: operation.Halt | None) -> ending.Ending:
            found = outcome.stop(
                kept, reason, halt, self._clock.now(), may_go_back=not is_stale
            )
            if is_stale and halt is not operation.Halt.SUPERSEDED:
                return kept_plans.undone(found, kept.stack, asked)
            return found

        kept.flush(conclude)

    def _types_of(
        self,
        loaded: planning.Loaded,
        asked: operation.Operation,
        held: fence.Fence,
        ttl_s: float,
    ) -> registry.Types:
        if self._serve is None:
            return self._types
        return self._serve(loaded, asking.Acting(asked, held, ttl_s))

    def _store(
        self,
        loaded: planning.Loaded,
        asked: operation.Operation,
        held: fence.Fence,
        ttl_s: float,
        types: registry.Types,
    ) -> store.Store:
        return store.Store(
            writer_=writer.Writer(self._database, held, ttl_s, loaded.subject),
            held=held,
            clock_=self._clock,
            subject=loaded.subject,
            asked=asked,
            rows=loaded.rows,
            newest_event=loaded.newest.sequence if loaded.newest else 0,
            bound=loaded.bound,
            types=types,
            snapshots=loaded.snapshots,
            documents=loaded.documents,
        )


def _load_bare(
    connection: db_engine.Connection, operation_id: ids.OperationId
) -> tuple[operation.Operation, planning.Loaded]:
    """Return what an operation comes upon, without looking at templates."""
    asked = operations.get(connection, operation_id)
    return asked, planning.Loaded(
        subject=stacks.get(connection, asked.stack_id),
        rows=resources.list_(connection, asked.stack_id),
        newest=events.find_newest(connection, asked.stack_id),
        bound=None,
    )


def _is_told(asked: operation.Operation, newest: event.Event | None) -> bool:
    """Answer whether the beginning of the operation stands in the events."""
    return bool(asked.options.get(submit.ANNOUNCED)) or (
        newest is not None and newest.operation_id == asked.id
    )


def _reason(error: Exception) -> str:
    """Return what users may know of the error; the log has all of it.

    The text of an error that is not ours may hold statements and values.
    """
    if isinstance(error, errors.OrchError):
        return f"{type(error).__name__}: {error.message}"
    return "The engine failed; its log says why."
