"""The state of an orphan scan of all projects, stored in the index.

A round takes longer than a walk through stacks may have time for: whichever
walk comes next goes on with it, after a kill too.
"""

import collections.abc
import dataclasses
import json
import typing

from orch import clock
from orch.search import document
from orch.search.index import port

_IN_PROGRESS: typing.Final = "orphans"
_ENDED: typing.Final = "orphans_ended"
_UNOBSERVED: typing.Final = "orphans_unobserved"


@dataclasses.dataclass(frozen=True, slots=True)
class UnlistedType:
    """A resource type that could not be listed in a scan.

    :ivar reason: why, of the last project
    :ivar projects: how many it was so with
    :ivar at: when it was so last, by the clock of the source
    """

    reason: str
    projects: int
    at: float


@dataclasses.dataclass(frozen=True, slots=True)
class OrphanScan:
    """An orphan scan over all projects.

    :ivar after: the last project that is done; empty for none
    :ivar begun_at: when the first project was looked at, by the clock of the
        source; ``None`` before that
    :ivar unlisted_types: types that could not be listed, by name
    """

    after: str = ""
    begun_at: float | None = None
    unlisted_types: collections.abc.Mapping[str, UnlistedType] = (
        dataclasses.field(default_factory=dict)
    )

    def past(self, found: document.Orphans) -> "OrphanScan":
        """Return the state after one more project."""
        unlisted = dict(self.unlisted_types)
        for name, reason in found.unlisted_types.items():
            before = unlisted[name].projects if name in unlisted else 0
            unlisted[name] = UnlistedType(reason, before + 1, found.read_at)
        return OrphanScan(
            found.project_id,
            found.read_at if self.begun_at is None else self.begun_at,
            unlisted,
        )


def load_scan(index: port.Index) -> OrphanScan:
    """Return the scan in progress, or a new one."""
    text = index.load(_IN_PROGRESS)
    return OrphanScan() if text is None else _read(json.loads(text))


def save(index: port.Index, scan: OrphanScan) -> None:
    """Save the state of a scan."""
    index.save(_IN_PROGRESS, json.dumps(dataclasses.asdict(scan)))


def restart_scan(index: port.Index) -> None:
    """Let the next scan begin with the first project."""
    index.save(_IN_PROGRESS, None)


def finish_scan(
    index: port.Index, scan: OrphanScan, now: clock.Timestamp
) -> None:
    """Save that a scan has ended, and the types not listed in it."""
    stored = {**dataclasses.asdict(scan), "ended_at": now}
    index.save(_ENDED, json.dumps(stored))
    restart_scan(index)


def note_observed(index: port.Index) -> None:
    """Save that an observer runs."""
    if index.load(_UNOBSERVED) is not None:
        index.save(_UNOBSERVED, None)


def note_unobserved(
    index: port.Index, now: clock.Timestamp
) -> clock.Timestamp:
    """Save that no observer runs; return since when."""
    text = index.load(_UNOBSERVED)
    if text is not None:
        return clock.Timestamp(json.loads(text))
    index.save(_UNOBSERVED, json.dumps(now))
    return now


def ended_at(index: port.Index) -> clock.Timestamp | None:
    """Return when the last scan ended."""
    text = index.load(_ENDED)
    if text is None:
        return None
    return clock.Timestamp(json.loads(text)["ended_at"])


def unlisted_types(index: port.Index) -> dict[str, UnlistedType]:
    """Return the types that could not be listed, in order of name.

    Of those in the last round that has ended, and in the one under way, what
    the latter says counts.
    """
    text = index.load(_ENDED)
    before = OrphanScan() if text is None else _read(json.loads(text))
    found = {**before.unlisted_types, **load_scan(index).unlisted_types}
    return dict(sorted(found.items()))


def _read(stored: dict[str, typing.Any]) -> OrphanScan:
    return OrphanScan(
        stored["after"],
        stored["begun_at"],
        {
            name: UnlistedType(**each)
            for name, each in stored["unlisted_types"].items()
        },
    )
