"""Slots for work that one project must not fill for all others."""

import collections
import collections.abc
import contextlib
import threading
import time
import typing

from orch import errors

_MAX_SLOW: typing.Final = 1000


class SlotsTaken(errors.Unavailable):
    """All slots for such work are taken, or all of one project are.

    :cvar retry_after_s: when to ask again for one
    """

    code = "orch.slots_taken"
    retry_after_s: typing.Final = 5


class ProjectSlots:
    """Counts work in progress, in all and by project.

    Threads may share one.
    """

    def __init__(self, work: str, limit: int, project_limit: int) -> None:
        """Count none in progress.

        :param work: what takes a slot, in the plural, for messages:
            "requests that fetch templates"
        :param limit: slots in all
        :param project_limit: slots of one project
        """
        self._work = work
        self._limit = limit
        self._project_limit = project_limit
        self._released = threading.Condition()
        self._taken: collections.Counter[str] = collections.Counter()
        # Projects whose work takes long: nothing waits for its end.
        self._slow: set[str] = set()

    @contextlib.contextmanager
    def taken(
        self, project_id: str | None, wait_s: float = 0.0
    ) -> collections.abc.Iterator[None]:
        """Take a slot for a project, until the block ends.

        :param project_id: ``None`` for work that belongs to no project; such
            work counts as that of one project
        :param wait_s: seconds to wait for one; a caller that waits holds a
            thread, so once a project has waited in vain for work of its own
            it does not wait again until work of it took no longer than that
        :raises SlotsTaken: none is free
        """
        is_slow = (project_id or "") in self._slow
        try:
            self.take(project_id, 0.0 if is_slow else wait_s)
        except SlotsTaken:
            if self._has_all(project_id or ""):
                self._note_pace(project_id, is_slow=True)
            raise
        since = time.monotonic()
        try:
            yield
        finally:
            if time.monotonic() - since <= wait_s:
                self._note_pace(project_id, is_slow=False)
            self.release(project_id)

    def take(self, project_id: str | None, wait_s: float = 0.0) -> None:
        """Take a slot until :meth:`release`, from whatever thread.

        :param wait_s: seconds to wait for one
        :raises SlotsTaken: none is free
        """
        key = project_id or ""
        with self._released:
            if not self._released.wait_for(
                lambda: self._find_limit(key) is None, wait_s
            ):
                raise SlotsTaken(self._find_limit(key) or "")
            self._taken[key] += 1

    def release(self, project_id: str | None) -> None:
        """Free a slot that was taken for this project."""
        key = project_id or ""
        with self._released:
            self._taken[key] -= 1
            if self._taken[key] <= 0:
                del self._taken[key]
            self._released.notify_all()

    def _note_pace(self, project_id: str | None, *, is_slow: bool) -> None:
        """Note whether work of a project takes longer than others wait."""
        key = project_id or ""
        with self._released:
            if not is_slow:
                self._slow.discard(key)
                return
            if len(self._slow) >= _MAX_SLOW:
                self._slow.clear()
            self._slow.add(key)

    def _find_limit(self, key: str) -> str | None:
        """Return which limit a project has reached, or ``None``."""
        if self._has_all(key):
            return self._message(self._project_limit, " of one project")
        if self._taken.total() >= self._limit:
            return self._message(self._limit, "")
        return None

    def _has_all(self, key: str) -> bool:
        """Whether a project has as many slots as it may."""
        return self._taken[key] >= self._project_limit

    def _message(self, limit: int, whose: str) -> str:
        return (
            f"{limit} {self._work}{whose} are in progress, as many as are"
            f" allowed: retry in {SlotsTaken.retry_after_s} seconds."
        )
