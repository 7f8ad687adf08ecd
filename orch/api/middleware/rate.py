"""How many requests a project may send: a token bucket for each.

Each API process counts for itself, or all of them together in a store that
they share. Requests whose address proves what they are good for (signals)
are not counted, nor are those without a project.
"""

import collections.abc
import functools
import math
import typing

import falcon

from orch import clock
from orch import token_buckets
from orch.api import errors
from orch.api import settings
from orch.api import web
from orch.api.middleware import stores
from orch.context import request

_MINUTE_S: typing.Final = 60.0


Take = collections.abc.Callable[[str], float]
"""Takes a request from the bucket of a project: returns the seconds to wait;
with 0 the request was counted."""


def own_buckets(per_s: float, burst: int, time: clock.Clock) -> Take:
    """Return what takes from full buckets of this process.

    :param per_s: requests that a project may send in the long run
    :param burst: requests that it may send at once, after a pause
    """
    buckets: token_buckets.TokenBuckets[str] = token_buckets.TokenBuckets(
        burst, time
    )
    return functools.partial(buckets.take, rate=per_s)


class Rate:
    """Refuses what comes faster than the operator lets projects ask."""

    def __init__(self, per_minute: int, take: Take) -> None:
        """Count with these buckets.

        :param per_minute: how fast they fill, for people
        """
        self._per_minute = per_minute
        self._take = take

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Take one request from what the caller's project has left.

        :raises orch.api.errors.TooManyRequests: nothing is left
        """
        caller: request.RequestContext | None = getattr(req, "caller", None)
        if caller is None or caller.project_id is None:
            return
        wait_s = self._take(caller.project_id)
        if wait_s > 0:
            after_s = math.ceil(wait_s)
            raise errors.TooManyRequests(
                "Request limit exceeded: the project sends more than"
                f" {self._per_minute} requests a minute; send this one again"
                f" after {after_s} seconds.",
                after_s,
            )


def find_limiter(limits: settings.Settings, time: clock.Clock) -> Rate | None:
    """Return what counts requests; ``None`` where these have no limit.

    :raises orch.api.middleware.stores.BadStore: the store cannot be used
    """
    if limits.requests_per_minute < 0:
        return None
    per_minute = max(1, limits.requests_per_minute)
    per_s, burst = per_minute / _MINUTE_S, limits.request_burst
    take = own_buckets(per_s, burst, time)
    if limits.rate_store:
        shared = stores.load_store("shared_rate")
        take = shared.share_buckets(
            limits.rate_store, per_s, burst, take, time
        )
    return Rate(per_minute, take)
