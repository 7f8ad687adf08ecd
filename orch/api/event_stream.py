"""Streams of events (server-sent events), and how many there may be.

A stream lasts for minutes, a request for milliseconds, and the server has a
thread for each: so a stream brings a thread of its own along and takes it
away again. There is a bound, beyond which a caller is told so at once.
"""

import collections.abc
import contextlib

from orch import clock
from orch import errors
from orch import project_slots
from orch.api import codec
from orch.api import errors as api_errors
from orch.api import server
from orch.api import web
from orch.rpc import contract

_RETRY_MS = 1000
_FIRST_PAUSE_S = 0.25
_MAX_PAUSE_S = 2.0
_GROWTH = 1.5
_HEARTBEAT_S = 15.0

Read = collections.abc.Callable[[str | None], contract.FollowedFacts]
"""Takes a position, and returns what has happened since."""

Show = collections.abc.Callable[
    [contract.EventFacts], dict[str, object] | None
]
"""Returns an event as it is sent; ``None`` for one that was not requested."""


class Held:
    """The thread and the slot of a stream.

    :ivar hold: of the thread
    """

    def __init__(self, hold: server.Hold) -> None:
        """Own nothing yet."""
        self.hold = hold
        self._on_close = contextlib.ExitStack()

    def add(self, on_close: contextlib.ExitStack) -> None:
        """Own what this releases."""
        self._on_close = on_close

    def release(self) -> None:
        """Give both back; a second call does nothing."""
        self._on_close.close()


class EventStreams:
    """Counts the streams of this process."""

    def __init__(
        self, limit: int, max_duration_s: float, time: clock.Clock
    ) -> None:
        """Allow so many streams, each for so long.

        :param max_duration_s: after which a stream ends, and whoever reads it
            comes again, with a token that is still good
        """
        self._max_duration_s = max_duration_s
        self._clock = time
        self._slots = project_slots.ProjectSlots(
            "streams of events", limit, max(1, limit // 2)
        )

    def open(
        self,
        req: web.Request,
        read: Read,
        renew: collections.abc.Callable[[], None],
        show: Show,
        after: str | None,
        *,
        ends_idle: bool,
    ) -> "Stream":
        """Return a stream that has been read for the first time.

        :param renew: raises unless the caller may go on reading
        :param ends_idle: end it once nothing is under way with the stack
        :raises orch.api.errors.TooManyEventStreams: there are too many, in
            all or of the project
        :raises orch.errors.OrchError: what ``read`` raises
        """
        with self.taken(req) as held:
            return Stream(
                read,
                renew,
                show,
                read(after),
                after,
                held,
                self._clock,
                self._clock.monotonic() + self._max_duration_s,
                ends_idle=ends_idle,
            )

    @contextlib.contextmanager
    def taken(self, req: web.Request) -> collections.abc.Iterator["Held"]:
        """Take a slot and a thread; release both if the block raises.

        :raises orch.api.errors.TooManyEventStreams: there are too many, in
            all or of the project
        """
        project_id = req.caller.project_id
        try:
            self._slots.take(project_id)
        except project_slots.SlotsTaken as taken:
            raise api_errors.TooManyEventStreams(
                f"{taken.message} Or request page by page."
            ) from None
        with contextlib.ExitStack() as on_error:
            on_error.callback(self._slots.release, project_id)
            hold = server.Hold.of(req.env)
            on_error.callback(hold.release)
            held = Held(hold)
            yield held
            held.add(on_error.pop_all())


class Stream:
    """The body of one answer; WSGI reads it and closes it."""

    def __init__(
        self,
        read: Read,
        renew: collections.abc.Callable[[], None],
        show: Show,
        first: contract.FollowedFacts,
        after: str | None,
        held: Held,
        time: clock.Clock,
        until: float,
        *,
        ends_idle: bool,
    ) -> None:
        """Begin with what was read already.

        :param until: monotonic seconds, when to end
        """
        self._read = read
        self._renew = renew
        self._show = show
        self._first = first
        self._position = after
        self._held = held
        self._clock = time
        self._until = until
        self._ends_idle = ends_idle
        self._chunks = self._written()

    def __iter__(self) -> collections.abc.Iterator[bytes]:
        """Return itself."""
        return self

    def __next__(self) -> bytes:
        """Return what is to be sent next, once there is something."""
        return next(self._chunks)

    def close(self) -> None:
        """Release the thread and the slot; a second call does nothing."""
        self._chunks.close()
        self._held.release()

    def _written(self) -> collections.abc.Generator[bytes, None, None]:
        yield b"retry: %d\n\n" % _RETRY_MS
        found: contract.FollowedFacts | None = self._first
        pause_s = _FIRST_PAUSE_S
        beat_at = self._clock.monotonic() + _HEARTBEAT_S
        while True:
            now = self._clock.monotonic()
            if found is not None and found["events"]:
                yield self._encoded(found["events"])
                pause_s, beat_at = _FIRST_PAUSE_S, now + _HEARTBEAT_S
            elif now >= beat_at:
                yield b": nothing new\n\n"
                beat_at = now + _HEARTBEAT_S
            reason = self._reason_to_end(found, now)
            if reason is not None:
                yield _ended(reason)
                return
            if found is None or not found["events"]:
                if not self._held.hold.wait(pause_s):
                    return
                pause_s = min(pause_s * _GROWTH, _MAX_PAUSE_S)
            found = None
            # Who gives no answer now may in a moment.
            with contextlib.suppress(
                errors.Unavailable, api_errors.TooManyRequests
            ):
                try:
                    self._renew()
                    found = self._read(self._position)
                except errors.NotFound:
                    yield _ended("the stack is gone")
                    return
                except (errors.Forbidden, api_errors.Unauthenticated):
                    yield _ended("you may not read its events now")
                    return

    def _encoded(
        self, found: collections.abc.Iterable[contract.FollowedEvent]
    ) -> bytes:
        lines: list[bytes] = []
        for each in found:
            self._position = each["position"]
            lines.append(b"id: " + each["position"].encode())
            shown = self._show(each["event"])
            if shown is not None:
                lines.append(b"data: " + codec.dumps(shown))
            lines.append(b"")
        return b"\n".join(lines) + b"\n"

    def _reason_to_end(
        self, found: contract.FollowedFacts | None, now: float
    ) -> str | None:
        if found is not None and found["is_over"]:
            return "the stack is gone"
        if found is not None and self._ends_idle and found["is_idle"]:
            return "no operation is in progress"
        if now >= self._until:
            return "the time is over; go on with Last-Event-ID"
        return None


def _ended(reason: str) -> bytes:
    return b"event: end\ndata: " + codec.dumps({"reason": reason}) + b"\n\n"
