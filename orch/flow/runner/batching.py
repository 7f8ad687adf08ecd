"""When what came in is written: at once, or with answers that follow.

A write costs much the same for one answer as for many. So answers of calls
wait a moment for others, while there are many to come; whatever else is news
lets nothing wait.
"""

import collections.abc

from orch import clock
from orch.flow.runner import messages

GATHER_S = 0.005
"""While many calls are under way answers are gathered for so long."""
_MANY_CALLS = 4

# What comes of these messages are calls; their answers are the news.
_WITHOUT_NEWS = (
    messages.Ask,
    messages.InnerEnded,
    messages.LookAtEnded,
    messages.Gathered,
)

PostAt = collections.abc.Callable[[float, object], None]
"""Has a message arrive at a moment, in monotonic seconds."""


class Gathering:
    """Knows whether there is anything to be written yet."""

    def __init__(self, clock_: clock.Clock, post_at: PostAt) -> None:
        """Have heard nothing."""
        self._clock = clock_
        self._post_at = post_at
        # Something came in that may have to be written, or lets more begin;
        # answers alone may wait for others.
        self._has_news = False
        self._has_more_than_answers = False
        self._is_gathering = False

    def hear(self, message: object) -> None:
        """Know what came in."""
        if isinstance(message, messages.Gathered):
            self._has_more_than_answers |= self._is_gathering
        elif not isinstance(message, _WITHOUT_NEWS):
            self._has_news = True
            if not isinstance(message, messages.Answer):
                self._has_more_than_answers = True

    def is_due(self, under_way: int) -> bool:
        """Answer, once, whether what came in has to be written now.

        :param under_way: calls that have not answered
        """
        if not self._has_news:
            return False
        if self._has_more_than_answers or under_way < _MANY_CALLS:
            self._has_news = self._has_more_than_answers = False
            self._is_gathering = False
            return True
        if not self._is_gathering:
            self._is_gathering = True
            due = self._clock.monotonic() + GATHER_S
            self._post_at(due, messages.Gathered())
        return False
