"""The state of a full scan, stored in the index.

The process with the lease of the index scans; another one that takes the lease
continues where it was.
"""

import dataclasses
import json
import typing

from orch import clock
from orch.search.index import port

FILL: typing.Final = "fill"
CHECK: typing.Final = "check"

_SCAN: typing.Final = "walk"
_FILLED: typing.Final = "filled_at"
_HISTORY: typing.Final = "history_since"
_SCANNED: typing.Final = "walked_at"
_REQUESTED: typing.Final = "fill_requested"
_DIGITS: typing.Final = 8


@dataclasses.dataclass(frozen=True, slots=True)
class FullScan:
    """A full scan in progress.

    :ivar kind: ``fill``, of an index that may miss anything; ``check``, from
        time to time
    :ivar cursor: id of the last stack that is done; empty for none
    """

    kind: str
    cursor: str = ""

    @property
    def part(self) -> float:
        """Return the completed part of the scan, 0 to 1.

        Ids are random, so the first digits of the last one tell.
        """
        try:
            return int(self.cursor[:_DIGITS], 16) / 16**_DIGITS
        except ValueError:
            return 0.0


def find_scan(index: port.Index) -> FullScan | None:
    """Return the scan in progress.

    What another release stored beside the fields of today is ignored.
    """
    text = index.load(_SCAN)
    if not text:
        return None
    stored = json.loads(text)
    names = {each.name for each in dataclasses.fields(FullScan)}
    return FullScan(**{k: v for k, v in stored.items() if k in names})


def save(index: port.Index, scan: FullScan) -> None:
    """Save the state of a scan."""
    index.save(_SCAN, json.dumps(dataclasses.asdict(scan)))


def finish_scan(
    index: port.Index, scan: FullScan, now: clock.Timestamp
) -> None:
    """Save that the scan has ended."""
    if scan.kind == FILL:
        index.save(_FILLED, str(now))
        if history_since(index) is None:
            index.save(_HISTORY, str(now))
    index.save(_SCANNED, str(now))
    index.save(_SCAN, None)


def begin_fill(index: port.Index, *, from_nothing: bool = False) -> None:
    """Let the process that looks next fill the index, from the first stack.

    :param from_nothing: forget all that is in it first
    """
    if from_nothing:
        index.clear()
    index.save(_REQUESTED, "1")


def is_fill_requested(index: port.Index) -> bool:
    """Whether a fill was requested that has not begun."""
    return index.load(_REQUESTED) is not None


def forget_request(index: port.Index) -> None:
    """Save that the requested fill has begun."""
    index.save(_REQUESTED, None)


def forget_former_states(index: port.Index) -> None:
    """Save that former states are missing: all are known from now on alone.

    The next fill saves since when.
    """
    index.save(_HISTORY, None)


def filled_at(index: port.Index) -> clock.Timestamp | None:
    """Return when the last fill ended."""
    return _moment(index.load(_FILLED))


def history_since(index: port.Index) -> clock.Timestamp | None:
    """Return since when the index has all former states.

    :returns: ``None`` before the first fill has ended
    """
    return _moment(index.load(_HISTORY))


def forget_history(index: port.Index, before: clock.Timestamp) -> int:
    """Delete former states replaced before a time, and save that time.

    :returns: how many documents
    """
    since = history_since(index)
    if since is not None and since < before:
        index.save(_HISTORY, str(before))
    return index.forget_history(before)


def scanned_at(index: port.Index) -> clock.Timestamp | None:
    """Return when the last scan of any kind ended."""
    return _moment(index.load(_SCANNED))


def _moment(text: str | None) -> clock.Timestamp | None:
    return clock.Timestamp(float(text)) if text else None
