"""Load a claimed operation from its rows, and plan it."""

import collections.abc
import dataclasses
import functools

from oslo_log import log

from orch import clock
from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine.conductor import running
from orch.engine.execution import outcome
from orch.engine.execution import planning
from orch.engine.execution import saved_plan
from orch.engine.lifecycle import hook_caller
from orch.engine.lifecycle import hook_loading
from orch.engine.nested import child_creation
from orch.events import recorder
from orch.flow.engine import breakpoints
from orch.flow.runner import job
from orch.flow.state import conclusion
from orch.flow.state import drift_records
from orch.flow.state import fence
from orch.flow.state import store as state_store
from orch.flow.state import submit
from orch.flow.state import writer
from orch.model import converge
from orch.model import event
from orch.model import operation as operation_model
from orch.model import repair
from orch.model import stack
from orch.planner import plan
from orch.planner import survey as surveys
from orch.plugin import registry
from orch.policies import enforcer

LOG = log.getLogger(__name__)

Serve = collections.abc.Callable[
    [planning.Loaded, child_creation.Acting], registry.Types
]
"""Returns the types of one stack, for an operation that acts on them."""


RedactionOf = collections.abc.Callable[[stack.Stack], state_store.Redact]


AudienceOf = collections.abc.Callable[[stack.Stack], recorder.Audience | None]


LoaderOf = collections.abc.Callable[[], hook_loading.HookLoader]


@dataclasses.dataclass(frozen=True, slots=True)
class Prepared:
    """A planned operation, ready to run.

    :ivar hooks_of: returns the breakpoints of a resource
    :ivar caller: the lifecycle hooks around it; ``None`` for none
    """

    plan: plan.Plan
    store: state_store.Store
    hooks_of: breakpoints.HooksOf
    caller: hook_caller.HookCaller | None = None

    def begin(self) -> None:
        """Store a row for each new resource; record what could not be read."""
        self.store.adopt(self.plan)
        for each in self.plan.unread:
            text = self.store.redact(_unread(each))
            self.store.record(each.resource_id, text)


class Preparer:
    """Plans operations; it has no state between calls."""

    def __init__(
        self,
        database: db_engine.Database,
        load_template: planning.LoadTemplate,
        clock_: clock.Clock,
        rules: enforcer.Enforcer,
        serve: Serve,
        redaction_of: RedactionOf,
        loader_of: LoaderOf,
        surveyor: planning.Surveyor | None,
        audience_of: AudienceOf,
        records: drift_records.DriftRecords | None,
    ) -> None:
        """Plan with this way to load templates and to find types.

        :param rules: which caller may have which types
        :param serve: returns the types of one stack
        :param redaction_of: returns the function that redacts reasons of a
            stack
        :param loader_of: returns what loads the lifecycle hooks around an
            operation that begins now
        :param surveyor: reads physical resources before updates that converge;
            ``None`` where none does
        :param audience_of: returns the audience of resource notifications
        :param records: stores what operations read of physical resources
        """
        self._database = database
        self._load_template = load_template
        self._clock = clock_
        self._rules = rules
        self._serve = serve
        self._redaction_of = redaction_of
        self._loader_of = loader_of
        self._surveyor = surveyor
        self._audience_of = audience_of
        self._records = records

    def load(self, operation: operation_model.Operation) -> planning.Loaded:
        """Return what the plan of an operation depends on.

        :raises orch.errors.OrchError: it cannot be loaded
        """
        return self._database.query(
            functools.partial(
                planning.load_operation,
                operation=operation,
                load_template=self._load_template,
            )
        )

    def find_survey_request(
        self, operation: operation_model.Operation, loaded: planning.Loaded
    ) -> job.SurveyRequest | None:
        """Return the survey that an operation needs before it is planned.

        :param loaded: what its plan depends on
        :returns: ``None`` where it needs none
        """
        surveyor = self._surveyor
        if surveyor is None or not planning.needs_survey(operation, loaded):
            return None

        def look() -> surveys.Survey:
            stack = self._database.query(
                lambda connection: stacks.get(connection, operation.stack_id)
            )
            requested_by = request.RequestContext.from_stored(
                operation.context
            )
            only = repair.Repair.of(operation.options)
            return surveyor.survey(
                stack,
                requested_by,
                only=only,
                converges=converge.is_convergence_requested(operation),
            )

        return job.SurveyRequest(look)

    def prepare(
        self,
        operation: operation_model.Operation,
        held: fence.Fence,
        ttl_s: float,
        loaded: planning.Loaded,
    ) -> Prepared | job.ClosingJob:
        """Return the plan of an operation, and its store.

        An operation whose run is over gets its closing job.

        :param loaded: what its plan depends on, with the result of
            :meth:`find_survey_request`'s request
        :raises orch.errors.OrchError: it cannot be planned
        """
        around = self._loader_of()
        acting = child_creation.Acting(
            operation, held, ttl_s, lambda: around.is_undecided(store)
        )
        types = self._serve(loaded, acting)
        store = self._store(loaded, operation, held, ttl_s, types)
        if not _is_start_recorded(operation, loaded.newest):
            store.recorder.record_stack(
                submit.started_stack(loaded.stack, operation),
                self._clock.now(),
                statuses=store.statuses(),
            )
        caller = around.load(operation, loaded, store)
        if caller is not None and caller.ended is not None:
            return running.resume_closing(store, caller, self._clock)
        planning.check_read(operation, loaded)
        current_plan = planning.build_plan(loaded, operation, types)
        saved_plan.check_plan(self._database, operation, loaded, current_plan)
        hooks_of = self._find_hooks(loaded)
        found = Prepared(current_plan, store, hooks_of, caller)
        if caller is None or not caller.is_opening:
            found.begin()
        return found

    def abort(
        self,
        held: fence.Fence,
        ttl_s: float,
        error: Exception,
        *,
        calls: bool = False,
    ) -> job.ClosingJob | None:
        """End an operation as failed, with the error as its reason.

        It ends as any other that fails: changes in progress have failed, its
        snapshot holds the data that plug-ins have returned so far, and a
        change is rolled back where the stack has rollback enabled. Only one
        that no longer fits its saved plan leaves the stack as it was.

        :param calls: plug-ins whose pre-hook ran get their post-hook
        :returns: the closing job, if a hook is to be called
        :raises orch.db.errors.LeaseLost: another worker has it
        """
        operation, loaded = self._database.query(
            lambda connection: _load_bare(connection, held.operation_id)
        )
        acting = child_creation.Acting(operation, held, ttl_s)
        types = self._serve(loaded, acting)
        store = self._store(loaded, operation, held, ttl_s, types)
        # That of the run which has failed may hold notifications of drift.
        store.readings.note_other_store()
        ends = store.results
        ends.total, ends.done = operation.total, operation.done
        reason = store.redact(_reason(error))
        if operation.superseded_by is None:
            ends.note_interrupted(reason)

        is_stale = isinstance(error, saved_plan.Stale)
        is_needless = is_stale or isinstance(error, planning.NotRead)

        def conclude(
            stop_reason: operation_model.StopReason | None,
        ) -> conclusion.Conclusion:
            found = outcome.stop_operation(
                store,
                reason,
                stop_reason,
                self._clock.now(),
                has_begun=not is_needless,
            )
            if (
                is_stale
                and stop_reason is not operation_model.StopReason.SUPERSEDED
            ):
                return saved_plan.stale_ending(found, store.stack, operation)
            return found

        caller = self._loader_of().load(
            operation, loaded, store, is_ending=True
        )
        failed = conclusion.RunOutcome.FAILED
        closing = caller.close(failed, reason) if caller else None
        if calls and closing is not None:
            return job.ClosingJob(store, failed, conclude, closing)
        store.flush(conclude)
        return None

    def _find_hooks(self, loaded: planning.Loaded) -> breakpoints.HooksOf:
        """Return a function that gives the breakpoints of a resource.

        An operation without a template uses the stack's own environment. If
        that cannot be loaded any more there are no breakpoints: a stack that
        cannot be loaded must still be removable.

        :raises orch.db.errors.DatabaseDown: the database gave no answer
        """
        if loaded.parsed_template is not None:
            return loaded.parsed_template.hooks
        try:
            parsed_template = self._database.query(
                lambda connection: self._load_template(
                    connection, loaded.stack
                )
            )
        except db_errors.DatabaseDown:
            raise
        except errors.OrchError as error:
            LOG.warning(
                "stack %s goes without breakpoints: %s", loaded.stack.id, error
            )
            return _no_breakpoints
        return parsed_template.hooks

    def _store(
        self,
        loaded: planning.Loaded,
        operation: operation_model.Operation,
        held: fence.Fence,
        ttl_s: float,
        types: registry.Types,
    ) -> state_store.Store:
        return state_store.Store(
            writer_=writer.Writer(self._database, held, ttl_s, loaded.stack),
            held=held,
            clock_=self._clock,
            stack=loaded.stack,
            operation=operation,
            rows=loaded.rows,
            newest_event=loaded.newest.sequence if loaded.newest else 0,
            parsed_template=loaded.parsed_template,
            types=types,
            check_type=functools.partial(
                self._rules.check_type,
                request.RequestContext.from_stored(operation.context),
            ),
            snapshots=loaded.snapshots,
            documents=loaded.documents,
            redact=self._redaction_of(loaded.stack),
            survey=loaded.survey,
            audience=self._audience_of(loaded.stack),
            records=self._records,
        )


def _no_breakpoints(name: str) -> collections.abc.Collection[str]:
    return ()


def _load_bare(
    connection: db_engine.Connection, operation_id: ids.OperationId
) -> tuple[operation_model.Operation, planning.Loaded]:
    """Return an operation and its rows, without loading templates."""
    operation = operations.get(connection, operation_id)
    return operation, planning.Loaded(
        stack=stacks.get(connection, operation.stack_id),
        rows=resources.list_(connection, operation.stack_id),
        newest=events.find_newest(connection, operation.stack_id),
        parsed_template=None,
    )


def _is_start_recorded(
    operation: operation_model.Operation, newest: event.Event | None
) -> bool:
    """Whether the events contain the start of the operation."""
    return bool(operation.options.get(submit.ANNOUNCED)) or (
        newest is not None and newest.operation_id == operation.id
    )


def _unread(each: plan.Unread) -> str:
    return (
        "It could not be read, so the update uses its stored properties:"
        f" {each.reason}"
    )


def _reason(error: Exception) -> str:
    """Return the part of an error that users may see; the log has all of it.

    The text of an error that is not ours may contain statements and values.
    """
    if isinstance(error, errors.OrchError):
        return f"{errors.kind_of(error)}: {error.message}"
    return "The engine failed; its log says why."
