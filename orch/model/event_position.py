"""The position of a reader in the events of a tree of stacks.

Events have numbers within a stack and none within a tree, where workers
write at the same time. So a position is the newest event seen of each stack
that something happened in lately; as text it is the ids of these events, the
one just seen first.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import ids
from orch.model import event

WINDOW_S: typing.Final = 60.0
"""An event is written, at the latest, so long after it happened."""

MAX_STACKS: typing.Final = 100
"""Stacks of one position; with more the window is shorter."""

_SEPARATOR = ","


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """What was seen.

    :ivar newest: of each stack its newest event: number and moment, the one
        seen last at the end
    """

    newest: collections.abc.Mapping[ids.StackId, tuple[int, clock.Timestamp]]

    @property
    def since(self) -> clock.Timestamp | None:
        """Return until when all of the other stacks was seen."""
        if not self.newest:
            return None
        moments = [moment for _, moment in self.newest.values()]
        if len(moments) >= MAX_STACKS:
            return min(moments)
        return clock.Timestamp(max(moments) - WINDOW_S)

    def beyond(self, seen: event.Event) -> "Position":
        """Return the position once this event was seen too."""
        newest = {
            stack_id: told
            for stack_id, told in self.newest.items()
            if stack_id != seen.stack_id
        }
        newest[seen.stack_id] = (seen.sequence, seen.created_at)
        since = max(moment for _, moment in newest.values()) - WINDOW_S
        kept = [
            (stack_id, told)
            for stack_id, told in newest.items()
            if told[1] > since or stack_id == seen.stack_id
        ]
        while len(kept) > MAX_STACKS:
            kept.remove(min(kept[:-1], key=lambda each: each[1][1]))
        return Position(dict(kept))

    def text(self) -> str:
        """Return the ids of the events, the one seen last first."""
        return _SEPARATOR.join(
            ids.event_id(stack_id, sequence)
            for stack_id, (sequence, _) in reversed(list(self.newest.items()))
        )


START: typing.Final = Position({})


def event_ids(text: str) -> list[str]:
    """Return the ids that a position is made of, the one seen last first."""
    found = [each.strip() for each in text.split(_SEPARATOR)]
    return [each for each in found if each][:MAX_STACKS]
