"""Loads a claimed operation and plans it; the rows are all it needs."""

import collections.abc
import dataclasses

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine.conductor import closing
from orch.engine.execution import breakpoints
from orch.engine.execution import outcome
from orch.engine.execution import planning
from orch.engine.execution import saved_plan
from orch.engine.lifecycle import coordinator
from orch.engine.lifecycle import hook_sequence as ceremonies
from orch.engine.nested import child_creation
from orch.events import recorder
from orch.flow.engine import breakpoints as engine_breakpoints
from orch.flow.runner import job
from orch.flow.state import conclusion
from orch.flow.state import fence
from orch.flow.state import store
from orch.flow.state import submit
from orch.flow.state import writer
from orch.model import converge
from orch.model import event
from orch.model import operation
from orch.model import repair
from orch.model import stack
from orch.planner import plan
from orch.planner import survey as surveys
from orch.plugin import registry

Serve = collections.abc.Callable[
    [planning.Loaded, child_creation.Acting], registry.Types
]
"""Gives the types of one stack, for an operation that acts on them."""


CoverOf = collections.abc.Callable[[stack.Stack], store.Cover]


AudienceOf = collections.abc.Callable[[stack.Stack], recorder.Audience | None]


def _show_all(subject: stack.Stack) -> store.Cover:
    return store.show_all


def _nobody(subject: stack.Stack) -> recorder.Audience | None:
    return None


@dataclasses.dataclass(frozen=True, slots=True)
class Prepared:
    """An operation ready to run.

    :ivar hooks_of: where it stops and waits
    :ivar ceremony: what is called around it; ``None`` for nothing
    """

    plan: plan.Plan
    store: store.Store
    hooks_of: engine_breakpoints.HooksOf
    ceremony: ceremonies.Ceremony | None = None

    def begin(self) -> None:
        """Give all that is to be made a row; tell what could not be read."""
        self.store.adopt(self.plan)
        for each in self.plan.unread:
            text = self.store.cover(_unread(each))
            self.store.tell(each.resource_id, text)


class Preparer:
    """Plans operations; holds nothing between calls."""

    def __init__(
        self,
        database: db_engine.Database,
        types: registry.ResourceTypes,
        load_template: planning.LoadTemplate,
        clock_: clock.Clock,
        serve: Serve | None = None,
        cover_of: CoverOf = _show_all,
        around_: coordinator.Around | None = None,
        surveyor: planning.Surveyor | None = None,
        audience_of: AudienceOf = _nobody,
    ) -> None:
        """Plan with these plug-ins and this way to load templates.

        :param serve: gives the types of one stack; ``None`` where no
            resource is a stack
        :param cover_of: gives what takes out of reasons of a stack what
            nobody may see
        :param around_: knows what is called around operations
        :param surveyor: looks at things before updates that go by what they
            are; ``None`` where none does
        :param audience_of: gives who is told of the resources of a stack
        """
        self._database = database
        self._types = types
        self._load_template = load_template
        self._clock = clock_
        self._serve = serve
        self._cover_of = cover_of
        self._around = around_
        self._surveyor = surveyor
        self._audience_of = audience_of

    def find_look(self, asked: operation.Operation) -> job.Look | None:
        """Return what has to be looked at before an operation is planned.

        :returns: ``None`` for nothing
        """
        surveyor = self._surveyor
        if surveyor is None or not converge.is_asked(asked):
            return None

        def look() -> surveys.Survey:
            subject = self._database.query(
                lambda connection: stacks.get(connection, asked.stack_id)
            )
            asked_by = request.RequestContext.from_stored(asked.context)
            only = repair.Repair.of(asked.options)
            return surveyor.survey(subject, asked_by, only=only)

        return job.Look(look)

    def prepare(
        self,
        asked: operation.Operation,
        held: fence.Fence,
        ttl_s: float,
        loaded: planning.Loaded | None = None,
        survey: surveys.Survey | None = None,
    ) -> Prepared | job.Parting:
        """Return the plan of an operation, and the store it runs on.

        Of one whose run is over only the end is left.

        :param loaded: what its plan depends on, where that is known
        :param survey: what :meth:`find_look` was for
        :raises orch.errors.OrchError: it cannot be planned
        """
        if loaded is None:
            loaded = self._database.query(
                lambda connection: planning.load(
                    connection, asked, self._load_template
                )
            )
        loaded = dataclasses.replace(loaded, survey=survey)

        def is_undecided() -> bool:
            return self._around is not None and self._around.is_undecided(kept)

        types = self._types_of(loaded, asked, held, ttl_s, is_undecided)
        kept = self._store(loaded, asked, held, ttl_s, types)
        if not _is_told(asked, loaded.newest):
            kept.recorder.record_stack(
                submit.started(loaded.subject, asked),
                self._clock.now(),
                statuses=kept.statuses(),
            )
        ceremony = None
        if self._around is not None:
            ceremony = self._around.begin(asked, loaded, kept)
        if ceremony is not None and ceremony.ended is not None:
            return closing.resumed(kept, ceremony, self._clock)
        wanted = planning.build(loaded, asked, types)
        saved_plan.check(self._database, asked, loaded, wanted)
        hooks_of = breakpoints.of(self._database, loaded, self._load_template)
        found = Prepared(wanted, kept, hooks_of, ceremony)
        if ceremony is None or ceremony.opening is None:
            found.begin()
        return found

    def abort(
        self,
        held: fence.Fence,
        ttl_s: float,
        error: Exception,
        *,
        calls: bool = False,
    ) -> job.Parting | None:
        """End an operation as failed, with the error as its reason.

        It ends as any other that fails: what was under way has failed, the
        snapshot that it takes holds what plug-ins have kept so far, and a
        change is rolled back where the stack is so. Only one that does not
        fit its kept plan any more leaves the stack as it found it.

        :param calls: whoever was called before it is called behind it
        :returns: what is left to do, if anybody is to be called
        :raises orch.db.errors.LeaseLost: another worker has it
        """
        asked, loaded = self._database.query(
            lambda connection: _load_bare(connection, held.operation_id)
        )
        types = self._types_of(loaded, asked, held, ttl_s)
        kept = self._store(loaded, asked, held, ttl_s, types)
        ends = kept.results
        ends.total, ends.done = asked.total, asked.done
        reason = kept.cover(_reason(error))
        if asked.superseded_by is None:
            ends.note_interrupted(reason)

        is_stale = isinstance(error, saved_plan.Stale)

        def conclude(halt: operation.Halt | None) -> conclusion.Ending:
            found = outcome.stop(
                kept, reason, halt, self._clock.now(), may_go_back=not is_stale
            )
            if is_stale and halt is not operation.Halt.SUPERSEDED:
                return saved_plan.undone(found, kept.stack, asked)
            return found

        ceremony = None
        if self._around is not None:
            ceremony = self._around.begin(asked, loaded, kept, is_ending=True)
        parting = closing.parting(
            kept, ceremony, conclusion.Outcome.FAILED, conclude, reason
        )
        if calls and parting.closing is not None:
            return parting
        kept.flush(conclude)
        return None

    def _types_of(
        self,
        loaded: planning.Loaded,
        asked: operation.Operation,
        held: fence.Fence,
        ttl_s: float,
        is_undecided: collections.abc.Callable[
            [], bool
        ] = child_creation.is_unknown,
    ) -> registry.Types:
        if self._serve is None:
            return self._types
        return self._serve(
            loaded, child_creation.Acting(asked, held, ttl_s, is_undecided)
        )

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
            cover=self._cover_of(loaded.subject),
            survey=loaded.survey,
            audience=self._audience_of(loaded.subject),
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


def _unread(each: plan.Unread) -> str:
    return (
        "It could not be read, so the update goes by its stored properties:"
        f" {each.reason}"
    )


def _reason(error: Exception) -> str:
    """Return what users may know of the error; the log has all of it.

    The text of an error that is not ours may hold statements and values.
    """
    if isinstance(error, errors.OrchError):
        return f"{errors.kind_of(error)}: {error.message}"
    return "The engine failed; its log says why."
