"""When an operation should have ended, by what earlier ones took."""

import collections.abc
import dataclasses
import statistics
import typing

from orch import clock
from orch import ids
from orch.model import operation
from orch.model import states

_LOOKED_AT: typing.Final = 5

Sizes = collections.abc.Mapping[
    ids.OperationId, collections.abc.Mapping[int, int]
]


@dataclasses.dataclass(frozen=True, slots=True)
class History:
    """What is known of the operations of one stack.

    :ivar operations: all of them, the oldest first
    :ivar sizes: how many steps each attempt of each had
    """

    operations: collections.abc.Sequence[operation.Operation]
    sizes: Sizes

    def find_end(
        self, asked: operation.Operation, now: clock.Timestamp
    ) -> clock.Timestamp | None:
        """Return when the operation should have ended.

        Earlier operations of the same action that were completed tell how
        long a step takes. An operation that takes longer than they did is
        expected to need that time for each step that is left; one that is
        blocked until a moment needs it from then on.

        :returns: ``None`` when nothing tells, when it is not under way, or
            when it waits for somebody
        """
        is_blocked = asked.state is states.OperationState.BLOCKED
        if asked.state not in states.OPEN_STATES:
            return None
        if is_blocked and asked.next_try_at is None:
            return None
        pace = self._pace(asked.action)
        size = self._size(asked)
        if pace is None or size is None:
            return None
        left_s = pace * (asked.total - asked.done)
        if is_blocked and asked.next_try_at is not None:
            return clock.Timestamp(max(asked.next_try_at, now) + left_s)
        begun = asked.started_at if asked.started_at is not None else now
        usual = begun + pace * size
        if usual > now:
            return clock.Timestamp(usual)
        return clock.Timestamp(now + left_s)

    def _pace(self, action: states.Action) -> float | None:
        """Return the seconds that a step usually took."""
        paces = []
        for each in reversed(self.operations):
            size = self._size(each)
            if each.action is not action or not size:
                continue
            if each.state is not states.OperationState.COMPLETE:
                continue
            if each.started_at is None or each.finished_at is None:
                continue
            paces.append((each.finished_at - each.started_at) / size)
            if len(paces) == _LOOKED_AT:
                break
        return statistics.median(paces) if paces else None

    def _size(self, asked: operation.Operation) -> int | None:
        return self.sizes.get(asked.id, {}).get(asked.attempt)
