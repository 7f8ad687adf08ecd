"""Claim operations and see them through: plan, run, end.

Wake-ups make it fast, the scan makes it certain: an operation whose message
got lost, or whose worker died, is claimed by the next scan of any worker.
"""

import collections.abc
import dataclasses
import functools
import queue
import threading
import typing

from oslo_log import log

from orch import clock
from orch import ids
from orch.context import request
from orch.db import encryption
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.engine.conductor import job_factory
from orch.engine.conductor import lease_renewal
from orch.engine.conductor import overdue_leases
from orch.engine.conductor import preparation
from orch.engine.conductor import running as conductor_running
from orch.engine.execution import planning
from orch.flow import call_pool
from orch.flow.runner import job
from orch.flow.runner import loop
from orch.flow.runner import messages
from orch.flow.runner import open_calls
from orch.flow.runner import retry_policy
from orch.flow.runner import runner
from orch.flow.state import fence
from orch.metrics import catalogue
from orch.model import lease
from orch.model import operation
from orch.planner import survey as surveys

CLAIM_BATCH: typing.Final = 50
"""Operations of one claim."""


class WakeQueue:
    """Queue of wake-ups; safe to use from any thread."""

    def __init__(self) -> None:
        """Create an empty queue."""
        self._queue: queue.SimpleQueue[ids.OperationId | None] = (
            queue.SimpleQueue()
        )

    def put(self, operation_id: ids.OperationId | None) -> None:
        """Add an operation to claim; ``None``: any that waits."""
        self._queue.put(operation_id)

    def wait(self, timeout_s: float) -> list[ids.OperationId]:
        """Return the operations to claim; an empty list means a scan."""
        operation_ids: list[ids.OperationId] = []
        try:
            first = self._queue.get(timeout=timeout_s)
            while first is not None:
                operation_ids.append(first)
                if len(operation_ids) == CLAIM_BATCH:
                    break
                first = self._queue.get_nowait()
        except queue.Empty:
            return operation_ids
        return operation_ids if first is not None else []


LOG = log.getLogger(__name__)

OPERATIONS_PER_THREAD = 2
"""How many operations of child stacks a worker runs itself of those that it
has accepted, for each thread that makes calls; hints offer the rest to all
workers.
"""
STOP_LOOP_S = 5.0


def _ignore_end(*stack_ids: ids.StackId) -> None:
    """Do nothing: others find out by themselves."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of a conductor; see group ``[engine]``.

    :ivar lease_ttl_s: seconds that a dead worker's operations wait
    :ivar scan_interval_s: seconds between two scans for waiting operations
    :ivar call_threads: concurrent plug-in calls
    :ivar call_limit_s: seconds after which a plug-in call counts as hung
    :ivar event_loops: threads that the operations are spread over
    :ivar group_s: seconds for which effect-free changes are batched
    :ivar max_operations: concurrent operations
    :ivar retries: which failed calls are retried
    """

    lease_ttl_s: float = 10.0
    scan_interval_s: float = 2.0
    call_threads: int = 8
    call_limit_s: float = 600.0
    event_loops: int = 2
    group_s: float = 0.025
    max_operations: int = 200
    retries: retry_policy.RetryPolicy = dataclasses.field(
        default_factory=retry_policy.RetryPolicy
    )


class Conductor:
    """The part of a worker that claims operations and runs them."""

    def __init__(
        self,
        *,
        database: db_engine.Database,
        preparer: preparation.Preparer,
        settings: Settings,
        clock_: clock.Clock,
        worker_id: ids.WorkerId,
        notify: collections.abc.Callable[[], None],
        on_beat: collections.abc.Callable[[], None],
        notify_end: conductor_running.NotifyEnd = _ignore_end,
        notify_released: collections.abc.Callable[[], None] = _ignore_end,
        settings_number: collections.abc.Callable[[], int] = lambda: 0,
        is_alone: bool = False,
    ) -> None:
        """Build loops, pools and threads; :meth:`start` starts them.

        :param notify: called after a row was put into the outbox
        :param on_beat: called at the start and with each heartbeat, three
            times a lease
        :param notify_end: notifies the other workers, with the ids of parent
            and child, that a child stack's operation has ended
        :param notify_released: called once an operation has ended that may
            have taken physical resources from other stacks
        :param settings_number: returns the number of the plug-in settings that
            the worker has
        :param is_alone: there can be no other worker
        """
        self._database = database
        self._preparer = preparer
        self._settings = settings
        self._clock = clock_
        self._worker_id = worker_id
        self._notify = notify
        self._on_beat = on_beat
        self._settings_number = settings_number
        self._is_alone = is_alone
        self._runners = conductor_running.RunningOperations(
            notify_end, notify_released
        )
        # Users may name slow services: calls of others find a thread.
        share = max(1, settings.call_threads // 2)
        self._pool = call_pool.CallPool(
            settings.call_threads, settings.call_limit_s, clock_, share
        )
        # Lifecycle plug-ins may be slow, and changes need threads of their
        # own.
        self._around = call_pool.CallPool(
            settings.call_threads, settings.call_limit_s, clock_, share
        )
        self._open_calls = open_calls.OpenCallLeases(
            database, self._pool, worker_id, settings.lease_ttl_s
        )
        self._overdue = overdue_leases.OverdueLeases(
            database, settings.lease_ttl_s, clock_
        )
        self._renewal = lease_renewal.LeaseRenewal(
            database,
            worker_id,
            settings.lease_ttl_s,
            clock_,
            self._runners.newest,
        )
        self._loops = [
            loop.Loop(
                f"orch-loop-{number}",
                clock_,
                functools.partial(
                    call_pool.grow_pools, (self._pool, self._around)
                ),
            )
            for number in range(settings.event_loops)
        ]
        self._maker = job_factory.JobFactory(
            database,
            clock_,
            settings.group_s,
            settings.retries,
            self._runners.note,
        )
        self._wakes = WakeQueue()
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=target, name=name, daemon=True)
            for name, target in (
                ("orch-claim", self._claim_for_ever),
                ("orch-heartbeat", self._renew_for_ever),
            )
        ]

    def start(self) -> None:
        """Start to claim and run operations."""
        for each in self._loops:
            each.start()
        for thread in self._threads:
            thread.start()

    def stop(self, grace_s: float) -> None:
        """Claim no more, and give back operations that do not end in time.

        :param grace_s: seconds that running calls have to return
        """
        self._stopping.set()
        self._wakes.put(None)
        self._runners.stop(grace_s)
        for serving in self._loops:
            serving.stop(STOP_LOOP_S)
        self._pool.stop()
        self._around.stop()
        for thread in self._threads:
            thread.join(STOP_LOOP_S)

    def wake(self, operation_id: ids.OperationId | None) -> None:
        """Claim this operation now; ``None``: any that waits.

        If it runs here, it checks whether it is to stop, or may continue after
        a breakpoint.
        """
        if operation_id is not None:
            running = self._runners.find_newest(operation_id)
            if running is not None:
                running.post(messages.CheckRows())
        self._wakes.put(operation_id)

    def _prepare(
        self,
        operation: operation.Operation,
        loaded: planning.Loaded | None,
        held: fence.Fence,
        flush: job.Flush,
        survey: surveys.Survey | None,
    ) -> job.Job | job.ClosingJob | job.SurveyRequest:
        """Load and plan a claimed operation, or return its survey request.

        :param loaded: what its plan depends on, where that is known
        :param survey: the result of the request, once there is one
        """
        if loaded is None:
            loaded = self._preparer.load(operation)
        if survey is None:
            request = self._preparer.find_survey_request(operation, loaded)
            if request is not None:
                return request
        prepared = self._preparer.prepare(
            operation,
            held,
            self._settings.lease_ttl_s,
            dataclasses.replace(loaded, survey=survey),
        )
        self._notify()
        if isinstance(prepared, job.ClosingJob):
            return self._maker.noted(prepared)
        self._runners.own_stack(held, operation)
        return self._maker.make(prepared, flush, self._deadline(operation))

    def is_halted(self, held: fence.Fence) -> bool:
        """Whether the operation has a reason to stop."""
        operation = self._database.query(
            lambda connection: operations.get(connection, held.operation_id)
        )
        return operation.stop_reason is not None

    def give_back(self, held: fence.Fence) -> None:
        """Release the lease, so that another worker can claim at once."""
        self._database.run(
            lambda connection: leases.release(
                connection, held.operation_id, held.number
            )
        )

    def abort(
        self, held: fence.Fence, error: Exception, *, calls: bool
    ) -> job.ClosingJob | None:
        """End the operation as failed for an error of ours.

        An unreachable database, or a missing key, is no reason to fail: the
        lease expires, and the next worker continues from the rows.
        """
        if isinstance(error, db_errors.DatabaseDown | encryption.Unreadable):
            LOG.warning(
                "operation %s is left to the next scan: %s",
                held.operation_id,
                error,
            )
            return None
        try:
            closing_job = self._preparer.abort(
                held, self._settings.lease_ttl_s, error, calls=calls
            )
            return (
                None if closing_job is None else self._maker.noted(closing_job)
            )
        except db_errors.LeaseLost:
            LOG.warning("operation %s was taken over", held.operation_id)
        except Exception:
            LOG.exception(
                "operation %s is left to the next scan", held.operation_id
            )
        return None

    def forget(self, held: fence.Fence) -> None:
        """Remove a runner that has ended, and wake operations that waited."""
        if self._runners.remove(held):
            self.wake(None)
        self._notify()

    def look_at_child(
        self, stack_id: ids.StackId, child_id: ids.StackId
    ) -> bool:
        """Let the resource that waits for a child stack poll it now.

        :returns: whether an operation of the parent stack runs here
        """
        return self._runners.look_at_child(stack_id, child_id)

    def count_running(self) -> int:
        """Return how many operations this worker runs."""
        return len(self._runners)

    def _deadline(self, operation: operation.Operation) -> float | None:
        """Return the operation's deadline on this machine's own clock."""
        if operation.deadline_at is None or operation.lease_expires_at is None:
            return None
        claimed_at = operation.lease_expires_at - self._settings.lease_ttl_s
        return self._clock.monotonic() + (operation.deadline_at - claimed_at)

    def _claim_for_ever(self) -> None:
        while not self._stopping.is_set():
            operation_ids = self._wakes.wait(
                self._overdue.next_look_s(self._settings.scan_interval_s)
            )
            if self._stopping.is_set():
                return
            try:
                self._claim(operation_ids)
            except db_errors.DatabaseDown as error:
                LOG.warning("nothing can be claimed: %s", error)
                self._stopping.wait(self._settings.scan_interval_s)
            except Exception:
                LOG.exception("a claim failed; the next scan tries again")
                self._stopping.wait(self._settings.scan_interval_s)

    def _claim(
        self, operation_ids: collections.abc.Sequence[ids.OperationId]
    ) -> None:
        ttl_s = self._settings.lease_ttl_s
        claim: collections.abc.Callable[..., list[operation.Operation]]
        claim = leases.claim
        if operation_ids:
            claim = functools.partial(
                leases.claim_some, operation_ids=operation_ids
            )
        overdue = self._list_overdue(is_scan=not operation_ids)
        for free_slots, least_depth in self._claim_limits():
            before = self._clock.monotonic()
            orphans: set[ids.OperationId] = set()
            work = functools.partial(
                claim,
                worker=self._worker_id,
                ttl_s=ttl_s,
                limit=free_slots,
                least_depth=least_depth,
                on_orphan=orphans.add,
                overdue=overdue,
                settings_number=self._settings_number(),
            )
            for claimed in self._database.run(work):
                if claimed.id in orphans:
                    catalogue.LEASES_TAKEN_OVER.count()
                self._run(claimed, before + ttl_s)

    def _list_overdue(self, *, is_scan: bool) -> leases.Overdue | None:
        """Return the leases that may be taken over; ``None`` for expired ones.

        Where no other worker can be, those of a dead process need no look.
        """
        if self._is_alone:
            return None
        return self._overdue.look() if is_scan else self._overdue.overdue

    def _claim_limits(self) -> list[tuple[int, int]]:
        """Return how many operations to claim, and from which depth on.

        Those of child stacks are always claimed: the operation that waits for
        them already has a slot. So they do not count where slots are scarce.
        """
        max_operations = self._settings.max_operations
        free_slots = max_operations - self._runners.count_roots()
        if free_slots >= CLAIM_BATCH:
            return [(free_slots, 0)]
        child_claim = (max(max_operations, CLAIM_BATCH), 1)
        return (
            [child_claim, (free_slots, 0)] if free_slots > 0 else [child_claim]
        )

    def offer(self) -> tuple[lease.Taken, int]:
        """Return the lease under which operations accepted here start at once.

        :returns: the lease, and how many may start here; the rest is left to
            other workers, which may be less busy
        """
        taken = lease.Taken(
            self._worker_id,
            self._settings.lease_ttl_s,
            self._settings_number(),
        )
        if self._stopping.is_set():
            return taken, 0
        free_slots = OPERATIONS_PER_THREAD * self._settings.call_threads
        if self._is_alone:
            free_slots = self._settings.max_operations
        return taken, max(free_slots - len(self._runners), 0)

    def take(
        self,
        operation: operation.Operation,
        loaded: planning.Loaded,
        since: float,
    ) -> None:
        """Run an operation that was accepted under :meth:`offer`'s lease.

        :param loaded: what its plan depends on, as it was just stored
        :param since: monotonic seconds, from before it was accepted
        """
        self._run(operation, since + self._settings.lease_ttl_s, loaded)

    def _run(
        self,
        operation: operation.Operation,
        until: float,
        loaded: planning.Loaded | None = None,
    ) -> None:
        serving = self._loops[hash(operation.id) % len(self._loops)]
        held = fence.Fence(operation.id, operation.fence, until, self._clock)
        started = runner.Runner(
            held,
            self,
            functools.partial(self._prepare, operation, loaded, held),
            serving,
            self._pool,
            self._clock,
            operation.depth,
            request.RequestContext.from_stored(operation.context),
            self._around,
            operation.project_id,
        )
        if not self._runners.add(started):
            self.give_back(held)
            return
        turn = "first" if operation.fence == 1 else "again"
        catalogue.OPERATIONS_TAKEN.count(operation.action.value, turn)

    def _renew_for_ever(self) -> None:
        self._on_beat()
        pause_s = self._settings.lease_ttl_s / overdue_leases.RENEWALS_PER_TTL
        while not self._stopping.wait(pause_s):
            self._on_beat()
            for beat in (self._renewal.beat, self._open_calls.beat):
                try:
                    beat()
                except db_errors.DatabaseDown as error:
                    LOG.warning("no lease can be renewed: %s", error)
                except Exception:
                    LOG.exception("leases were not renewed; trying again")
