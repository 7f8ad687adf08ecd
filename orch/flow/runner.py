"""Sees one operation through on a loop: begin, calls, waits, the end."""

import collections.abc
import dataclasses
import enum
import random
import typing

from oslo_log import log

from orch import clock
from orch import errors
from orch import ids
from orch.db import errors as db_errors
from orch.flow import calls
from orch.flow import ending
from orch.flow import engine
from orch.flow import fence
from orch.flow import loop
from orch.flow import messages
from orch.flow import open_calls
from orch.flow import store
from orch.flow import waiting
from orch.flow.tasks import base
from orch.model import operation

LOG = log.getLogger(__name__)

SHORTEST_WAIT_S = 0.01
FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 5.0
GROWTH = 1.5
NOT_HELD_PAUSE_S = 0.5
LONGEST_LISTEN_S = 60.0
"""After so long a change that waits for a signal is asked in any case."""


class Outcome(enum.Enum):
    """How the run of an operation ended."""

    COMPLETE = "complete"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CANCELLED = "cancelled"


_WHY_INTERRUPTED = {
    Outcome.FAILED: "another resource failed before this one was taken up",
    Outcome.TIMED_OUT: "the operation's time was over",
    Outcome.CANCELLED: "the operation was cancelled",
}


class TimedOut(calls.HungCall):
    """The operation's time was over before the resource was complete."""

    code = "orch.operation.timed_out"


def _find_free(resource_id: ids.ResourceId) -> None:
    """Know of no earlier call that goes on."""


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """An operation that is loaded and planned.

    :ivar run: the engine of its flow
    :ivar kept: its rows
    :ivar conclude: says how it ends: outcome, and whether somebody asked
        it to end
    :ivar deadline: monotonic seconds at which its time is over
    :ivar waiting: what of it waits
    :ivar check_free: returns only if no earlier call for a resource goes on
    """

    run: engine.Engine
    kept: store.Store
    conclude: collections.abc.Callable[
        [Outcome, operation.Halt | None], ending.Ending
    ]
    deadline: float | None
    waiting: waiting.Waiting
    check_free: collections.abc.Callable[[ids.ResourceId], None] = _find_free


class Host(typing.Protocol):
    """What a runner asks of the conductor that has it."""

    def prepare(self, held: fence.Fence, flush: "Flush") -> Job | None:
        """Load and plan; ``None`` when it came to its end doing so."""

    def give_back(self, held: fence.Fence) -> None:
        """Let another worker have the operation at once."""

    def abort(self, held: fence.Fence, error: Exception) -> None:
        """End the operation as failed for an error of ours."""

    def forget(self, held: fence.Fence) -> None:
        """Know that the runner with this fence has ended, and its calls."""


Flush = collections.abc.Callable[[], None]


class Runner(loop.Served):
    """One operation, from the lease to its end."""

    def __init__(
        self,
        held: fence.Fence,
        host: Host,
        serving: loop.Loop,
        pool: calls.CallPool,
        clock_: clock.Clock,
        depth: int = 0,
    ) -> None:
        """Be ready for :class:`messages.Begin`.

        :param depth: of the stack in the tree, 0 for a root
        """
        self.fence = held
        self.depth = depth
        self._host = host
        self._loop = serving
        self._pool = pool
        self._clock = clock_
        self._job: Job | None = None
        self._resumed: set[base.ChangeTask] = set()
        self._waits: dict[base.ChangeTask, int] = {}
        self._calling: set[base.ChangeTask] = set()
        # How often each atom began to wait for a signal.
        self._listens: dict[base.ChangeTask, int] = {}
        self._expects_quiet = False
        # Told to have ended, and not looked at since.
        self._inner_ended: set[ids.ResourceId] = set()
        self._outcome = Outcome.COMPLETE
        self._is_stopping = False
        self._has_ended = False
        # What went wrong with us, until it is told.
        self._error: Exception | None = None

    @property
    def is_holding(self) -> bool:
        """Answer whether somebody else has to let changes go on."""
        job = self._job
        if job is None:
            return False
        return job.run.is_holding or bool(job.waiting.listening.atoms)

    def post(self, message: object) -> None:
        """Hand a message over; from any thread."""
        self._loop.post(self, message)

    def receive(self, message: object) -> None:
        """Take one message in."""
        if self._has_ended:
            if isinstance(message, messages.Answer):
                self._calling.discard(message.atom)
                self._leave()
            return
        match message:
            case messages.Answer():
                self._take_answer(message)
            case messages.Ask(atom):
                is_due = self._runs(atom) and atom not in self._calling
                if is_due and not self._is_stopping:
                    self._call(atom, atom.poll)
            case messages.InnerEnded(resource_id):
                self._look_at(resource_id)
            case messages.Heed(atom, number):
                if self._listens.get(atom) == number:
                    self._heed(atom)
            case messages.Quiet():
                self._expects_quiet = False
                self._expect_quiet()
            case messages.Retry(atom):
                if self._runs(atom) and not self._is_stopping:
                    self._resume(atom)
            case messages.Begin():
                self._begin()
            case messages.Look():
                if self._job is not None:
                    self._job.waiting.look()
            case messages.Deadline():
                self._run_out_of_time()
            case messages.Stop():
                self._stop()
            case messages.Drop():
                self._end()

    def tick(self) -> None:
        """Write what was noted, begin what is ready, or end."""
        job = self._job
        if job is None or self._has_ended:
            return
        job.waiting.give_up(self._calling | self._resumed)
        try:
            begun = job.run.tick()
        except db_errors.LeaseLost as error:
            LOG.warning("%s", error)
            self.fence.lose()
            self._end()
            return
        if self._job is None:
            return
        if job.kept.halt is not None and not self._is_stopping:
            for atom in begun:
                job.run.forget(atom)
                job.kept.take_back(atom.change)
            self._stop()
        else:
            resumed = [each for each in self._resumed if self._runs(each)]
            for atom in (*begun, *resumed):
                self._call(atom, atom.begin)
        self._resumed.clear()
        job.kept.forget_intents()
        for atom in job.waiting.listening.take_heard():
            self._heed(atom)
        has_stopped = self._is_stopping and not self._calling
        has_gone_on = job.waiting.take_gone_on()
        if has_stopped or has_gone_on or job.run.has_ready:
            self._loop.post(self, messages.Again())

    def crash(self, error: Exception) -> None:
        """End as failed, for an error of ours, once no call is under way."""
        if not self._has_ended:
            self._error = error
            self._end()

    def flush(self) -> None:
        """Write; with the end of the operation, once it has come."""
        job = self._job
        assert job is not None
        is_idle = not self._calling and not self._resumed
        if is_idle and job.waiting.may_park():
            if job.waiting.write(parks=True):
                self._end()
            return
        if not job.run.is_finished:
            job.waiting.write()
            return
        if self._is_stopping and not job.run.is_complete:
            job.waiting.write()
            if job.kept.halt is not None:
                self._conclude(job)
            else:
                self._host.give_back(self.fence)
                self._end()
            return
        self._conclude(job)

    def _conclude(self, job: Job) -> None:
        job.run.close()
        halt = job.kept.halt
        outcome = self._outcome
        if halt is operation.Halt.CANCELLED and not job.run.is_complete:
            outcome = Outcome.CANCELLED
        elif outcome is Outcome.COMPLETE and job.run.failures:
            outcome = Outcome.FAILED
        is_superseded = halt is operation.Halt.SUPERSEDED
        if outcome in _WHY_INTERRUPTED and not is_superseded:
            job.kept.note_interrupted(_WHY_INTERRUPTED[outcome])
        job.kept.flush(
            lambda halt: job.conclude(outcome, halt), job.waiting.visit()
        )
        self._end()

    def _begin(self) -> None:
        self._job = self._host.prepare(self.fence, self.flush)
        if self._job is None:
            self._end()
            return
        self._job.run.open()
        if self._job.deadline is not None:
            if self._job.deadline <= self._clock.monotonic():
                self._run_out_of_time()
            else:
                self._loop.post_at(
                    self._job.deadline, self, messages.Deadline()
                )
        if self._job.kept.halt is not None:
            self._stop()

    def _end(self) -> None:
        self._has_ended = True
        self._job = None
        self._leave()

    def _leave(self) -> None:
        """Be forgotten once no call is under way; what they give is lost.

        Nobody may look for what a call of ours is still about to make. So an
        error of ours is told only then, too: something may follow it.
        """
        if self._calling:
            return
        error, self._error = self._error, None
        if error is not None:
            self._host.abort(self.fence, error)
        self._host.forget(self.fence)

    def _runs(self, atom: base.ChangeTask) -> bool:
        return self._job is not None and self._job.run.is_running(atom)

    def _call(
        self,
        atom: base.ChangeTask,
        function: collections.abc.Callable[[], base.Step],
    ) -> None:
        job = self._job
        assert job is not None
        acting = job.kept.acting(atom.change) or atom.change
        check_free = job.check_free

        def call() -> base.Step:
            self.fence.check()
            check_free(acting.resource_id)
            return function()

        def done(answer: object, error: BaseException | None) -> None:
            step = answer if isinstance(answer, base.Step) else None
            self._loop.post(self, messages.Answer(atom, step, error))

        job.waiting.delays.call(atom)
        self._calling.add(atom)
        name = open_calls.name_of(job.kept.stack.id, acting.resource_id)
        self._pool.submit(call, done, name)

    def _take_answer(self, answer: messages.Answer) -> None:
        atom, step, error = answer
        self._calling.discard(atom)
        if self._job is None or not self._runs(atom):
            return
        if isinstance(error, fence.NotHeld):
            self._wait_for_lease(atom)
        elif step is None:
            self._take_error(
                atom, error or errors.Permanent("the call gave no answer")
            )
        elif step.pending is None:
            self._job.run.complete(atom, step)
        else:
            atom.note(step)
            self._job.waiting.delays.recover(atom)
            self._wait(atom, step)

    def _take_error(self, atom: base.ChangeTask, error: BaseException) -> None:
        """Make the call again later, or let the change fail.

        A worker that stops leaves what passes by itself to the next one.
        """
        assert self._job is not None
        delayed = self._job.waiting.delays
        if self._outcome is Outcome.TIMED_OUT or not delayed.take(atom, error):
            self._job.run.fail(atom, error)
        elif self._is_stopping:
            self._job.run.forget(atom)
        else:
            self._loop.post_at(delayed.due(atom), self, self._next_call(atom))

    def _look_at(self, resource_id: ids.ResourceId) -> None:
        """Ask an atom whose stack has ended, now or once it waits."""
        if self._is_stopping:
            return
        for atom in list(self._waits):
            is_free = self._runs(atom) and atom not in self._calling
            if is_free and self._is_of(atom, resource_id):
                self._call(atom, atom.poll)
                return
        self._inner_ended.add(resource_id)

    def _is_of(
        self, atom: base.ChangeTask, resource_id: ids.ResourceId
    ) -> bool:
        assert self._job is not None
        acting = self._job.kept.acting(atom.change) or atom.change
        return acting.resource_id == resource_id

    def _resume(self, atom: base.ChangeTask) -> None:
        """Begin again, once the intent to do so is written."""
        assert self._job is not None
        self._job.waiting.delays.intend(atom)
        self._resumed.add(atom)

    def _next_call(
        self, atom: base.ChangeTask
    ) -> messages.Ask | messages.Retry:
        """Return the message that makes the call once more."""
        return (
            messages.Ask(atom) if atom in self._waits else messages.Retry(atom)
        )

    def _wait(self, atom: base.ChangeTask, step: base.Step) -> None:
        """Ask again later: when the plug-in says, or ever more seldom."""
        assert self._job is not None and step.pending is not None
        if self._is_stopping:
            self._job.run.forget(atom)
            return
        if self._outcome is Outcome.TIMED_OUT:
            self._fail_for_time(atom)
            return
        waits = self._waits[atom] = self._waits.get(atom, -1) + 1
        for resource_id in self._inner_ended:
            if self._is_of(atom, resource_id):
                self._inner_ended.discard(resource_id)
                self._call(atom, atom.poll)
                return
        if step.pending.awaits_signal:
            self._listen(atom, step.pending.after_s)
            return
        pause = step.pending.after_s
        if pause is None:
            pause = min(FIRST_WAIT_S * GROWTH**waits, LONGEST_WAIT_S)
            pause *= random.uniform(0.8, 1.2)  # noqa: S311 - spreads load
        due = self._clock.monotonic() + max(pause, SHORTEST_WAIT_S)
        self._loop.post_at(due, self, messages.Ask(atom))

    def _listen(self, atom: base.ChangeTask, after_s: float | None) -> None:
        """Ask again once a signal came, or at its own moment.

        One may have come since the rows were read: they are looked at.
        """
        assert self._job is not None
        waiting = self._job.waiting
        if after_s is not None:
            after_s = max(after_s, SHORTEST_WAIT_S)
        waiting.listening.begin(atom, after_s)
        waiting.look()
        number = self._listens[atom] = self._listens.get(atom, 0) + 1
        pause = LONGEST_LISTEN_S
        if after_s is not None:
            pause = min(after_s, pause)
        due = self._clock.monotonic() + pause
        self._loop.post_at(due, self, messages.Heed(atom, number))
        self._expect_quiet()

    def _heed(self, atom: base.ChangeTask) -> None:
        """Ask an atom that waits for a signal."""
        if self._job is None or self._is_stopping or not self._runs(atom):
            return
        if atom in self._job.waiting.listening.atoms:
            self._job.waiting.listening.end(atom)
            self._call(atom, atom.poll)

    def _expect_quiet(self) -> None:
        """Look again when what waits for signals may leave the worker."""
        if self._job is None or self._expects_quiet:
            return
        listening = self._job.waiting.listening
        if listening.atoms and not listening.is_quiet:
            self._expects_quiet = True
            self._loop.post_at(listening.quiet_at, self, messages.Quiet())

    def _wait_for_lease(self, atom: base.ChangeTask) -> None:
        """Try again once the lease was renewed; end if it was lost."""
        if self.fence.is_lost:
            self._end()
            return
        if self._is_stopping and self._job is not None:
            self._job.run.forget(atom)
            return
        self._loop.post_at(
            self._clock.monotonic() + NOT_HELD_PAUSE_S,
            self,
            self._next_call(atom),
        )

    def _run_out_of_time(self) -> None:
        if self._job is None:
            return
        self._outcome = Outcome.TIMED_OUT
        self._job.run.suspend()
        for atom in self._job.run.running - self._calling:
            self._fail_for_time(atom)

    def _fail_for_time(self, atom: base.ChangeTask) -> None:
        """Let a change fail that nothing more is asked for.

        A call that is under way is waited for before: whoever comes next
        must not look for what it is still about to make.
        """
        assert self._job is not None
        error = self._job.waiting.delays.find_error(atom)
        self._job.run.fail(atom, _timed_out(error))

    def _stop(self) -> None:
        """Begin nothing, wait for nothing; calls under way may answer."""
        self._is_stopping = True
        if self._job is None:
            return
        self._job.run.suspend()
        for atom in self._job.run.running - self._calling:
            self._job.run.forget(atom)


def _timed_out(error: BaseException | None) -> TimedOut:
    """Return the end of a change, with what its last call gave."""
    text = "the operation's time was over"
    if error is not None:
        text += f"; the last try failed: {type(error).__name__}: {error}"
    return TimedOut(text)
