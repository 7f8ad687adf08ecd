"""Threads that answer calls, shared among projects.

The requests of one project never take all threads, and projects take turns:
a call waits behind those of its own project, not behind all others. What
waits takes no thread, and is refused once its caller waits no longer.
"""

import collections
import collections.abc
import logging
import threading
import time
import typing

from oslo_messaging.rpc import server

from orch import project_turns
from orch.context import deadline

Process = collections.abc.Callable[[typing.Any], object]


LOG = logging.getLogger(__name__)


class Message(typing.Protocol):
    """What we need of a message that came in.

    :ivar ctxt: the context of the request, as it travels
    """

    ctxt: collections.abc.Mapping[str, typing.Any]


class _Call(typing.NamedTuple):
    """One call that waits.

    :ivar ends_at: monotonic seconds until which its caller waits
    """

    process: Process
    incoming: object
    project_id: str
    ends_at: float | None


class ProjectExecutor:
    """An executor of oslo.messaging's servers, with turns by project.

    Its threads are started on demand.
    """

    def __init__(self, max_workers: int) -> None:
        """Start no thread yet.

        :param max_workers: calls answered at the same time; of one project
            one less, unless it is the only one
        """
        self._size = max_workers
        self._project_limit = max(1, max_workers - 1)
        self._waiting: project_turns.ProjectTurns[_Call] = (
            project_turns.ProjectTurns()
        )
        self._running: collections.Counter[str] = collections.Counter()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._is_stopping = False
        self._changed = threading.Condition()

    def submit(
        self,
        process: Process,
        incoming: collections.abc.Sequence[Message],
    ) -> None:
        """Process a message on a thread, when its project has its turn.

        :param incoming: one message, as the server passes it on
        :raises RuntimeError: no thread can be started, and none runs
        """
        context = incoming[0].ctxt
        limit_s = context.get("time_limit_s")
        call = _Call(
            process,
            incoming,
            str(context.get("project_id") or ""),
            None if limit_s is None else time.monotonic() + limit_s,
        )
        with self._changed:
            if (
                self._idle <= len(self._waiting)
                and len(self._threads) < self._size
            ):
                self._start_thread()
            self._waiting.put(call.project_id, call)
            self._changed.notify()

    def _start_thread(self) -> None:
        """Start a thread; where that fails, calls wait for those that run.

        :raises RuntimeError: it fails, and none runs
        """
        thread = threading.Thread(
            target=self._work, name="rpc-server", daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:
            if not self._threads:
                raise
            LOG.warning("calls wait longer: %s", error)
            return
        self._threads.append(thread)

    def shutdown(self, wait: bool = True) -> None:
        """End the threads once nothing waits.

        :param wait: return after that
        """
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        if wait:
            for thread in self._threads:
                thread.join()

    def _work(self) -> None:
        while (call := self._take()) is not None:
            left_s = None
            if call.ends_at is not None:
                left_s = call.ends_at - time.monotonic()
            try:
                with deadline.limited(left_s):
                    call.process(call.incoming)
            except Exception:
                LOG.exception("a call was not processed")
            finally:
                with self._changed:
                    self._running[call.project_id] -= 1
                    if not self._running[call.project_id]:
                        del self._running[call.project_id]
                    if self._waiting:
                        self._changed.notify()
            # What came with it may be large.
            del call

    def _take(self) -> _Call | None:
        """Return the call whose turn it is; ``None`` to end the thread."""
        with self._changed:
            self._idle += 1
            try:
                while True:
                    call = self._waiting.take(self._full_projects())
                    if call is not None:
                        self._running[call.project_id] += 1
                        return call
                    if self._is_stopping and not self._waiting:
                        self._changed.notify_all()
                        return None
                    self._changed.wait()
            finally:
                self._idle -= 1

    def _full_projects(self) -> collections.abc.Set[str]:
        """Return the projects that have their share; under the lock."""
        return {
            project_id
            for project_id, count in self._running.items()
            if count >= self._project_limit
        }


class ProjectServer(server.RPCServer):
    """A server of oslo.messaging whose threads projects share."""

    def __init__(self, *arguments: object, **more: object) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            *arguments, **more
        )
        self._executor_cls = ProjectExecutor
