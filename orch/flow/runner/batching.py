"""When what came in is written: at once, or with answers that follow.

A write costs much the same for one answer as for many. So answers of calls
wait a moment for others, while there are many to come; whatever else is news
lets nothing wait.
"""

import collections.abc

from orch import clock
from orch.flow.runner import messages

BATCH_WINDOW_S = 0.005
"""While many calls are under way answers are gathered for so long."""
_MIN_CALLS = 4

# What comes of these messages are calls; their answers are the news.
_NOTHING_TO_WRITE = (
    messages.Poll,
    messages.ChildEnded,
    messages.PollEnded,
    messages.BatchDue,
)

PostAt = collections.abc.Callable[[float, object], None]
"""Has a message arrive at a moment, in monotonic seconds."""


class Batching:
    """Knows whether there is anything to be written yet."""

    def __init__(self, clock_: clock.Clock, post_at: PostAt) -> None:
        """Have heard nothing."""
        self._clock = clock_
        self._post_at = post_at
        # Something came in that may have to be written, or lets more begin;
        # answers alone may wait for others.
        self._has_news = False
        self._has_more_than_answers = False
        self._is_batching = False

    def add(self, message: object) -> None:
        """Know what came in."""
        if isinstance(message, messages.BatchDue):
            self._has_more_than_answers |= self._is_batching
        elif not isinstance(message, _NOTHING_TO_WRITE):
            self._has_news = True
            if not isinstance(message, messages.Answer):
                self._has_more_than_answers = True

    def is_due(self, under_way: int) -> bool:
        """Answer, once, whether what came in has to be written now.

        :param under_way: calls that have not answered
        """
        if not self._has_news:
            return False
        if self._has_more_than_answers or under_way < _MIN_CALLS:
            self._has_news = self._has_more_than_answers = False
            self._is_batching = False
            return True
        if not self._is_batching:
            self._is_batching = True
            due = self._clock.monotonic() + BATCH_WINDOW_S
            self._post_at(due, messages.BatchDue())
        return False
