"""Buckets that all API processes share, in a Redis or Valkey server.

A request costs one call there, which decides and counts at once. While the
server gives no answer each process counts for itself: a limit is no reason
to refuse everybody.
"""

import logging
import threading
import typing

import redis

from orch import clock
from orch.api.middleware import rate

LOG = logging.getLogger(__name__)

_TIMEOUT_S: typing.Final = 0.25
_PAUSE_S: typing.Final = 5.0
"""For how long nobody asks a server that gave no answer."""
_PREFIX: typing.Final = "orch:rate:"

# Counted by the server's clock, the one that all processes share. A bucket
# that must be full again by now is forgotten.
_TAKE: typing.Final = """
local per_s, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local found = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(found[1]) or burst, tonumber(found[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * per_s)
local wait = 0
if tokens < 1 then
  wait = (1 - tokens) / per_s
else
  tokens = tokens - 1
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens),
           'at', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(1000 * burst / per_s) + 1000)
return string.format('%.6f', wait)
"""


class SharedBuckets:
    """Buckets that are the same in each process."""

    def __init__(
        self,
        url: str,
        per_s: float,
        burst: int,
        own: rate.Buckets,
        time: clock.Clock,
    ) -> None:
        """Connect at the first request.

        :param own: counts while the store gives no answer
        :raises orch.api.middleware.rate.BadStore: it has no such address
        """
        try:
            client = redis.Redis.from_url(
                url,
                socket_timeout=_TIMEOUT_S,
                socket_connect_timeout=_TIMEOUT_S,
            )
        except ValueError as error:
            raise rate.BadStore(
                f"rate_store in [api] is no address of a store: {error}"
            ) from error
        self._take = client.register_script(_TAKE)
        self._per_s = per_s
        self._burst = burst
        self._own = own
        self._clock = time
        self._lock = threading.Lock()
        self._ask_again_at = 0.0
        self._is_lost = False

    def take(self, project_id: str) -> float:
        """Return the seconds to wait; with 0 the request was counted."""
        if self._clock.monotonic() < self._ask_again_at:
            return self._own.take(project_id)
        try:
            told = self._take(
                keys=[_PREFIX + project_id], args=[self._per_s, self._burst]
            )
            wait_s = float(typing.cast(bytes, told))
        except (redis.RedisError, OSError, ValueError) as error:
            self._lose(error)
            return self._own.take(project_id)
        if self._is_lost:
            self._find()
        return wait_s

    def _lose(self, error: Exception) -> None:
        with self._lock:
            self._ask_again_at = self._clock.monotonic() + _PAUSE_S
            if not self._is_lost:
                self._is_lost = True
                LOG.warning(
                    "each API process counts requests for itself: the store"
                    " of [api] rate_store gives no answer: %s",
                    type(error).__name__,
                )

    def _find(self) -> None:
        with self._lock:
            if self._is_lost:
                self._is_lost = False
                LOG.warning("requests are counted by [api] rate_store again")
