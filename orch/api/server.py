"""Serves the application over HTTP, by waitress, until it is stopped."""

import collections.abc
import contextlib
import contextvars
import logging
import resource
import socket
import sys
import threading
import typing
import wsgiref.types

from waitress import adjustments
from waitress import wasyncore

from orch import clock
from orch.api import connections
from orch.api import dispatcher
from orch.api import peer

_LEND = "orch.lend_threads"
_STOPPING = "orch.is_stopping"
_BACKLOG = 1024
_DESCRIPTORS = 4
"""Files that each connection may need: itself, its request, its answer."""
_MAX_BODY = 1 << 30
_SPARE = 16 << 20
_TICK_S = 1.0
_LAST_TICK_S = 0.02

_serving: contextvars.ContextVar[wsgiref.types.WSGIEnvironment] = (
    contextvars.ContextVar("serving")
)

Lend = collections.abc.Callable[[int], None]
"""Adds so many threads to those that serve requests."""


class Hold:
    """A thread that a long answer has for itself.

    Whoever makes one of a request's environment takes a thread that the
    server starts for it, so that as many as before serve requests.
    """

    def __init__(
        self,
        lend: Lend,
        is_stopping: threading.Event,
        has_left: collections.abc.Callable[[], bool],
    ) -> None:
        """Take the thread.

        :param has_left: whether the client is not there any more
        """
        self._lend = lend
        self._is_stopping = is_stopping
        self._has_left = has_left
        lend(1)

    @classmethod
    def of(cls, environ: wsgiref.types.WSGIEnvironment) -> typing.Self:
        """Return that of a request; other servers may know nothing of it."""
        return cls(
            environ.get(_LEND, _lend_nothing),
            environ.get(_STOPPING) or threading.Event(),
            environ.get("waitress.client_disconnected", _is_there),
        )

    @classmethod
    @contextlib.contextmanager
    def held(cls) -> collections.abc.Iterator[None]:
        """Hold that of the request that this thread serves, for a block."""
        hold = cls.of(_serving.get({}))
        try:
            yield
        finally:
            hold.release()

    def wait(self, seconds: float) -> bool:
        """Return after so long; false at once if the answer is to end."""
        return not (
            self._has_left()
            or self._is_stopping.wait(seconds)
            or self._has_left()
        )

    def release(self) -> None:
        """Give the thread back."""
        self._lend(-1)


def _lend_nothing(count: int) -> None:
    """Do without: the server has threads enough, or none to give."""


def _is_there() -> bool:
    return False


class Server:
    """A listening socket and the threads behind it.

    :ivar host: the address that it listens on
    :ivar port: its port, the real one where 0 was asked for
    """

    def __init__(
        self,
        app: wsgiref.types.WSGIApplication,
        listener: socket.socket,
        options: adjustments.Adjustments,
        limits: connections.Limits,
        probes: collections.abc.Collection[str],
        time: clock.Clock,
        *,
        finds_peers: bool,
    ) -> None:
        self.host, self.port = listener.getsockname()[:2]
        self._clock = time
        self._sockets: dict[int, socket.socket] = {}
        self._workers = dispatcher.ProjectDispatcher(options.threads)
        self._is_stopping = threading.Event()
        # The trigger stays open until whoever stops the server has pulled it.
        self._closing = threading.Lock()
        self._app = app
        self._server = connections.LimitedServer(
            limits,
            time,
            probes,
            application=self._call,
            map=self._sockets,
            _sock=listener,
            dispatcher=self._workers,
            adj=options,
            bind_socket=False,
            sockinfo=(
                listener.family,
                listener.type,
                None,
                listener.getsockname(),
            ),
        )
        if finds_peers:
            self._server.channel_class = peer.Channel
        self._grace_s = 0.0
        self._thread = threading.Thread(
            target=self._run, name="api-sockets", daemon=True
        )
        self._thread.start()

    def stop(self, grace_s: float = 5.0) -> None:
        """Take no more connections; return when running requests ended.

        A second call finds nothing to do.

        :param grace_s: seconds that they get before they are cut off
        """
        with self._closing:
            if not self._is_stopping.is_set():
                self._grace_s = grace_s
                self._is_stopping.set()
                self._server.pull_trigger()
        self._thread.join()

    def wait(self) -> None:
        """Return when the server has been stopped."""
        self._thread.join()

    def _call(
        self,
        environ: wsgiref.types.WSGIEnvironment,
        start_response: wsgiref.types.StartResponse,
    ) -> collections.abc.Iterable[bytes]:
        """Call the application, which may need to know of the server."""
        environ[_LEND] = self._workers.lend
        environ[_STOPPING] = self._is_stopping
        token = _serving.set(environ)
        try:
            return self._app(environ, start_response)
        finally:
            _serving.reset(token)

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            self._tick(_TICK_S)
        wasyncore.dispatcher.close(self._server)
        deadline = self._clock.monotonic() + self._grace_s
        while self._is_busy() and self._clock.monotonic() < deadline:
            self._tick(_LAST_TICK_S)
        self._workers.shutdown(timeout=0 if self._is_busy() else 1)
        self._server.stop_probes()
        with self._closing:
            wasyncore.close_all(self._sockets)

    def _tick(self, timeout_s: float) -> None:
        """Let waitress read and write what is ready."""
        wasyncore.loop(
            timeout=timeout_s, use_poll=True, map=self._sockets, count=1
        )

    def _is_busy(self) -> bool:
        """Answer whether a request runs, or an answer is not yet out."""
        return any(
            getattr(one, "requests", None)
            or getattr(one, "total_outbufs_len", 0)
            for one in list(self._sockets.values())
        )


def serve(
    app: wsgiref.types.WSGIApplication,
    host: str,
    port: int,
    threads: int,
    max_body_size: int = -1,
    *,
    finds_peers: bool = False,
    limits: connections.Limits | None = None,
    probes: collections.abc.Collection[str] = (),
) -> Server:
    """Return once the application is served on the address.

    :param port: 0 for any free one, see :attr:`Server.port`
    :param threads: requests that run at a time
    :param max_body_size: the API's own limit, bytes; -1 for none. A body far
        beyond it is refused before it is read, one a little beyond it gets
        the API's answer, which tells more.
    :param finds_peers: find out the user at the other end of each connection,
        see :class:`orch.api.peer.Peer`
    :param limits: of connections; ``None`` for the defaults
    :param probes: paths whose requests never wait for one of these threads
    :raises OSError: the address cannot be had
    """
    limits = limits or connections.Limits()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server(
        (host, port), family=family, backlog=_BACKLOG
    )
    options = adjustments.Adjustments(
        sockets=[listener],
        threads=threads,
        ident="",
        backlog=_BACKLOG,
        # LimitedServer has a limit of its own.
        connection_limit=sys.maxsize,
        # Where all threads wait for clients to read, it closes connections.
        outbuf_high_watermark=limits.unsent_bytes // threads,
        asyncore_use_poll=True,
        # What counts wrong passwords believes those of known proxies alone.
        clear_untrusted_proxy_headers=False,
        # While a long answer is sent, too, it is seen that a client leaves.
        channel_request_lookahead=1,
        max_request_body_size=(
            max_body_size + _SPARE if max_body_size >= 0 else _MAX_BODY
        ),
    )
    # It would warn each time that a request waits for a thread.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    _raise_file_limit(limits.connections * _DESCRIPTORS)
    return Server(
        app,
        listener,
        options,
        limits,
        probes,
        clock.SystemClock(),
        finds_peers=finds_peers,
    )


def _raise_file_limit(wanted: int) -> None:
    """Let this process open so many files, if it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
