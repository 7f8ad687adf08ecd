"""Wrong passwords, counted by all API processes in a Redis or Valkey server.

A request costs one call there, and each password that is wrong another one.
While the server gives no answer each process goes by what it has seen itself.
"""

import hashlib
import typing

from orch import clock
from orch.api.middleware import login_throttle
from orch.api.middleware import shared_store

_PREFIX: typing.Final = "orch:guesses:"

_KNOWN: typing.Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then
  return '-1'
end
"""

# Of many at the same time one is looked at.
_BEGIN: typing.Final = (
    _KNOWN
    + shared_store.NOW
    + """
local until_ = tonumber(redis.call('HGET', KEYS[1], 'until')) or 0
if now < until_ then
  return string.format('%.6f', until_ - now)
end
if until_ > 0 then
  redis.call('HSET', KEYS[1], 'until',
             string.format('%.6f', now + tonumber(ARGV[1])))
end
return '0'
"""
)

_COUNT_WRONG: typing.Final = (
    shared_store.NOW
    + """
local free, longest, ttl = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local costly = redis.call('HINCRBY', KEYS[1], 'count', 1) - tonumber(free)
if costly >= 0 then
  local pause = math.min(2 ^ math.min(costly, 16), longest)
  redis.call('HSET', KEYS[1], 'until', string.format('%.6f', now + pause))
end
redis.call('PEXPIRE', KEYS[1], math.ceil(1000 * ttl))
return '0'
"""
)

_FORGET: typing.Final = """
return tostring(redis.call('DEL', KEYS[1]))
"""


class SharedCounts:
    """Counts that are the same in each process."""

    def __init__(
        self,
        url: str,
        free: int,
        own: login_throttle.Counts,
        time: clock.Clock,
    ) -> None:
        """Connect at the first request.

        :param free: wrong ones that cost no pause
        :param own: counts too, and decides while the store is away
        :raises orch.api.middleware.stores.BadStore: it has no such address
        """
        store = shared_store.Store(url, "wrong passwords", time)
        self._begin = store.script(_BEGIN)
        self._count_wrong = store.script(_COUNT_WRONG)
        self._forget = store.script(_FORGET)
        self._free = max(1, free)
        self._own = own

    def begin(self, who: login_throttle.Who) -> float | None:
        """Return the seconds to wait: see :class:`guesses.Counts`."""
        told = self._begin(_key(who), login_throttle.CHECK_TIMEOUT_S)
        if told is None:
            return self._own.begin(who)
        return None if told < 0 else told

    def count_wrong(self, who: login_throttle.Who) -> None:
        """Count one more that was wrong."""
        self._own.count_wrong(who)
        self._count_wrong(
            _key(who),
            self._free,
            login_throttle.MAX_PAUSE_S,
            login_throttle.FORGET_AFTER_S,
        )

    def forget(self, who: login_throttle.Who) -> None:
        """Know of none that was wrong."""
        self._own.forget(who)
        self._forget(_key(who))


def _key(who: login_throttle.Who) -> str:
    """Return the key of its count, without names or addresses."""
    text = "\0".join(who).encode(errors="replace")
    return _PREFIX + hashlib.sha256(text).hexdigest()
