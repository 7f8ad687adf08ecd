"""How far a walk through all stacks is, as the index keeps it.

Of all processes of an index one walks. Another goes on where it was once it
has not been heard of for a while.
"""

import dataclasses
import json
import typing

from orch import clock
from orch.search.index import port

FILL: typing.Final = "fill"
CHECK: typing.Final = "check"
CATCH_UP: typing.Final = "catch_up"

_WALK: typing.Final = "walk"
_FILLED: typing.Final = "filled_at"
_WALKED: typing.Final = "walked_at"
_MISSED: typing.Final = "missed"
_LOST_S: typing.Final = 15.0
_DIGITS: typing.Final = 8


@dataclasses.dataclass(frozen=True, slots=True)
class Walk:
    """A walk that is under way.

    :ivar kind: ``fill``, of an index that nothing is known of; ``catch_up``,
        after something was missed; ``check``, from time to time
    :ivar cursor: id of the last stack that is done; empty for none
    :ivar owner: of the process that walks; empty for none
    :ivar seen_at: when it was heard of last
    """

    kind: str
    cursor: str = ""
    owner: str = ""
    seen_at: float = 0.0

    def is_free(self, owner: str, now: clock.Timestamp) -> bool:
        """Answer whether that process may go on with it."""
        return self.owner in {"", owner} or (abs(now - self.seen_at) > _LOST_S)

    @property
    def part(self) -> float:
        """Return which part of it is done, 0 to 1.

        Ids are random, so the first digits of the last one tell.
        """
        try:
            return int(self.cursor[:_DIGITS], 16) / 16**_DIGITS
        except ValueError:
            return 0.0


def find(index: port.Index) -> Walk | None:
    """Return the walk that is under way."""
    text = index.load(_WALK)
    return Walk(**json.loads(text)) if text else None


def keep(index: port.Index, walk: Walk) -> None:
    """Keep how far it is."""
    index.keep(_WALK, json.dumps(dataclasses.asdict(walk)))


def end(index: port.Index, walk: Walk, now: clock.Timestamp) -> None:
    """Keep that it has ended."""
    if walk.kind == FILL:
        index.keep(_FILLED, str(now))
    index.keep(_WALKED, str(now))
    index.keep(_WALK, None)


def begin_fill(index: port.Index, *, from_nothing: bool = False) -> None:
    """Let whichever process looks next fill the index.

    :param from_nothing: forget all that is in it first
    """
    if from_nothing:
        index.clear()
    keep(index, Walk(FILL))


def note_miss(index: port.Index) -> None:
    """Keep that something was missed; it survives a kill."""
    index.keep(_MISSED, "1")


def has_missed(index: port.Index) -> bool:
    """Answer whether something was missed that no walk began after."""
    return index.load(_MISSED) is not None


def forget_miss(index: port.Index) -> None:
    """Keep that a walk has begun which finds what was missed until now."""
    index.keep(_MISSED, None)


def filled_at(index: port.Index) -> clock.Timestamp | None:
    """Return when the last fill has ended."""
    return _moment(index.load(_FILLED))


def walked_at(index: port.Index) -> clock.Timestamp | None:
    """Return when the last walk of any kind has ended."""
    return _moment(index.load(_WALKED))


def _moment(text: str | None) -> clock.Timestamp | None:
    return clock.Timestamp(float(text)) if text else None
