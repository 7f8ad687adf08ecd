"""A thread that serves many operations: messages, timers, a tick.

Nothing in it waits for the world. Answers of plug-in calls arrive on a
queue, times of polls are in a heap, and an operation that neither has an
answer nor is due costs nothing. Projects take turns, so that many operations
of one do not delay those of others.
"""

import abc
import collections.abc
import contextlib
import heapq
import itertools
import queue
import threading

from oslo_log import log

from orch import clock
from orch import project_turns

LOG = log.getLogger(__name__)


class LoopMember(abc.ABC):
    """An object that a loop serves; called on the loop's thread only.

    :ivar project_id: the project whose turns it takes
    """

    project_id: str = ""

    @abc.abstractmethod
    def receive(self, message: object) -> None:
        """Take one message in."""

    @abc.abstractmethod
    def tick(self) -> None:
        """Act on the messages received."""

    @abc.abstractmethod
    def crash(self, error: Exception) -> None:
        """Give up after an internal error; must not raise."""

    def logged(self) -> contextlib.AbstractContextManager[None]:
        """Bind log lines to the request of this member."""
        return contextlib.nullcontext()


class Loop:
    """The thread, its queue of messages and its heap of timers."""

    def __init__(
        self,
        name: str,
        clock_: clock.Clock,
        on_turn: collections.abc.Callable[[], float | None],
    ) -> None:
        """Create the thread; :meth:`start` starts it.

        :param on_turn: called once a turn; returns after how many seconds
            it is to be called again, ``None`` for with the next turn
        """
        self._clock = clock_
        self._on_turn = on_turn
        self._queue: queue.SimpleQueue[tuple[LoopMember | None, object]] = (
            queue.SimpleQueue()
        )
        self._timers: list[tuple[float, int, LoopMember, object]] = []
        # Members with messages, and these.
        self._turns: project_turns.ProjectTurns[LoopMember] = (
            project_turns.ProjectTurns()
        )
        self._messages: dict[LoopMember, list[object]] = {}
        self._is_ending = False
        self._numbers = itertools.count()
        self._pause_s: float | None = None
        self._thread = threading.Thread(
            target=self._run, name=name, daemon=True
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """End the thread after the messages that its queue has now."""
        self._queue.put((None, None))
        self._thread.join(timeout_s)

    def post(self, whom: LoopMember, message: object) -> None:
        """Queue a message for the loop; from any thread."""
        self._queue.put((whom, message))

    def post_at(self, due: float, whom: LoopMember, message: object) -> None:
        """Hand a message over at a moment; from the loop's thread only.

        :param due: monotonic seconds
        """
        heapq.heappush(self._timers, (due, next(self._numbers), whom, message))

    def _run(self) -> None:
        while True:
            for whom, message in self._take():
                self._collect(whom, message)
            member = self._turns.take()
            if member is not None:
                self._serve(member)
            elif self._is_ending:
                return
            self._pause_s = self._on_turn()

    def _collect(self, whom: LoopMember | None, message: object) -> None:
        """Queue a message for the turn of its member."""
        if whom is None:
            self._is_ending = True
            return
        if whom not in self._messages:
            self._messages[whom] = []
            self._turns.put(whom.project_id, whom)
        self._messages[whom].append(message)

    def _serve(self, member: LoopMember) -> None:
        """Hand over all messages of one member, and let it act on them."""
        is_touched = False
        for message in self._messages.pop(member):
            is_touched |= _guard(member, member.receive, message)
        if is_touched:
            _guard(member, member.tick)

    def _take(
        self,
    ) -> collections.abc.Iterator[tuple[LoopMember | None, object]]:
        """Yield all messages that are due; wait where no member has any."""
        timeout = self._pause_s
        if self._timers:
            due = max(0.0, self._timers[0][0] - self._clock.monotonic())
            timeout = due if timeout is None else min(due, timeout)
        with contextlib.suppress(queue.Empty):
            if self._messages or self._is_ending:
                yield self._queue.get_nowait()
            else:
                yield self._queue.get(timeout=timeout)
            for _ in range(self._queue.qsize()):
                yield self._queue.get_nowait()
        now = self._clock.monotonic()
        while self._timers and self._timers[0][0] <= now:
            _, _, whom, message = heapq.heappop(self._timers)
            yield whom, message


def _guard(
    whom: LoopMember,
    act: collections.abc.Callable[..., None],
    *arguments: object,
) -> bool:
    """Whether the act succeeded; else the member gives up."""
    with whom.logged():
        try:
            act(*arguments)
        except Exception as error:
            LOG.exception("an operation is released after an error")
            try:
                whom.crash(error)
            except Exception:
                LOG.exception("it is left to the worker that takes it over")
            return False
    return True
