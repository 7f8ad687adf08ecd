"""How often passwords may be guessed.

A few wrong ones in a row are free, for people mistype. After that each wrong
one costs a pause, twice as long as the one before; what comes within it is
not looked at, right or wrong. It is counted for a user at an address, so
logins from elsewhere still work. Each API process counts for itself, or all
of them together in a store that they share.
"""

import collections.abc
import contextlib
import dataclasses
import math
import threading
import typing

import cachetools

from orch import clock
from orch import errors as orch_errors
from orch.api import client_addresses
from orch.api import errors
from orch.api import settings
from orch.api import web
from orch.api.middleware import stores

MAX_PAUSE_S: typing.Final = 60.0
FORGET_AFTER_S: typing.Final = 900.0
CHECK_TIMEOUT_S: typing.Final = 1.0
_MAX_KNOWN: typing.Final = 10_000
_MAX_NAME_LENGTH: typing.Final = 256

Who = tuple[str, str]


class Counts(typing.Protocol):
    """What knows the wrong ones of all."""

    def begin(self, who: Who) -> float | None:
        """Return the seconds until a password may be looked at.

        :returns: 0 where it may be now; ``None`` where it may, and none that
            was wrong is known
        """

    def count_wrong(self, who: Who) -> None:
        """Count one more that was wrong."""

    def forget(self, who: Who) -> None:
        """Know of none that was wrong."""


@dataclasses.dataclass(slots=True)
class _Wrong:
    """Passwords in a row that were wrong.

    :ivar at_s: when the last one came, by the monotonic clock
    :ivar until_s: until when none is looked at; 0 before the first pause
    """

    count: int = 0
    at_s: float = 0.0
    until_s: float = 0.0


class OwnCounts:
    """Counts of this process; see :class:`Counts`."""

    def __init__(self, free: int, time: clock.Clock) -> None:
        """Know of none yet.

        :param free: wrong ones that cost no pause
        """
        self._free = free
        self._clock = time
        self._lock = threading.Lock()
        self._known: cachetools.LRUCache[Who, _Wrong] = cachetools.LRUCache(
            _MAX_KNOWN
        )

    def begin(self, who: Who) -> float | None:
        """Return the seconds until a password may be looked at."""
        with self._lock:
            found = self._known.get(who)
            if found is None:
                return None
            now = self._clock.monotonic()
            if now - found.at_s > FORGET_AFTER_S:
                del self._known[who]
                return None
            if now < found.until_s:
                return found.until_s - now
            if found.until_s:
                # Of many at the same time this one is looked at.
                found.until_s = now + CHECK_TIMEOUT_S
            return 0.0

    def count_wrong(self, who: Who) -> None:
        """Count one more that was wrong."""
        with self._lock:
            found = self._known.setdefault(who, _Wrong())
            found.count += 1
            found.at_s = self._clock.monotonic()
            costly = found.count - max(1, self._free)
            if costly >= 0:
                pause_s = min(2.0 ** min(costly, 16), MAX_PAUSE_S)
                found.until_s = found.at_s + pause_s

    def forget(self, who: Who) -> None:
        """Know of none that was wrong."""
        with self._lock:
            self._known.pop(who, None)


class LoginThrottle:
    """Lets passwords be looked at, or not."""

    def __init__(
        self, counts: Counts | None, proxies: typing.Collection[str]
    ) -> None:
        """Go by these counts.

        :param counts: ``None`` to let all be looked at
        :param proxies: addresses whose ``X-Forwarded-For`` is believed
        """
        self._counts = counts
        self._proxies = client_addresses.ProxyList(proxies)

    def who(self, req: web.Request, user: str) -> Who:
        """Return whom a guess counts for."""
        address = self._proxies.client_address(req)
        return user[:_MAX_NAME_LENGTH], address[:_MAX_NAME_LENGTH]

    @contextlib.contextmanager
    def attempt(self, who: Who) -> collections.abc.Iterator[None]:
        """Let a password be looked at; what is raised says it was wrong.

        After a wrong one that cost a pause, they are looked at one by one.

        :raises orch.api.errors.TooManyFailedLogins: it may not be looked at
        """
        if self._counts is None:
            yield
            return
        wait_s = self._counts.begin(who)
        if wait_s:
            raise _too_many(wait_s)
        try:
            yield
        except orch_errors.OrchError:
            raise  # It was not checked.
        except Exception:
            self._counts.count_wrong(who)
            raise
        if wait_s is not None:
            self._counts.forget(who)


def find_throttle(
    limits: settings.Settings, time: clock.Clock
) -> LoginThrottle:
    """Return what counts as the options say.

    :raises orch.api.middleware.stores.BadStore: the store cannot be used
    """
    free = limits.max_failed_logins
    if free < 0:
        return LoginThrottle(None, limits.trusted_proxies)
    counts: Counts = OwnCounts(free, time)
    if limits.rate_store:
        shared = stores.load_store("shared_login_throttle")
        counts = shared.SharedCounts(limits.rate_store, free, counts, time)
    return LoginThrottle(counts, limits.trusted_proxies)


def _too_many(wait_s: float) -> errors.TooManyFailedLogins:
    after_s = max(1, math.ceil(wait_s))
    return errors.TooManyFailedLogins(
        "Too many wrong passwords came from your address for this user: no"
        f" password is checked for {after_s} seconds; try again then.",
        after_s,
    )
