"""Scans all stacks: fills an index, or compares one that is full.

Stacks of the source and those of the index pass in one order, so one walk
finds what is missing, what is old and what is left. It goes on where it was
after a kill, while changes are followed as ever.
"""

import collections.abc
import dataclasses
import itertools
import logging
import time
import typing

from orch import clock
from orch import errors
from orch import periodic
from orch.search.index import port
from orch.search.indexing import full_scan_state
from orch.search.indexing import lease
from orch.search.indexing import orphan_scan_state
from orch.search.indexing import orphans
from orch.search.indexing import updater
from orch.search.sources import port as sources

LOG = logging.getLogger(__name__)

_PAGE: typing.Final = 500
_CHECK_INTERVAL_S: typing.Final = 5.0
_FIRST_PAUSE_S: typing.Final = 0.5
_FORGET_INTERVAL_S: typing.Final = 600.0
_DAY_S: typing.Final = 86_400.0
_PAUSES: typing.Final = {
    full_scan_state.FILL: 0.0,
    full_scan_state.CHECK: 9.0,
}
"""How long to pause, in durations of the work before, by kind of scan."""


class FullScanner:
    """A thread that runs full scans when they are due."""

    def __init__(
        self,
        index: port.Index,
        source: sources.Source,
        updater_: updater.Updater,
        lease_: lease.Lease,
        clock_: clock.Clock,
        *,
        check_interval_s: float,
        history_days: int,
        on_unread: collections.abc.Callable[[set[str]], None],
    ) -> None:
        """Do nothing before :meth:`start`.

        :param on_unread: takes stacks that have to be read again later
        """
        self._index = index
        self._source = source
        self._updater = updater_
        self._lease = lease_
        self._clock = clock_
        self._on_unread = on_unread
        self._check_interval_s = check_interval_s
        self._history_s = history_days * _DAY_S
        self._forget_at = 0.0
        self._thread = periodic.Thread(
            "search-walk",
            lease_.checked(self.step),
            periodic.Failures(
                LOG,
                "the walk through all stacks waits",
                "the scan of all stacks continues",
                first_pause_s=_FIRST_PAUSE_S,
            ),
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, grace_s: float = 5.0) -> bool:
        """End the thread; another process resumes its scan.

        :returns: whether it ended in time
        """
        return self._thread.stop(grace_s)

    def wake(self) -> None:
        """Check now whether there is a scan to resume."""
        self._thread.wake()

    def step(self) -> float:
        """Scan, if a scan is due and this process may run it.

        :returns: seconds after which to look again
        :raises orch.errors.Unavailable: source or index cannot be reached
        """
        if not self._lease.hold():
            return _CHECK_INTERVAL_S
        self._forget()
        scan = self._find()
        if scan is None:
            return _CHECK_INTERVAL_S
        self._run_scan(scan)
        return 0.0

    def _find(self) -> full_scan_state.FullScan | None:
        """Return the scan that has to go on, or begin."""
        scan = full_scan_state.find_scan(self._index)
        is_requested = full_scan_state.is_fill_requested(self._index)
        if scan is not None and not is_requested:
            return scan
        kind = full_scan_state.FILL if is_requested else self._find_kind()
        if kind is None:
            return None
        LOG.info("all stacks are read: %s", kind)
        begun = self._save_progress(full_scan_state.FullScan(kind), "")
        # What is requested from now on is done later.
        full_scan_state.forget_request(self._index)
        return begun

    def _find_kind(self) -> str | None:
        if full_scan_state.filled_at(self._index) is None:
            return full_scan_state.FILL
        scanned_at = full_scan_state.scanned_at(self._index)
        if (
            scanned_at is None
            or self._clock.now() >= scanned_at + self._check_interval_s
        ):
            return full_scan_state.CHECK
        return None

    def _save_progress(
        self, scan: full_scan_state.FullScan, cursor: str
    ) -> full_scan_state.FullScan:
        saved = dataclasses.replace(scan, cursor=cursor)
        full_scan_state.save(self._index, saved)
        return saved

    def _is_ours(self, scan: full_scan_state.FullScan) -> bool:
        """Answer whether no other process scans, nor another scan begins."""
        return (
            self._lease.hold()
            and full_scan_state.find_scan(self._index) == scan
            and not full_scan_state.is_fill_requested(self._index)
        )

    def _run_scan(self, scan: full_scan_state.FullScan) -> None:
        """Walk to the end, unless another process takes the walk."""
        if scan.kind == full_scan_state.FILL and not scan.cursor:
            self._index.forget_versions()
            orphan_scan_state.restart_scan(self._index)
        while True:
            page = self._source.list_stacks(scan.cursor, _PAGE)
            last = page[-1] if len(page) >= _PAGE else None
            left = self._find_indexed(scan.cursor, last)
            stack_ids = sorted({*page, *left})
            while stack_ids:
                size = self._updater.size
                some, stack_ids = stack_ids[:size], stack_ids[size:]
                begun = time.monotonic()
                unread = self._updater.update(dict.fromkeys(some, 0))
                if unread:
                    self._on_unread(unread)
                if self._thread.stopping.is_set() or not self._is_ours(scan):
                    return
                scan = self._save_progress(scan, some[-1])
                self._rest(scan, time.monotonic() - begun)
            if last is None:
                break
        self._end(scan)

    def _end(self, scan: full_scan_state.FullScan) -> None:
        """Bring the orphans, and end the scan.

        A fill that is requested meanwhile is more urgent.
        """
        try:
            for _ in orphans.update_orphans(
                self._index, self._source, self._clock, self._check_interval_s
            ):
                if self._thread.stopping.is_set() or not self._is_ours(scan):
                    return
        except sources.Unobserved as error:
            LOG.info("orphans are left as they were: %s", error)
        except errors.OrchError as error:
            LOG.warning("orphans are left as they were: %s", error)
        except Exception:
            # Stacks are whole without them: a walk that has no end would
            # read all of them over and over.
            LOG.exception("orphans are left as they were")
        if self._is_ours(scan):
            full_scan_state.finish_scan(self._index, scan, self._clock.now())
            LOG.info("all stacks were read: %s", scan.kind)

    def _find_indexed(self, after: str, last: str | None) -> list[str]:
        """Return stacks of the index in a part of the walk."""
        found: list[str] = []
        while True:
            page = self._index.stack_ids(after, _PAGE)
            some = list(
                itertools.takewhile(
                    lambda each: last is None or each <= last,
                    (each for each, _ in page),
                )
            )
            found += [each for each in some if not orphans.is_orphans_id(each)]
            if len(some) < _PAGE:
                return found
            after = some[-1]

    def _rest(self, scan: full_scan_state.FullScan, took_s: float) -> None:
        """Leave the processors to others for a while."""
        pause_s = _PAUSES[scan.kind] * took_s
        if pause_s:
            self._thread.stopping.wait(min(pause_s, _CHECK_INTERVAL_S))

    def _forget(self) -> None:
        """Forget history that is too old, from time to time."""
        now = self._clock.monotonic()
        if now < self._forget_at:
            return
        before = clock.Timestamp(self._clock.now() - self._history_s)
        count = full_scan_state.forget_history(self._index, before)
        self._forget_at = now + _FORGET_INTERVAL_S
        if count:
            LOG.info("%d former states of documents are forgotten", count)
