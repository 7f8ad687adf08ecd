"""How often passwords may be guessed.

A few wrong ones in a row are free, for people mistype. After that each wrong
one costs a pause, twice as long as the one before; what comes within it is
not looked at, right or wrong. It is counted for a user at an address, so
nobody is kept out from elsewhere. Each API process counts for itself.
"""

import collections
import collections.abc
import contextlib
import dataclasses
import math
import threading
import typing

from orch import clock
from orch import errors as orch_errors
from orch.api import errors
from orch.api import web

_LONGEST_PAUSE_S: typing.Final = 60.0
_FORGOTTEN_S: typing.Final = 900.0
_LOOKING_S: typing.Final = 1.0
_MOST_KNOWN: typing.Final = 10_000
_LONGEST_NAME: typing.Final = 256

Who = tuple[str, str]


@dataclasses.dataclass(slots=True)
class _Wrong:
    """Passwords in a row that were wrong.

    :ivar at_s: when the last one came, by the monotonic clock
    :ivar until_s: until when none is looked at; 0 before the first pause
    """

    count: int = 0
    at_s: float = 0.0
    until_s: float = 0.0


class Guesses:
    """Counts wrong passwords."""

    def __init__(
        self,
        free: int,
        proxies: typing.Collection[str],
        time: clock.Clock,
    ) -> None:
        """Know of none yet.

        :param free: wrong ones that cost no pause; negative for all
        :param proxies: addresses whose ``X-Forwarded-For`` is believed
        """
        self._free = free
        self._proxies = frozenset(proxies)
        self._clock = time
        self._lock = threading.Lock()
        self._known: collections.OrderedDict[Who, _Wrong]
        self._known = collections.OrderedDict()

    def who(self, req: web.Request, user: str) -> Who:
        """Return whom a guess counts for."""
        return user[:_LONGEST_NAME], self._address_of(req)[:_LONGEST_NAME]

    @contextlib.contextmanager
    def guess(self, who: Who) -> collections.abc.Iterator[None]:
        """Let a password be looked at; what is raised says it was wrong.

        After a wrong one that cost a pause, they are looked at one by one.

        :raises orch.api.errors.TooManyGuesses: it may not be looked at
        """
        if self._free < 0:
            yield
            return
        self._begin(who)
        try:
            yield
        except orch_errors.OrchError:
            raise  # Nobody could look.
        except Exception:
            self._was_wrong(who)
            raise
        self._was_right(who)

    def _begin(self, who: Who) -> None:
        with self._lock:
            found = self._known.get(who)
            if found is None:
                return
            now = self._clock.monotonic()
            if now - found.at_s > _FORGOTTEN_S:
                del self._known[who]
                return
            if now < found.until_s:
                raise _refused(found.until_s - now)
            if found.until_s:
                # Of many at the same time this one is looked at.
                found.until_s = now + _LOOKING_S

    def _was_wrong(self, who: Who) -> None:
        with self._lock:
            found = self._known.setdefault(who, _Wrong())
            self._known.move_to_end(who)
            while len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
            found.count += 1
            found.at_s = self._clock.monotonic()
            costly = found.count - max(1, self._free)
            if costly >= 0:
                pause_s = min(2.0 ** min(costly, 16), _LONGEST_PAUSE_S)
                found.until_s = found.at_s + pause_s

    def _was_right(self, who: Who) -> None:
        with self._lock:
            self._known.pop(who, None)

    def _address_of(self, req: web.Request) -> str:
        """Return where a request comes from, as far as that is certain."""
        route = list(req.access_route)
        while len(route) > 1 and route[-1] in self._proxies:
            route.pop()
        return route[-1] if route else ""


def _refused(wait_s: float) -> errors.TooManyGuesses:
    after_s = max(1, math.ceil(wait_s))
    return errors.TooManyGuesses(
        "Too many wrong passwords came from your address for this user: no"
        f" password is looked at for {after_s} seconds; try again then.",
        after_s,
    )
