"""Buckets that all API processes share, in a Redis or Valkey server.

A request costs one call there, which decides and counts at once. While the
server gives no answer each process counts for itself: a limit is no reason
to refuse everybody.
"""

import typing

from orch import clock
from orch.api.middleware import rate
from orch.api.middleware import shared_store

_PREFIX: typing.Final = "orch:rate:"

# A bucket that must be full again by now is forgotten.
_TAKE: typing.Final = (
    shared_store.NOW
    + """
local per_s, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
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
)


def share_buckets(
    url: str, per_s: float, burst: int, own: rate.Take, time: clock.Clock
) -> rate.Take:
    """Return what takes from buckets that are the same in each process.

    It connects at the first request.

    :param own: counts while the store gives no answer
    :raises orch.api.middleware.stores.BadStore: it has no such address
    """
    script = shared_store.Store(url, "requests", time).script(_TAKE)

    def take(project_id: str) -> float:
        wait_s = script(_PREFIX + project_id, per_s, burst)
        return own(project_id) if wait_s is None else wait_s

    return take
