"""How far a round over the orphans of all projects is, as the index keeps it.

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

_UNDER_WAY: typing.Final = "orphans"
_ENDED: typing.Final = "orphans_ended"
_UNOBSERVED: typing.Final = "orphans_unobserved"


@dataclasses.dataclass(frozen=True, slots=True)
class Unlisted:
    """A type that could not be listed in a round.

    :ivar reason: why, of the last project
    :ivar projects: how many it was so with
    :ivar at: when it was so last, by the clock of the source
    """

    reason: str
    projects: int
    at: float


@dataclasses.dataclass(frozen=True, slots=True)
class Round:
    """A round.

    :ivar after: the last project that is done; empty for none
    :ivar begun_at: when the first project was looked at, by the clock of the
        source; ``None`` before that
    :ivar unlisted: types that could not be listed, by name
    """

    after: str = ""
    begun_at: float | None = None
    unlisted: collections.abc.Mapping[str, Unlisted] = dataclasses.field(
        default_factory=dict
    )

    def past(self, found: document.Orphans) -> "Round":
        """Return it as it is once that project is done."""
        unlisted = dict(self.unlisted)
        for name, reason in found.unlisted.items():
            before = unlisted[name].projects if name in unlisted else 0
            unlisted[name] = Unlisted(reason, before + 1, found.read_at)
        return Round(
            found.project_id,
            found.read_at if self.begun_at is None else self.begun_at,
            unlisted,
        )


def find(index: port.Index) -> Round:
    """Return the round that is under way, or one to begin."""
    text = index.load(_UNDER_WAY)
    return Round() if text is None else _read(json.loads(text))


def keep(index: port.Index, round_: Round) -> None:
    """Keep how far it is."""
    index.keep(_UNDER_WAY, json.dumps(dataclasses.asdict(round_)))


def begin_anew(index: port.Index) -> None:
    """Let the next round begin with the first project."""
    index.keep(_UNDER_WAY, None)


def end(index: port.Index, round_: Round, now: clock.Timestamp) -> None:
    """Keep that it has ended, and what could not be listed in it."""
    told = {**dataclasses.asdict(round_), "ended_at": now}
    index.keep(_ENDED, json.dumps(told))
    begin_anew(index)


def note_observed(index: port.Index) -> None:
    """Keep that somebody looks, should it have been otherwise."""
    if index.load(_UNOBSERVED) is not None:
        index.keep(_UNOBSERVED, None)


def note_unobserved(
    index: port.Index, now: clock.Timestamp
) -> clock.Timestamp:
    """Keep that nobody looks; return since when it is so."""
    text = index.load(_UNOBSERVED)
    if text is not None:
        return clock.Timestamp(json.loads(text))
    index.keep(_UNOBSERVED, json.dumps(now))
    return now


def ended_at(index: port.Index) -> clock.Timestamp | None:
    """Return when the last round has ended."""
    text = index.load(_ENDED)
    if text is None:
        return None
    return clock.Timestamp(json.loads(text)["ended_at"])


def unlisted(index: port.Index) -> dict[str, Unlisted]:
    """Return the types that could not be listed, by name, in their order.

    Of those in the last round that has ended, and in the one under way, what
    the latter says counts.
    """
    text = index.load(_ENDED)
    before = Round() if text is None else _read(json.loads(text))
    found = {**before.unlisted, **find(index).unlisted}
    return dict(sorted(found.items()))


def _read(told: dict[str, typing.Any]) -> Round:
    return Round(
        told["after"],
        told["begun_at"],
        {name: Unlisted(**each) for name, each in told["unlisted"].items()},
    )
