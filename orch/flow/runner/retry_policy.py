"""Policy for failed calls: fail, retry, or wait until unblocked.

The class of the error decides, so the plug-in does. A transient error is
retried after a pause that grows; an exceeded quota, and a service that stays
unavailable, are waited for without end: the operation's timeout ends that.
"""

import dataclasses
import enum
import random

from orch import errors

GROWTH = 2.0
_MAX_DOUBLINGS = 32


class RetryVerdict(enum.Enum):
    """What to do after a call has failed."""

    FAIL = "fail"
    RETRY = "retry"
    BLOCK = "block"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Number of tries and length of pauses; see group ``[engine]``.

    :ivar tries: calls in a row that may fail before the resource does
    :ivar first_pause_s: before the second of them
    :ivar max_pause_s: before any of them
    :ivar first_block_s: for how long a blocked operation waits first
    :ivar max_block_s: for how long it waits at most
    :ivar max_quota_block_s: for how long it waits at most for quota
    """

    tries: int = 5
    first_pause_s: float = 1.0
    max_pause_s: float = 60.0
    first_block_s: float = 30.0
    max_block_s: float = 600.0
    max_quota_block_s: float = 50.0

    def decide(self, error: BaseException, tries: int) -> RetryVerdict:
        """Return the verdict on a failed call.

        :param tries: calls in a row that have failed, this one included
        """
        if isinstance(error, errors.QuotaExceeded):
            return RetryVerdict.BLOCK
        if not isinstance(error, errors.Transient | errors.Busy):
            return RetryVerdict.FAIL
        if tries < self.tries:
            return RetryVerdict.RETRY
        is_away = isinstance(error, errors.Outage)
        return RetryVerdict.BLOCK if is_away else RetryVerdict.FAIL

    def pause_s(self, tries: int, error: BaseException | None = None) -> float:
        """Return how long to wait after so many failed calls in a row.

        :param error: what the last one gave; a service may say in it when
            to come again, which counts up to the longest pause
        """
        grown = _grown_pause_s(self.first_pause_s, self.max_pause_s, tries)
        return max(grown, min(_declared_pause_s(error), self.max_pause_s))

    def block_s(self, times: int, error: BaseException) -> float:
        """Return how long an operation is blocked the n-th time.

        :param error: what it is blocked by; a service may say in it when to
            come again, which counts up to the longest pause
        """
        max_s = self.max_block_s
        if isinstance(error, errors.QuotaExceeded):
            max_s = min(max_s, self.max_quota_block_s)
        grown = _grown_pause_s(self.first_block_s, max_s, times)
        return max(grown, min(_declared_pause_s(error), max_s))


@dataclasses.dataclass(frozen=True, slots=True)
class Attempts:
    """The failed calls of one change.

    :ivar tries: how many in a row
    :ivar blocks: how often the change waited for quota or for a service
    :ivar error: of the last one
    :ivar due: monotonic seconds of the next one
    :ivar is_blocked: the change waits for nothing but that moment
    """

    tries: int = 0
    blocks: int = 0
    error: BaseException | None = None
    due: float = 0.0
    is_blocked: bool = False


def _declared_pause_s(error: BaseException | None) -> float:
    """Return in how many seconds a service wants to be asked again."""
    return getattr(error, "after_s", None) or 0.0


def _grown_pause_s(first_s: float, max_s: float, times: int) -> float:
    factor = GROWTH ** min(times - 1, _MAX_DOUBLINGS)
    pause = min(first_s * factor, max_s)
    return pause * random.uniform(0.8, 1.0)  # noqa: S311 - spreads load
