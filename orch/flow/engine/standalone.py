"""Drive one engine on the calling thread, with a pool of its own.

Workers drive theirs on a loop that serves many (``orch.flow.runner.runner``).
"""

import collections.abc
import heapq
import queue
import typing

from orch import clock
from orch.flow import call_pool
from orch.flow.tasks import base

_Result = tuple[base.ChangeTask, base.Step | None, BaseException | None]


class Driven(typing.Protocol):
    """The part of an engine that a drive needs."""

    @property
    def has_ready(self) -> bool:
        """Whether another tick would start an atom."""

    @property
    def is_finished(self) -> bool:
        """Whether no atom runs and none will start by itself."""

    @property
    def running(self) -> collections.abc.Set[base.ChangeTask]:
        """The atoms that have started and not ended."""

    def tick(self) -> list[base.ChangeTask]:
        """Start what is ready; return the atoms to call."""

    def complete(self, atom: base.ChangeTask, step: base.Step) -> None:
        """Record the success of an atom."""

    def fail(self, atom: base.ChangeTask, error: BaseException) -> None:
        """Record the failure of an atom."""


class Drive:
    """Makes the calls of one engine, and passes it the answers."""

    def __init__(self, driven: Driven, clock_: clock.Clock) -> None:
        """Make no call yet."""
        self._driven = driven
        self._clock = clock_
        self._pool = call_pool.CallPool(
            call_pool.FIRST_THREADS, 3600.0, clock_
        )
        self._results: queue.SimpleQueue[_Result] = queue.SimpleQueue()
        self._polls: list[tuple[float, int, base.ChangeTask]] = []

    def run(self) -> None:
        """Run until no atom is running and no further one starts."""
        try:
            while not self._driven.is_finished:
                for atom in self._driven.tick():
                    self._submit(atom, atom.begin)
                while not self._driven.has_ready and self._driven.running:
                    self._wait()
        finally:
            self._pool.stop()

    def _wait(self) -> None:
        """Take one answer, or poll the atoms that are due."""
        now = self._clock.monotonic()
        polls = self._polls
        while polls and polls[0][0] <= now:
            atom = heapq.heappop(polls)[2]
            self._submit(atom, atom.poll)
        try:
            atom, step, error = self._results.get(
                timeout=max(polls[0][0] - now, 0) if polls else None
            )
        except queue.Empty:
            return
        if step is None:
            self._driven.fail(atom, error or RuntimeError("no answer"))
        elif step.pending is None:
            self._driven.complete(atom, step)
        else:
            atom.note(step)
            due = now + (step.pending.after_s or 0.05)
            heapq.heappush(polls, (due, id(atom), atom))

    def _submit(
        self,
        atom: base.ChangeTask,
        call: collections.abc.Callable[[], base.Step],
    ) -> None:
        def tell(answer: object, error: BaseException | None) -> None:
            step = answer if isinstance(answer, base.Step) else None
            self._results.put((atom, step, error))

        self._pool.submit(call, tell)
