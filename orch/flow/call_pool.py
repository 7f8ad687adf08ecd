"""Threads for plug-in calls, and the replacement of threads that hang.

A thread cannot be stopped from outside. A call that takes longer than its
limit is given up: its answer is ignored, its thread ends when the call does,
and a fresh thread takes its place, so that other calls are made meanwhile.
What such a call still does is unknown; :mod:`orch.flow.runner.open_calls`
lets no other call for its resource begin until it has ended.

Services may be slow, and users may name them: calls of one project take a
part of the threads, and projects take turns.
"""

import collections
import collections.abc
import dataclasses
import threading

from orch import clock
from orch import errors
from orch import project_turns
from orch.context import outside

FIRST_THREADS = 2
GROW_DELAY_S = 0.05

NoteAbandoned = collections.abc.Callable[[collections.abc.Set[str]], None]
Done = collections.abc.Callable[[object, BaseException | None], None]


def _note_none(names: collections.abc.Set[str]) -> None:
    """Record nothing of the calls that are given up."""


class HungCall(errors.Permanent):
    """A plug-in call gave no answer in time; its effect is unknown."""

    code = "orch.resource.hung_call"
    is_verdict = False


@dataclasses.dataclass(slots=True, eq=False)
class Ticket:
    """One call: the function, its callback, and the moment of submission.

    :ivar begun: when a thread took it, in monotonic seconds
    """

    function: collections.abc.Callable[[], object]
    done: Done
    submitted: float
    name: str
    project_id: str
    begun: float | None = None
    is_abandoned: bool = False


class CallPool:
    """A bounded pool of threads that make calls and report the answers.

    A few threads serve many quick calls. More come only when a call has
    waited for a moment (:meth:`grow_pools`), so when calls are slow.

    :ivar slots: for calls of addresses that users name
    """

    def __init__(
        self,
        threads: int,
        limit_s: float,
        clock_: clock.Clock,
        project_limit: int | None = None,
    ) -> None:
        """Start no thread yet; they come with the calls.

        :param threads: maximum number of concurrent calls
        :param limit_s: seconds after which a call counts as hung
        :param project_limit: maximum of one project; ``None`` for all threads
        """
        self.slots = outside.make_slots(threads)
        self._size = threads
        self._project_limit = project_limit or threads
        self._limit_s = limit_s
        self._clock = clock_
        self._lock = threading.Lock()
        self._has_calls = threading.Condition(self._lock)
        self._calls: project_turns.ProjectTurns[Ticket] = (
            project_turns.ProjectTurns()
        )
        self._running: dict[int, Ticket] = {}
        self._lost: set[Ticket] = set()
        self._threads = 0
        self._is_stopping = False

    def submit(
        self,
        function: collections.abc.Callable[[], object],
        done: Done,
        name: str = "",
        project_id: str = "",
    ) -> Ticket:
        """Run the function on a thread of the pool, then call ``done``.

        :param done: called once, with the answer or with what was raised
        :param name: identifies the call once it was given up
        :param project_id: the project whose turn it takes
        """
        now = self._clock.monotonic()
        call = Ticket(function, done, now, name, project_id)
        with self._lock:
            self._calls.put(project_id, call)
            if self._threads < min(FIRST_THREADS, self._size):
                self._start_thread()
            self._has_calls.notify()
        return call

    def began_at(self, call: Ticket) -> float | None:
        """Return the start of a call, in monotonic seconds.

        :returns: ``None`` while it waits for a thread
        """
        with self._lock:
            return call.begun

    def give_up(self, call: Ticket) -> None:
        """Abandon a call; its answer is ignored.

        One that has no thread yet is never made.
        """
        with self._lock:
            if call in self._calls:
                self._calls.remove(call)
            for thread, running in list(self._running.items()):
                if running is call:
                    self._abandon(thread, call)

    def withdraw(self, call: Ticket) -> bool:
        """Remove a call that has no thread yet; ``done`` is not called.

        :returns: whether it will not be made; one that runs goes on
        """
        with self._lock:
            if call not in self._calls:
                return False
            self._calls.remove(call)
            return True

    def grow(self) -> float | None:
        """Add a thread when a call has waited for :data:`GROW_DELAY_S`.

        :returns: seconds after which to look again, ``None`` when nothing
            waits
        """
        with self._lock:
            if not self._calls or self._threads >= self._size:
                return None
            oldest = min(each.submitted for each in self._calls.first())
            waited = self._clock.monotonic() - oldest
            if waited < GROW_DELAY_S:
                return GROW_DELAY_S - waited
            missing = min(len(self._calls), self._size - self._threads)
            for _ in range(missing):
                self._start_thread()
            return GROW_DELAY_S

    @property
    def lost(self) -> frozenset[str]:
        """Names of the calls that were given up and have not ended."""
        with self._lock:
            return frozenset(call.name for call in self._lost if call.name)

    def abandon_hung(self, note: NoteAbandoned = _note_none) -> None:
        """Abandon each call that passed the limit; ``done`` gets HungCall.

        :param note: called before, with the names of these calls; when it
            raises nothing is given up
        """
        limit = self._clock.monotonic() - self._limit_s
        with self._lock:
            hung = {
                thread: call
                for thread, call in self._running.items()
                if call.begun is not None and call.begun < limit
            }
        names = {call.name for call in hung.values() if call.name}
        if names:
            note(names)
        with self._lock:
            for thread, call in list(hung.items()):
                if self._running.get(thread) is not call:
                    del hung[thread]  # it has ended meanwhile
                    continue
                self._abandon(thread, call)
        for call in hung.values():
            call.done(
                None,
                HungCall(
                    "the plug-in gave no answer within"
                    f" {self._limit_s:g} seconds"
                ),
            )

    def stop(self) -> None:
        """End the threads once the queued calls are made."""
        with self._lock:
            self._is_stopping = True
            self._has_calls.notify_all()

    def _abandon(self, thread: int, call: Ticket) -> None:
        """Replace the thread of a call that is given up; under the lock."""
        call.is_abandoned = True
        self._lost.add(call)
        del self._running[thread]
        self._threads -= 1
        self._start_thread()

    def _start_thread(self) -> None:
        self._threads += 1
        threading.Thread(
            target=self._work, name="orch-call", daemon=True
        ).start()

    def _work(self) -> None:
        me = threading.get_ident()
        while True:
            call = self._take(me)
            if call is None:
                return
            answer: object = None
            error: BaseException | None = None
            try:
                answer = call.function()
            except BaseException as raised:
                error = raised
            with self._lock:
                if call.is_abandoned:
                    self._lost.discard(call)
                    return
                del self._running[me]
            call.done(answer, error)

    def _take(self, me: int) -> Ticket | None:
        with self._lock:
            call = self._next_call()
            while call is None:
                if self._is_stopping and not self._calls:
                    self._threads -= 1
                    return None
                self._has_calls.wait()
                call = self._next_call()
            call.begun = self._clock.monotonic()
            self._running[me] = call
            return call

    def _next_call(self) -> Ticket | None:
        """Return the call whose turn it is; under the lock.

        :returns: ``None`` where only projects at their limit have calls
        """
        if self._is_stopping:
            return self._calls.take()
        running = collections.Counter(
            call.project_id for call in self._running.values()
        )
        return self._calls.take(
            {
                project_id
                for project_id, count in running.items()
                if count >= self._project_limit
            }
        )


def grow_pools(pools: collections.abc.Iterable[CallPool]) -> float | None:
    """Add a thread to each pool where calls have waited too long.

    :returns: seconds after which to look again, ``None`` when nothing waits
    """
    found = [each.grow() for each in pools]
    return min((each for each in found if each is not None), default=None)
