"""Run the changes of one operation: calls, answers, errors, waits.

The beginning and the end of the operation itself are in ``runner``.
"""

import collections.abc
import random
import threading
import typing

from oslo_log import log

from orch import clock
from orch import errors
from orch import ids
from orch import project_slots
from orch.context import outside
from orch.flow import call_pool
from orch.flow.runner import job as jobs
from orch.flow.runner import messages
from orch.flow.runner import open_calls
from orch.flow.runner import polling
from orch.flow.state import conclusion
from orch.flow.state import fence
from orch.flow.tasks import base
from orch.plugin import call_context
from orch.plugin import logged_errors
from orch.plugin import resource

LOG = log.getLogger(__name__)

_MIN_BATCH: typing.Final = 2

CheckFree = collections.abc.Callable[[ids.ResourceId], None]
_Kind = tuple[type[base.ChangeTask], resource.Resource]
_Expected = tuple[base.ChangeTask, call_context.Context]


class TaskBatches:
    """The notices to plug-ins before the calls of one tick."""

    def __init__(
        self,
        atoms: collections.abc.Iterable[base.ChangeTask],
        check_free: CheckFree,
    ) -> None:
        """Group the tasks by class and plug-in; notify none yet.

        :param atoms: those whose intent is durable and whose calls follow
        :param check_free: raises Transient while an earlier call for a
            resource is still running
        """
        self._check_free = check_free
        self._lock = threading.Lock()
        self._pending: dict[_Kind, list[_Expected]] = {}
        for atom in atoms:
            try:
                expected = atom.expected()
            except Exception as error:
                LOG.warning("%s is not reported: %s", atom.name, error)
                continue
            if expected is not None:
                plugin, context = expected
                kind = (type(atom), plugin)
                self._pending.setdefault(kind, []).append((atom, context))

    def notify(self) -> None:
        """Notify the plug-ins, once, before the first of the calls.

        What goes wrong meanwhile each call finds by itself.
        """
        with self._lock:
            unrecorded, self._pending = self._pending, {}
            for (kind, plugin), expected in unrecorded.items():
                self._notify(kind, plugin, expected)

    def _notify(
        self,
        kind: type[base.ChangeTask],
        plugin: resource.Resource,
        expected: collections.abc.Sequence[_Expected],
    ) -> None:
        free = [each for each in expected if self._is_free(each[1])]
        if len(free) < _MIN_BATCH:
            return
        try:
            kind.prepare(plugin, free)
        except Exception as error:
            text = logged_errors.redact_error(
                error, (context for _, context in free)
            )
            LOG.warning("%s cannot do it at once: %s", plugin.type_name, text)

    def _is_free(self, context: call_context.Context) -> bool:
        try:
            self._check_free(ids.ResourceId(context.token))
        except errors.Transient:
            return False
        return True


LEASE_RETRY_PAUSE_S: typing.Final = 0.5
"""After so long a call is made that the lease was too near its end for."""


class Changes:
    """The changes of one job, each from its first call to its end.

    It is used on the operation's loop only.

    :ivar job: the operation that is run
    :ivar outcome: how the run ends, as far as nothing has failed
    """

    def __init__(
        self,
        owner: jobs.Owner,
        job: jobs.Job,
        pool: call_pool.CallPool,
        clock_: clock.Clock,
        under_way: set[base.ChangeTask],
    ) -> None:
        """Start no call yet.

        :param pool: makes the calls
        :param under_way: those whose call has not answered; the owner takes
            them out, since it waits for them when this job is over, too
        """
        self.job = job
        self.outcome = conclusion.RunOutcome.COMPLETE
        self._owner = owner
        self._pool = pool
        self._clock = clock_
        self._under_way = under_way
        self._running = job.run.running
        self._resumed: set[base.ChangeTask] = set()
        self._polling = polling.Polling(
            job.store, job.waiting.signal_waits, clock_, owner.post_at
        )

    @property
    def is_idle(self) -> bool:
        """Whether no call is in progress or about to be made."""
        return not self._under_way and not self._resumed

    def receive(self, message: object) -> None:
        """Handle a message; those of the operation itself are ignored."""
        match message:
            case messages.Answer():
                self._take_answer(message)
            case messages.Poll(atom):
                is_due = atom in self._running and atom not in self._under_way
                if is_due and not self._owner.is_stopping:
                    self._call(atom, atom.poll)
            case messages.ChildEnded(resource_id):
                self._polling.take_end(resource_id)
            case messages.PollEnded():
                self._poll_ended()
            case messages.PollSignalled(atom):
                if self._polling.poll_signalled(message):
                    self._poll_signalled(atom)
            case messages.SignalsQuiet():
                self._polling.take_quiet()
            case messages.Retry(atom):
                if atom in self._running and not self._owner.is_stopping:
                    self._resume(atom)

    def give_up(self) -> None:
        """End the waits of a failed operation."""
        self.job.waiting.give_up(self._under_way | self._resumed)

    def begin(
        self, begun: collections.abc.Collection[base.ChangeTask]
    ) -> None:
        """Make the calls whose intents are written.

        :param begun: those that begin with this tick
        """
        resumed = [each for each in self._resumed if each in self._running]
        batches = TaskBatches(begun, self.job.check_free)
        for atom in begun:
            self._call(atom, atom.begin, batches.notify)
        for atom in resumed:
            self._call(atom, atom.begin)

    def take_back(
        self, begun: collections.abc.Iterable[base.ChangeTask]
    ) -> None:
        """Undo the written intents of atoms whose calls are not made."""
        for atom in begun:
            self.job.run.forget(atom)
            self.job.store.take_back(atom.change)

    def go_on(self) -> None:
        """End a tick, and poll the atoms that have a new signal."""
        self._resumed.clear()
        self.job.store.rows.forget_intents()
        for atom in self.job.waiting.signal_waits.take_signalled():
            self._poll_signalled(atom)

    def stop(self) -> None:
        """Start no call and end all waits; running calls may answer."""
        self.job.run.suspend()
        for atom in self._running - self._under_way:
            self.job.run.forget(atom)

    def run_out_of_time(self) -> None:
        """Fail each unfinished change; running calls may answer."""
        self.outcome = conclusion.RunOutcome.TIMED_OUT
        self.job.run.suspend()
        for atom in self._running - self._under_way:
            self._fail_for_time(atom)

    def _call(
        self,
        atom: base.ChangeTask,
        function: collections.abc.Callable[[], base.Step],
        before: collections.abc.Callable[[], None] | None = None,
    ) -> None:
        store = self.job.store
        acting = store.acting(atom.change) or atom.change
        check_free = self.job.check_free
        owner, held = self._owner, self._owner.fence
        asked = outside.OutsideCalls(store.stack.project_id, self._pool.slots)

        def call() -> base.Step:
            with owner.logged(), outside.limited(asked):
                held.check()
                check_free(acting.resource_id)
                if before is not None:
                    before()
                # Nothing may come between: what stalls here is too late.
                store.check_held()
                return function()

        def done(answer: object, error: BaseException | None) -> None:
            step = answer if isinstance(answer, base.Step) else None
            owner.post(messages.Answer(atom, step, error))

        self.job.waiting.delays.call(atom)
        self._under_way.add(atom)
        name = open_calls.lease_name(store.stack.id, acting.resource_id)
        self._pool.submit(call, done, name, store.stack.project_id)

    def _take_answer(self, answer: messages.Answer) -> None:
        atom, step, error = answer
        if atom not in self._running:
            return
        if isinstance(error, fence.NotHeld):
            self._wait_for_lease(atom)
        elif isinstance(error, project_slots.SlotsTaken):
            self._wait_for_slot(atom)
        elif step is None:
            self._take_error(
                atom, error or errors.Permanent("the call gave no answer")
            )
        elif step.pending is None:
            self.job.waiting.children.take(atom, None)
            self.job.run.complete(atom, step)
        elif step.begins_again:
            atom.note(step)
            self._begin_later(atom, step.pending)
        else:
            atom.note(step)
            self.job.waiting.delays.recover(atom)
            self.job.waiting.children.take(atom, step.pending)
            self._wait(atom, step.pending)

    def _take_error(self, atom: base.ChangeTask, error: BaseException) -> None:
        """Make the call again later, or let the change fail.

        A worker that stops leaves what passes by itself to the next one.
        """
        delayed = self.job.waiting.delays
        self.job.waiting.children.take(atom, None)
        is_over = self.outcome is conclusion.RunOutcome.TIMED_OUT
        if is_over or not delayed.take(atom, error):
            self.job.run.fail(atom, error)
        elif self._owner.is_stopping:
            self.job.run.forget(atom)
        else:
            self._call_at(delayed.due(atom), atom)

    def _poll_ended(self) -> None:
        """Poll the waiting atoms whose child stacks have ended."""
        if self._owner.is_stopping:
            return
        for atom in self._polling.take_ended(
            lambda each: each in self._running and each not in self._under_way
        ):
            self._call(atom, atom.poll)

    def _resume(self, atom: base.ChangeTask) -> None:
        """Start an atom again, once its new intent is written."""
        self.job.waiting.delays.intend(atom)
        self._resumed.add(atom)

    def _call_at(self, due: float, atom: base.ChangeTask) -> None:
        """Make the call that failed once more, at a moment.

        :param due: monotonic seconds
        """
        self._owner.post_at(due, self._polling.next_call(atom))

    def _begin_later(
        self, atom: base.ChangeTask, pending: call_context.Pending
    ) -> None:
        """Begin the change anew later, unless the run stops or is over."""
        if self._is_over(atom):
            return
        due = self._clock.monotonic() + (pending.after_s or 0.0)
        self._owner.post_at(due, messages.Retry(atom))

    def _is_over(self, atom: base.ChangeTask) -> bool:
        """Whether an atom ends that would wait: the run stops or is over."""
        if self._owner.is_stopping:
            self.job.run.forget(atom)
        elif self.outcome is conclusion.RunOutcome.TIMED_OUT:
            self._fail_for_time(atom)
        else:
            return False
        return True

    def _wait(
        self, atom: base.ChangeTask, pending: call_context.Pending
    ) -> None:
        """Poll again later, unless the run stops or is over."""
        if self._is_over(atom):
            return
        if self._polling.wait(atom, pending):
            self._call(atom, atom.poll)
        elif pending.awaits_signal:
            # One may have come since the rows were read.
            self.job.waiting.look()

    def _poll_signalled(self, atom: base.ChangeTask) -> None:
        """Poll an atom that waits for a signal."""
        if self._owner.is_stopping or atom not in self._running:
            return
        if atom in self.job.waiting.signal_waits.atoms:
            self.job.waiting.signal_waits.end(atom)
            self._call(atom, atom.poll)

    def _wait_for_lease(self, atom: base.ChangeTask) -> None:
        """Try again once the lease was renewed; end if it was lost."""
        if self._owner.fence.is_lost:
            self._owner.leave(gives_back=False)
        elif self._owner.is_stopping:
            self.job.run.forget(atom)
        else:
            self._call_at(self._clock.monotonic() + LEASE_RETRY_PAUSE_S, atom)

    def _wait_for_slot(self, atom: base.ChangeTask) -> None:
        """Try again later, when other calls have ended."""
        if self.outcome is conclusion.RunOutcome.TIMED_OUT:
            self._fail_for_time(atom)
        elif self._owner.is_stopping:
            self.job.run.forget(atom)
        else:
            pause_s = project_slots.SlotsTaken.retry_after_s * (
                0.5 + random.random()  # noqa: S311 - spreads load
            )
            self._call_at(self._clock.monotonic() + pause_s, atom)

    def _fail_for_time(self, atom: base.ChangeTask) -> None:
        """Fail a change that is polled no more, for lack of time.

        A call in progress has to answer before: the next attempt must not
        look for what it is still about to make.
        """
        error = self.job.waiting.delays.find_error(atom)
        self.job.run.fail(atom, conclusion.timeout_error(error))
