"""Takes operations and sees them through: claim, plan, run, end.

Wake-ups make it fast, the scan makes it certain: an operation whose message
got lost, or whose worker died, is claimed by the next scan of any worker.
"""

import collections.abc
import dataclasses
import functools
import queue
import threading

from oslo_log import log

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import leases
from orch.engine import outcome
from orch.engine import preparation
from orch.flow import assembly
from orch.flow import calls
from orch.flow import delays
from orch.flow import ending
from orch.flow import fence
from orch.flow import holds
from orch.flow import listening
from orch.flow import loop
from orch.flow import messages
from orch.flow import open_calls
from orch.flow import retrying
from orch.flow import runner
from orch.flow import store
from orch.flow import waiting
from orch.model import operation
from orch.model import stack

LOG = log.getLogger(__name__)

WAKES_A_CLAIM = 50
STOP_LOOP_S = 5.0


TellEnd = collections.abc.Callable[[ids.StackId, ids.StackId], None]


def _tell_nobody(stack_id: ids.StackId, inner_id: ids.StackId) -> None:
    """Leave it to the others to look by themselves."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a worker runs operations; see group ``[engine]``.

    :ivar lease_ttl_s: how long a dead worker's operations wait
    :ivar scan_interval_s: how often waiting operations are looked for
    :ivar call_threads: plug-in calls under way at once
    :ivar call_limit_s: after which a plug-in call counts as hung
    :ivar loops: threads that the operations are spread over
    :ivar group_s: how long effect-free changes are gathered
    :ivar max_operations: operations at once
    :ivar retries: which calls that failed are made again
    """

    lease_ttl_s: float = 10.0
    scan_interval_s: float = 2.0
    call_threads: int = 8
    call_limit_s: float = 600.0
    loops: int = 2
    group_s: float = 0.005
    max_operations: int = 200
    retries: retrying.Policy = dataclasses.field(
        default_factory=retrying.Policy
    )


class Conductor:
    """The part of a worker that runs operations."""

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
        tell_end: TellEnd = _tell_nobody,
    ) -> None:
        """Be ready for :meth:`start`.

        :param notify: called after something was put into the outbox
        :param on_beat: called at the start and with each heartbeat, three
            times a lease
        :param tell_end: tells the other workers, by the ids of the outer and
            of the inner one, that an inner stack's operation has ended
        """
        self._database = database
        self._preparer = preparer
        self._settings = settings
        self._clock = clock_
        self._worker_id = worker_id
        self._notify = notify
        self._on_beat = on_beat
        self._tell_end = tell_end
        self._pool = calls.CallPool(
            settings.call_threads, settings.call_limit_s, clock_
        )
        self._open_calls = open_calls.Keeper(
            database, self._pool, worker_id, settings.lease_ttl_s
        )
        self._loops = [
            loop.Loop(f"orch-loop-{number}", clock_, self._pool.grow)
            for number in range(settings.loops)
        ]
        self._wakes: queue.SimpleQueue[ids.OperationId | None] = (
            queue.SimpleQueue()
        )
        self._claimed: dict[fence.Fence, operation.Operation] = {}
        # Of one operation there are several when it was taken over by this
        # very worker: the newest, and those whose calls have not ended.
        self._runners: dict[ids.OperationId, list[runner.Runner]] = {}
        # The one that runs an operation of a stack now.
        self._of_stack: dict[ids.StackId, runner.Runner] = {}
        # Stacks in stacks whose operation has come to its end, by its fence.
        self._inner: dict[fence.Fence, stack.Stack] = {}
        # Stacks in stacks that end with an operation, by its fence.
        self._cut_short: dict[fence.Fence, tuple[ids.StackId, ...]] = {}
        # Those whose end, once it is committed, lets another one begin.
        self._awaited: set[fence.Fence] = set()
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=target, name=name, daemon=True)
            for name, target in (
                ("orch-claim", self._claim_for_ever),
                ("orch-heartbeat", self._renew_for_ever),
            )
        ]

    def start(self) -> None:
        """Start to claim and run."""
        for each in self._loops:
            each.start()
        for thread in self._threads:
            thread.start()

    def stop(self, grace_s: float) -> None:
        """Claim nothing more, and give back what does not end in time.

        :param grace_s: seconds that calls under way have to answer
        """
        self._stopping.set()
        self._wakes.put(None)
        with self._lock:
            for each in self._runners.values():
                each[-1].post(messages.Stop())
            self._idle.wait_for(lambda: not self._runners, grace_s)
        for serving in self._loops:
            serving.stop(STOP_LOOP_S)
        self._pool.stop()
        for thread in self._threads:
            thread.join(STOP_LOOP_S)

    def wake(self, operation_id: ids.OperationId | None) -> None:
        """Look for this operation now; ``None``: for any that waits.

        If it runs here, it looks whether it was asked to end, or may go on
        behind a breakpoint.
        """
        if operation_id is not None:
            with self._lock:
                running = self._runners.get(operation_id, [])[-1:]
            for each in running:
                each.post(messages.Look())
        self._wakes.put(operation_id)

    def prepare(
        self, held: fence.Fence, flush: runner.Flush
    ) -> runner.Job | None:
        """Load and plan a claimed operation."""
        with self._lock:
            asked = self._claimed.pop(held)
        prepared = self._preparer.prepare(
            asked, held, self._settings.lease_ttl_s
        )
        self._notify()
        kept = prepared.store
        with self._lock:
            for each in self._runners.get(asked.id, []):
                if each.fence is held:
                    self._of_stack[asked.stack_id] = each
        gate = holds.Holds(kept, prepared.hooks_of)
        run = assembly.assemble(
            prepared.plan,
            kept,
            clock_=self._clock,
            group_s=self._settings.group_s,
            flush=flush,
            gate=gate,
        )
        delayed = delays.Delays(self._settings.retries, kept, self._clock)
        return runner.Job(
            run=run,
            kept=kept,
            waiting=waiting.Waiting(
                run,
                kept,
                gate,
                delayed,
                listening.Listening(kept, self._clock),
            ),
            conclude=functools.partial(self._conclude, kept),
            deadline=self._deadline(asked),
            check_free=open_calls.OpenCalls(
                self._database, asked.stack_id
            ).check,
        )

    def give_back(self, held: fence.Fence) -> None:
        """Let another worker have the operation at once."""
        self._database.run(
            lambda connection: leases.release(
                connection, held.operation_id, held.number
            )
        )

    def abort(self, held: fence.Fence, error: Exception) -> None:
        """End the operation as failed for an error of ours.

        A database that was away is no reason to fail: the lease runs out,
        and whoever takes the operation then goes on from the rows.
        """
        if isinstance(error, db_errors.DatabaseDown):
            LOG.warning(
                "operation %s is left to the next scan: %s",
                held.operation_id,
                error,
            )
            return
        try:
            self._preparer.abort(held, self._settings.lease_ttl_s, error)
        except db_errors.LeaseLost:
            LOG.warning("operation %s was taken over", held.operation_id)
        except Exception:
            LOG.exception(
                "operation %s is left to the next scan", held.operation_id
            )

    def forget(self, held: fence.Fence) -> None:
        """Know that the runner has ended; something may wait for its end."""
        with self._lock:
            self._claimed.pop(held, None)
            known = self._runners.pop(held.operation_id, [])
            left = [each for each in known if each.fence is not held]
            if left:
                self._runners[held.operation_id] = left
            self._idle.notify_all()
        if len(left) == 1 < len(known):
            left[0].post(messages.Begin())
        self._tell_others(held)
        if held in self._awaited:
            self._awaited.discard(held)
            self.wake(None)
        self._notify()

    def _tell_others(self, held: fence.Fence) -> None:
        """Let the stacks around and in the stack know that it has ended.

        Those that other workers have look by themselves, only later.
        """
        with self._lock:
            inner = self._inner.pop(held, None)
            ending = [
                self._of_stack[each]
                for each in self._cut_short.pop(held, ())
                if each in self._of_stack
            ]
            for stack_id, each in list(self._of_stack.items()):
                if each.fence is held:
                    del self._of_stack[stack_id]
        for each in ending:
            each.post(messages.Again())
        if inner is None or inner.parent_id is None:
            return
        if not self.look_at_inner(inner.parent_id, inner.id):
            self._tell_end(inner.parent_id, inner.id)

    def look_at_inner(
        self, stack_id: ids.StackId, inner_id: ids.StackId
    ) -> bool:
        """Let what waits for an inner stack look at it now.

        :returns: whether anything of the outer stack runs here
        """
        with self._lock:
            around = self._of_stack.get(stack_id)
        if around is not None:
            around.post(messages.InnerEnded(ids.ResourceId(inner_id)))
        return around is not None

    def _conclude(
        self,
        kept: store.Store,
        ended: runner.Outcome,
        halt: operation.Halt | None,
    ) -> ending.Ending:
        ending = outcome.conclude(kept, ended, halt, self._clock.now())
        if ending.cut_short:
            self._cut_short[kept.fence] = ending.cut_short
        if kept.stack.parent_id is not None:
            self._inner[kept.fence] = kept.stack
        if ending.followers or halt is operation.Halt.SUPERSEDED:
            self._awaited.add(kept.fence)
        return ending

    def _deadline(self, asked: operation.Operation) -> float | None:
        """Return the operation's deadline on this machine's own clock."""
        if asked.deadline_at is None or asked.lease_expires_at is None:
            return None
        claimed_at = asked.lease_expires_at - self._settings.lease_ttl_s
        return self._clock.monotonic() + (asked.deadline_at - claimed_at)

    def _claim_for_ever(self) -> None:
        while not self._stopping.is_set():
            wanted = self._wait_for_wakes()
            if self._stopping.is_set():
                return
            try:
                self._claim(wanted)
            except db_errors.DatabaseDown as error:
                LOG.warning("nothing can be claimed: %s", error)
                self._stopping.wait(self._settings.scan_interval_s)
            except Exception:
                LOG.exception("a claim failed; the next scan tries again")
                self._stopping.wait(self._settings.scan_interval_s)

    def _wait_for_wakes(self) -> list[ids.OperationId]:
        """Return the operations that somebody woke us for; none: scan."""
        wanted: list[ids.OperationId] = []
        try:
            first = self._wakes.get(timeout=self._settings.scan_interval_s)
            while first is not None:
                wanted.append(first)
                if len(wanted) == WAKES_A_CLAIM:
                    break
                first = self._wakes.get_nowait()
        except queue.Empty:
            return wanted
        return wanted if first is not None else []

    def _claim(
        self, wanted: collections.abc.Sequence[ids.OperationId]
    ) -> None:
        room, least_depth = self._room()
        before = self._clock.monotonic()
        ttl_s = self._settings.lease_ttl_s
        take = functools.partial(
            leases.claim,
            worker=self._worker_id,
            ttl_s=ttl_s,
            least_depth=least_depth,
        )

        def work(
            connection: db_engine.Connection,
        ) -> list[operation.Operation]:
            if not wanted:
                return take(connection, limit=room)
            return [
                claimed
                for each in wanted[:room]
                for claimed in take(connection, limit=1, operation_id=each)
            ]

        for asked in self._database.run(work):
            self._run(asked, before + ttl_s)

    def _room(self) -> tuple[int, int]:
        """Return how many operations to take, and from which depth on.

        Those of inner stacks always find room: whoever waits for them has
        taken it.
        """
        most = self._settings.max_operations
        with self._lock:
            room = most - sum(
                not each[-1].depth for each in self._runners.values()
            )
        return (room, 0) if room > 0 else (most, 1)

    def _run(self, asked: operation.Operation, until: float) -> None:
        serving = self._loops[hash(asked.id) % len(self._loops)]
        held = fence.Fence(asked.id, asked.fence, until, self._clock)
        started = runner.Runner(
            held, self, serving, self._pool, self._clock, asked.depth
        )
        with self._lock:
            running = self._runners.setdefault(asked.id, [])
            earlier = tuple(running)
            running.append(started)
            self._claimed[held] = asked
        for each in earlier:
            each.fence.lose()
            each.post(messages.Drop())
        if not earlier:
            started.post(messages.Begin())

    def _renew_for_ever(self) -> None:
        self._on_beat()
        while not self._stopping.wait(self._settings.lease_ttl_s / 3):
            self._on_beat()
            for beat in (self._renew, self._open_calls.beat):
                try:
                    beat()
                except db_errors.DatabaseDown as error:
                    LOG.warning("no lease can be renewed: %s", error)
                except Exception:
                    LOG.exception("leases were not renewed; trying again")

    def _renew(self) -> None:
        with self._lock:
            held = {key: each[-1] for key, each in self._runners.items()}
        if not held:
            return
        until = self._clock.monotonic() + self._settings.lease_ttl_s

        def work(
            connection: db_engine.Connection,
        ) -> tuple[set[ids.OperationId], list[ids.OperationId]]:
            ttl_s = self._settings.lease_ttl_s
            kept = leases.renew(connection, self._worker_id, ttl_s, list(held))
            return kept, leases.list_halted(connection, kept)

        kept, halted = self._database.run(work)
        for operation_id in halted:
            # It may wait for long before it would look by itself.
            held[operation_id].post(messages.Again())
        for operation_id, each in held.items():
            if operation_id in kept:
                each.fence.renew(until)
                if each.is_holding:
                    each.post(messages.Look())
            else:
                each.fence.lose()
                each.post(messages.Drop())
