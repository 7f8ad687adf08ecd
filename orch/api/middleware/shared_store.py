"""A Redis or Valkey server, in which all API processes count.

A question costs one call there. A server that gives no answer is left alone
for a while, and each process counts for itself meanwhile.
"""

import collections.abc
import functools
import logging
import threading
import typing

import redis
from redis.commands import core

from orch import clock
from orch.api.middleware import stores

LOG = logging.getLogger(__name__)

_TIMEOUT_S: typing.Final = 0.25
_PAUSE_S: typing.Final = 5.0
"""For how long a server that gave no answer is not asked."""

NOW: typing.Final = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
"""
"""Begins a script that counts by the server's clock, which all share."""


Script = collections.abc.Callable[..., float | None]
"""Takes one key and numbers, and returns one; ``None`` while the store is
away."""


class Store:
    """What keeps the numbers; it may be away at any time."""

    def __init__(self, url: str, what: str, time: clock.Clock) -> None:
        """Connect at the first question.

        :param what: is counted there, for people
        :raises orch.api.middleware.stores.BadStore: it has no such address
        """
        try:
            self._client = redis.Redis.from_url(
                url,
                socket_timeout=_TIMEOUT_S,
                socket_connect_timeout=_TIMEOUT_S,
            )
        except ValueError as error:
            raise stores.BadStore(
                f"rate_store in [api] is no address of a store: {error}"
            ) from error
        self._what = what
        self._clock = time
        self._lock = threading.Lock()
        self._ask_again_at = 0.0
        self._is_lost = False

    def script(self, text: str) -> Script:
        """Return a script that runs in the store, undivided."""
        return functools.partial(self._run, self._client.register_script(text))

    def _run(
        self, script: core.Script, key: str, *values: float
    ) -> float | None:
        if self._clock.monotonic() < self._ask_again_at:
            return None
        try:
            told = script(keys=[key], args=list(values))
            found = float(typing.cast(bytes, told))
        except (redis.RedisError, OSError, ValueError) as error:
            self._lose(error)
            return None
        if self._is_lost:
            self._find()
        return found

    def _lose(self, error: Exception) -> None:
        with self._lock:
            self._ask_again_at = self._clock.monotonic() + _PAUSE_S
            if not self._is_lost:
                self._is_lost = True
                LOG.warning(
                    "each API process counts %s for itself: the store"
                    " of [api] rate_store gives no answer: %s",
                    self._what,
                    type(error).__name__,
                )

    def _find(self) -> None:
        with self._lock:
            if self._is_lost:
                self._is_lost = False
                LOG.warning(
                    "%s are counted by [api] rate_store again", self._what
                )
