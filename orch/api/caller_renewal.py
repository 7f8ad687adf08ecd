"""Check the caller of a long answer again while it is sent.

A user may be removed, a token end and a role be taken away while a stream
goes on: what would refuse a new request ends the stream.
"""

from orch import clock
from orch.api import web


class CallerRenewal:
    """Checks the caller of one request as often as is necessary."""

    def __init__(self, req: web.Request, time: clock.Clock) -> None:
        """Know the caller as the request has just been accepted."""
        self._req = req
        self._clock = time
        self._known_until_s = self._next_s()

    def renew(self) -> None:
        """Make sure that the caller may have the answer still.

        The user file, or the time of the token, is looked at each time;
        Keystone is asked after ``identity_ttl_s``. The rule is asked each
        time.

        :raises orch.api.errors.Unauthenticated: the login is not valid now
        :raises orch.errors.Forbidden: the caller may not have it now
        :raises orch.errors.Unavailable: no service can tell now
        :raises orch.api.errors.TooManyFailedLogins: nor can this, in a pause
        """
        if self._clock.monotonic() >= self._known_until_s:
            self._req.identify()
            self._known_until_s = self._next_s()
        # Each look of the answer has its own time to wait for workers.
        self._req.caller.waiting = None
        self._req.authorize()

    def _next_s(self) -> float:
        return self._clock.monotonic() + self._req.identity_ttl_s
