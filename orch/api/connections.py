"""Connections of clients: how many there may be, and how long each takes.

waitress reads and writes them in one thread. Here is what it leaves open: a
client that sends or reads slowly, or not at all, keeps its connection for a
limited time, and those of one address leave some for others.
"""

import collections.abc
import dataclasses
import logging
import socket
import typing

from waitress import adjustments
from waitress import channel
from waitress import server
from waitress import task
from waitress import utilities

from orch import clock
from orch.api import client_addresses

LOG = logging.getLogger(__name__)

_RETRY_AFTER_S: typing.Final = "5"
_CHECK_INTERVAL_S: typing.Final = 1
_LOG_INTERVAL_S: typing.Final = 60.0
_NEVER_S: typing.Final = float("inf")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a server its clients may have.

    :ivar connections: open ones in all
    :ivar address_connections: open ones of one address; -1 for no limit
    :ivar is_exempt: whether an address is one of many clients, such as that
        of a proxy
    :ivar header_timeout_s: from the start of a request to the end of its
        header, however many parts it comes in
    :ivar body_timeout_s: from there to the end of its body
    :ivar idle_timeout_s: between two requests
    :ivar send_timeout_s: until a client takes more of an answer
    :ivar answer_timeout_s: until it has taken what is ready
    :ivar unsent_bytes: of all answers that clients have not taken yet
    """

    connections: int = 1000
    address_connections: int = -1
    is_exempt: collections.abc.Callable[[str], bool] = (
        client_addresses.is_loopback
    )
    header_timeout_s: float = 20.0
    body_timeout_s: float = 60.0
    idle_timeout_s: float = 120.0
    send_timeout_s: float = 60.0
    answer_timeout_s: float = 900.0
    unsent_bytes: int = 1 << 30


class _RequestTimeout(utilities.Error):
    code = 408
    reason = "Request Timeout"


class _TooManyConnections(utilities.Error):
    code = 503
    reason = "Service Unavailable"

    def to_response(
        self, ident: str | None = None
    ) -> tuple[str, collections.abc.Sequence[tuple[str, str]], str]:
        """Return the answer, which says when to retry."""
        status, headers, body = super().to_response(ident)
        return status, [*headers, ("Retry-After", _RETRY_AFTER_S)], body


class Channel(channel.HTTPChannel):
    """One connection.

    :ivar is_surplus: it came when there were as many as may be: it gets
        nothing but probes answered
    :ivar since_s: monotonic seconds when its present phase began
    """

    def __init__(
        self,
        server: "LimitedServer",
        sock: socket.socket,
        addr: tuple[str, int],
        adj: adjustments.Adjustments,
        map: dict[int, socket.socket] | None = None,  # noqa: A002 - waitress'
    ) -> None:
        super().__init__(server, sock, addr, adj, map=map)
        self.is_surplus = False
        self.peer = client_addresses.network_of(str(addr[0]))
        self._answers = 0
        self._phase: tuple[object, ...] = ("header", self._answers)
        self._unsent_since_s = self.since_s = server.now_s()
        server.admit(self)

    def service(self) -> None:
        """Answer a request."""
        super().service()
        self._answers += 1

    def is_waiting(self) -> bool:
        """Whether it waits for bytes of its client, and nothing else."""
        return not self.requests and not self.total_outbufs_len

    def is_overdue(self, now_s: float, limits: Limits) -> bool:
        """Whether the client has had its time; to be asked again and again."""
        limit_s = self.note_phase(now_s, limits)
        if not self.total_outbufs_len:
            self._unsent_since_s = now_s
        return (
            now_s - self.since_s > limit_s
            or now_s - self._unsent_since_s > limits.answer_timeout_s
        )

    def note_phase(self, now_s: float, limits: Limits) -> float:
        """Renew :attr:`since_s` if a phase has begun; return its limit."""
        phase, limit_s = self._find_phase(limits)
        if phase != self._phase:
            self._phase, self.since_s = phase, now_s
        return limit_s

    def _find_phase(self, limits: Limits) -> tuple[tuple[object, ...], float]:
        """Return what it does now, and for how long it may."""
        if self.total_outbufs_len:
            return ("send", self.last_activity), limits.send_timeout_s
        if self.requests:
            return ("serve",), _NEVER_S
        if self.request is not None and self.request.headers_finished:
            return ("body", self._answers), limits.body_timeout_s
        if self.request is not None or not self._answers:
            return ("header", self._answers), limits.header_timeout_s
        return ("idle", self._answers), limits.idle_timeout_s

    def end(self) -> None:
        """Close it; answer 408 where a part of a request has come."""
        late = self.request
        if late is None or not self.is_waiting():
            self.handle_close()
            return
        late.error = _RequestTimeout("The request took too long to arrive.")
        late.completed = True
        self.request = None
        self.requests = [late]
        typing.cast(LimitedServer, self.server).add_task(self)


class LimitedServer(server.TcpWSGIServer):
    """A listening socket that keeps to limits."""

    channel_class = Channel

    def __init__(
        self,
        limits: Limits,
        time: clock.Clock,
        probes: collections.abc.Collection[str],
        **given: typing.Any,
    ) -> None:
        """Listen.

        :param probes: paths that are served whatever else is: each by a
            thread of its own
        :param given: what waitress wants to know
        """
        self._limits = limits
        self._clock = time
        self._quiet_until_s = 0.0
        self._probes = {path: task.ThreadedTaskDispatcher() for path in probes}
        # Answers what is no request, or one too many; neither takes any time.
        self._refusals = task.ThreadedTaskDispatcher()
        super().__init__(**given)
        self.adj.cleanup_interval = _CHECK_INTERVAL_S
        for each in (*self._probes.values(), self._refusals):
            each.set_thread_count(1)

    def now_s(self) -> float:
        """Return monotonic seconds."""
        return self._clock.monotonic()

    def admit(self, added: Channel) -> None:
        """Make sure that there is one connection more, at most.

        The one that has waited longest for its client is closed for it. Where
        none waits, requests on the new one are refused.
        """
        others = [each for each in self._channels() if each is not added]
        share = self._limits.address_connections
        if share >= 0 and not self._limits.is_exempt(str(added.addr[0])):
            own = [each for each in others if each.peer == added.peer]
            self._make_place(added, own, share)
        self._make_place(added, others, self._limits.connections)

    def _make_place(
        self, added: Channel, others: list[Channel], limit: int
    ) -> None:
        open_ = [each for each in others if each.connected]
        if len(open_) < limit:
            return
        waiting = [each for each in open_ if each.is_waiting()]
        if waiting:
            now_s = self.now_s()
            for each in waiting:
                # An answer may have ended since the last maintenance.
                each.note_phase(now_s, self._limits)
            min(waiting, key=lambda each: each.since_s).handle_close()
        else:
            added.is_surplus = True
            if self.now_s() >= self._quiet_until_s:
                self._quiet_until_s = self.now_s() + _LOG_INTERVAL_S
                LOG.warning(
                    "%d connections are open, the last one of %s, as many as"
                    " are allowed in all or of one address that is not in"
                    " trusted_proxies: requests on others get a 503",
                    len(open_),
                    added.peer,
                )

    def add_task(self, task: typing.Any) -> None:
        """Have the next request of a connection served.

        :param task: the connection
        """
        request = task.requests[0]
        threads = self.task_dispatcher
        if request.error is None:
            threads = self._probes.get(request.path, threads)
        if task.is_surplus and threads is self.task_dispatcher:
            request.error = _TooManyConnections(
                "As many connections are open as are allowed, of your address"
                " or in all: close some, or retry."
            )
        if request.error is not None:
            threads = self._refusals
        threads.add_task(task)

    def maintenance(self, now: int) -> None:
        """Close the connections whose clients have had their time."""
        now_s = self.now_s()
        found = self._channels()
        for each in found:
            if each.is_overdue(now_s, self._limits):
                each.end()
        unsent = sum(each.total_outbufs_len for each in found)
        for each in sorted(found, key=lambda one: one.since_s):
            if unsent <= self._limits.unsent_bytes:
                return
            if each.total_outbufs_len:
                unsent -= each.total_outbufs_len
                each.handle_close()

    def stop_probes(self) -> None:
        """Answer no more probes."""
        for each in (*self._probes.values(), self._refusals):
            each.shutdown(timeout=1)

    def _channels(self) -> list[Channel]:
        found: typing.Any = self.active_channels
        return list(found.values())
