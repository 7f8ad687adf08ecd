"""Threads that serve requests, shared among projects.

The requests of one project never take all threads, and projects take turns:
a request waits behind those of its own project, not behind all others.
Searches have turns of their own and a share of the threads, so that a search
service that gives no answer delays no other request.
"""

import collections
import collections.abc
import dataclasses
import threading
import typing

from waitress import channel
from waitress import task

from orch import project_turns
from orch.api import client_addresses

_PREFIX: typing.Final = "/v1/"
_SEARCH: typing.Final = "search"
_SEARCHES: typing.Final = "?search"
"""End of the key of searches; no path and no project has a question mark."""
_SEARCH_SHARE: typing.Final = 4
"""One of so many threads serves searches, and at least one does."""


class _Queue(project_turns.ProjectTurns[channel.HTTPChannel]):
    """Connections whose next request waits for a thread."""

    def popleft(self) -> channel.HTTPChannel | None:
        """Take one, as waitress does at its end."""
        return self.take()


@dataclasses.dataclass(frozen=True, slots=True)
class _Full:
    """The keys whose requests wait: of projects, or of all searches."""

    projects: frozenset[str]
    has_searches: bool

    def __contains__(self, key: object) -> bool:
        text = str(key)
        project = text.removesuffix(_SEARCHES)
        return project in self.projects or (
            self.has_searches and project != text
        )


class ProjectDispatcher(task.ThreadedTaskDispatcher):
    """Threads that serve the next request of each connection."""

    def __init__(self, threads: int) -> None:
        """Start the threads.

        :param threads: requests served at the same time; of one project one
            less, unless it is the only one
        """
        super().__init__()
        self._waiting = self.queue = _Queue()  # type: ignore[assignment]
        self._size = threads
        self._project_limit = max(1, threads - 1)
        self._search_limit = max(1, threads // _SEARCH_SHARE)
        self._running: collections.Counter[str] = collections.Counter()
        self._searching = 0
        # By thread: whose request it serves.
        self._keys: dict[int, str] = {}
        self._size_lock = threading.Lock()
        self._is_ending = False
        self.set_thread_count(threads)

    def add_task(self, task: typing.Any) -> None:
        """Have the next request of a connection served.

        :param task: the connection
        """
        with self.lock:
            self._waiting.put(_key_of(task), task)
            self.queue_cv.notify()

    def lend(self, count: int) -> None:
        """Add threads to serve others while the calling one is occupied.

        Its request does not count for its project meanwhile.

        :param count: negative to take them back
        """
        with self._size_lock:
            if not self._is_ending:
                self.set_thread_count(self._size + count)
            self._size += count
        with self.lock:
            key = self._keys.get(threading.get_ident())
            if key is not None:
                self._add_running(key, -count)
                self.queue_cv.notify()

    def start_new_thread(
        self,
        target: collections.abc.Callable[[int], object],
        thread_no: int,
    ) -> None:
        """Start a thread; the caller has counted it.

        :raises RuntimeError: it cannot be started, and counts no more
        """
        try:
            super().start_new_thread(target, thread_no)
        except BaseException:
            self.threads.discard(thread_no)
            raise

    def shutdown(self, cancel_pending: bool = True, timeout: int = 5) -> bool:
        """End the threads; see the base class."""
        with self._size_lock:
            self._is_ending = True
        return bool(super().shutdown(cancel_pending, timeout))

    def handler_thread(self, thread_no: int) -> None:
        """Serve requests until this thread is to end."""
        while (found := self._take(thread_no)) is not None:
            key, connection = found
            try:
                connection.service()
            except BaseException:
                self.logger.exception("a request was not served")
            with self.lock:
                del self._keys[threading.get_ident()]
                self._add_running(key, -1)
                if self._waiting:
                    # This thread may be the one to end now.
                    self.queue_cv.notify()

    def _take(self, thread_no: int) -> tuple[str, channel.HTTPChannel] | None:
        """Return the connection whose turn it is; ``None`` to end."""
        with self.lock:
            while True:
                if self.stop_count > 0:
                    self.active_count -= 1
                    self.stop_count -= 1
                    self.threads.discard(thread_no)
                    self.thread_exit_cv.notify()
                    return None
                found = self._waiting.take(self._find_full())
                if found is not None:
                    key = _key_of(found)
                    self._keys[threading.get_ident()] = key
                    self._add_running(key, 1)
                    return key, found
                self.active_count -= 1
                self.queue_cv.wait()
                self.active_count += 1

    def _add_running(self, key: str, count: int) -> None:
        """Count requests that run; under the lock."""
        project = key.removesuffix(_SEARCHES)
        self._running[project] += count
        if not self._running[project]:
            del self._running[project]
        if project != key:
            self._searching += count

    def _find_full(self) -> _Full:
        """Return what has its share of the threads; under the lock."""
        return _Full(
            frozenset(
                project
                for project, count in self._running.items()
                if count >= self._project_limit
            ),
            self._searching >= self._search_limit,
        )


def _key_of(connection: channel.HTTPChannel) -> str:
    """Return whose the next request of a connection is.

    :returns: the project in its path, of searches with :data:`_SEARCHES`,
        else the address of its client
    """
    path = str(getattr(connection.requests[0], "path", ""))
    if path.startswith(_PREFIX):
        project, _, rest = path.removeprefix(_PREFIX).partition("/")
        if project and rest.partition("/")[0] == _SEARCH:
            return f"{project}{_SEARCHES}"
        if project:
            return project
    return client_addresses.network_of(str(connection.addr[0]))
