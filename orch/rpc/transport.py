"""How a process calls workers, and how it learns that none answers."""

import collections.abc
import contextlib
import functools
import logging
import threading
import time
import typing

import oslo_messaging as messaging
from oslo_config import cfg
from oslo_messaging import transport as oslo_transport

from orch import errors
from orch import ids
from orch import json_depth
from orch.context import request
from orch.rpc import bounded_threads
from orch.rpc import broker
from orch.rpc import contract
from orch.rpc import faults
from orch.rpc import options
from orch.rpc import serializer
from orch.rpc import worker_watch

LOG = logging.getLogger(__name__)

# One retry replaces a connection that died while it was idle; more would let
# a request wait for a broker that is away instead of telling its sender.
_RETRIES = 1

# A hint is not worth a long wait: whoever misses it looks by itself.
_CAST_S: typing.Final = 5.0

# Workers that are asked one after another; the broker takes them in turn.
_OTHERS: typing.Final = 4

# Leaves it to oslo.messaging to say what was waited for.
_GRACE_S: typing.Final = 0.25

_UNKNOWN = messaging.UnsupportedVersion.__name__
"""How a worker says that it is older than what it is asked for."""


class Transport(oslo_transport.RPCTransport):
    """oslo.messaging's transport, which also knows its broker."""

    def __init__(self, driver: object, *, known: broker.Broker) -> None:
        """Send and receive by ``driver``."""
        super().__init__(driver)  # type: ignore[no-untyped-call]
        self.broker = known


def build_transport(conf: cfg.ConfigOpts, url: str | None = None) -> Transport:
    """Return a transport for RPC; it connects when it is first used.

    A process that serves and calls has one for each: a connection that
    serves waits for a broker for ever, one that calls must not.

    :param url: ``None`` for the one in the options
    :raises orch.errors.Invalid: the URL makes no sense
    """
    options.register_options(conf)
    try:
        parsed = messaging.TransportURL.parse(conf, url)
        transport: Transport = messaging.get_rpc_transport(
            conf,
            parsed,
            allowed_remote_exmods=[faults.__name__],
            transport_cls=functools.partial(
                Transport, known=broker.Broker(conf, parsed)
            ),
        )
    except (
        ValueError,
        messaging.InvalidTransportURL,
        messaging.DriverLoadFailure,
    ) as error:
        raise errors.Invalid(f"transport_url: {error}") from error
    return transport


class Caller:
    """Calls methods of any worker.

    Safe for several threads. ``transport`` stays the caller's to clean up.
    """

    def __init__(
        self,
        transport: Transport,
        timeout_s: float,
        topic: str = contract.TOPIC,
        timeouts: worker_watch.Timeouts = worker_watch.DEFAULT_TIMEOUTS,
    ) -> None:
        """Keep the transport; connect to nothing yet.

        :param timeout_s: seconds that a call waits for its answer, or all
            calls of a context together whose ``waiting`` is set
        :param topic: of those who answer
        :param timeouts: how long a call waits where none of them is there
        """
        self._transport = transport
        self._topic = topic
        self._timeout_s = timeout_s
        self._was_reached = False
        self._reaching = threading.Lock()
        self._threads = bounded_threads.Threads("rpc-call")
        self._workers = worker_watch.WorkerWatch(
            transport.broker, topic, timeouts
        )
        self._client = messaging.get_rpc_client(
            transport,
            messaging.Target(topic=topic),
            timeout=timeout_s,
            serializer=serializer.Serializer(),
            retry=_RETRIES,
            # Without a queue no server has ever listened: say so at once.
            transport_options=messaging.TransportOptions(at_least_once=True),
        )

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        """Return what a worker answers.

        Another one is asked where a worker says so.

        :raises orch.errors.Unavailable: no worker answered in time, whatever
            the broker does meanwhile, or none is there, or the worker is
            of an earlier release and has no such method; what a worker did
            after that is not known
        :raises orch.errors.OrchError: what the worker refused or failed with
        """
        for _ in range(_OTHERS):
            with contextlib.suppress(errors.AskAnother):
                return self._send("call", ctxt, namespace, method, kwargs)
        return self._send("call", ctxt, namespace, method, kwargs)

    def cast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        """Tell some worker, without an answer; it may get lost on the way.

        :raises orch.errors.Unavailable: it was lost already
        """
        self._send("cast", ctxt, namespace, method, kwargs)

    def broadcast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        """Tell all workers, without an answer; it may get lost on the way.

        :raises orch.errors.Unavailable: it was lost already
        """
        self._send("cast", ctxt, namespace, method, kwargs, to_all=True)

    def _send(
        self,
        kind: str,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        kwargs: dict[str, object],
        *,
        to_all: bool = False,
    ) -> object:
        version = contract.needed(
            namespace, method, ctxt.depends_on if kind == "call" else ()
        )

        def ask(timeout_s: float) -> object:
            client = self._client.prepare(
                namespace=namespace,
                version=version,
                fanout=to_all,
                timeout=timeout_s,
            )
            sent = ctxt
            if kind == "call":
                sent = ctxt.with_time_limit(timeout_s)
            result: object = getattr(client, kind)(sent, method, **kwargs)
            return result

        limit_s = self._timeout_s
        if kind != "call":
            limit_s = min(_CAST_S, limit_s)
        wait: bounded_threads.Wait = threading.Event.wait
        if kind == "call":
            if self._workers.is_suspected and self._workers.is_absent():
                raise _no_worker(self._topic)
            wait = self._wait_for_worker
        try:
            with self._counted(ctxt.waiting) as left_s:
                return self._in_time(ask, min(limit_s, left_s), limit_s, wait)
        except faults.FaultError as fault:
            raise faults.from_wire(fault) from None
        except (json_depth.TooDeepError, RecursionError) as error:
            raise errors.Invalid(str(json_depth.TooDeepError())) from error
        except messaging.MessagingTimeout as error:
            raise errors.Unavailable(
                f"no worker answered within {self._timeout_s:g} seconds"
            ) from error
        except messaging.MessageUndeliverable as error:
            raise _no_worker(self._topic) from error
        except messaging.RemoteError as error:
            if error.exc_type == _UNKNOWN:
                raise errors.Unavailable(
                    f"the worker that was asked does not know"
                    f" {namespace}.{method} of version"
                    f" {version}: it is of another release"
                ) from error
            LOG.error("worker: %s %s", error.exc_type, error.value)
            raise errors.OrchError(
                "The engine did not understand the request."
            ) from error
        except (messaging.MessagingException, *broker.FAILURES) as error:
            raise _away() from error

    @contextlib.contextmanager
    def _counted(
        self, waiting: request.CallWaiting | None
    ) -> collections.abc.Iterator[float]:
        """Count how long it takes, and tell how long it may.

        :raises orch.errors.Unavailable: no time is left
        """
        if waiting is None:
            yield self._timeout_s
            return
        left_s = self._timeout_s - waiting.spent_s
        if left_s <= 0:
            raise errors.Unavailable(
                "no worker can be asked any more: this request has waited"
                f" for {self._timeout_s:g} seconds, as long as it may"
            )
        begun = time.monotonic()
        try:
            yield left_s
        finally:
            waiting.spent_s += time.monotonic() - begun

    def _in_time(
        self,
        ask: collections.abc.Callable[[float], object],
        limit_s: float,
        total_limit_s: float,
        wait: bounded_threads.Wait,
    ) -> object:
        """Return what is answered, or raise when the time is over.

        :param ask: waits so many seconds for the answer
        :param total_limit_s: the limit of the request as a whole, for people
        """
        if not self._transport.broker.is_external:
            return ask(limit_s)
        until = time.monotonic() + limit_s

        def work() -> object:
            self._reach(until)
            left_s = until - time.monotonic()
            # The caller waits no more: it must not be asked for now.
            if left_s <= 0:
                raise _away()
            return ask(left_s)

        try:
            return self._threads.run(work, limit_s + _GRACE_S, wait)
        except bounded_threads.FullError as error:
            raise errors.Unavailable(
                "too many calls wait for the message broker,"
                f" {bounded_threads.MAX_THREADS}; ask again once it answers"
            ) from error
        except TimeoutError as error:
            raise errors.Unavailable(
                f"the message broker did not answer within {total_limit_s:g}"
                " seconds"
            ) from error

    def _wait_for_worker(self, end: threading.Event, limit_s: float) -> bool:
        """Wait for an answer, as long as a worker may give one.

        :raises orch.errors.Unavailable: none has been there for a while
        """
        until = time.monotonic() + limit_s
        slow_s = self._workers.timeouts.slow_s
        while not end.wait(min(slow_s, limit_s)):
            limit_s = until - time.monotonic()
            if limit_s <= 0:
                return False
            if self._workers.is_absent():
                raise _no_worker(self._topic)
        return True

    def _reach(self, until: float) -> None:
        """Refuse while the broker was never there."""
        if self._was_reached:
            return
        left_s = max(0.0, until - time.monotonic())
        if not self._reaching.acquire(timeout=left_s):
            raise _away()
        try:
            self._make_ready()
        finally:
            self._reaching.release()

    def _make_ready(self) -> None:
        """Let oslo.messaging make the reply queue of this process.

        Without a broker it waits for ever to make it, and lets all others
        wait; later it has a connection to repair. So first there is a
        question to an empty topic, which does no harm when it leaves late.
        """
        if self._was_reached:
            return
        limit_s = min(5.0, self._timeout_s)
        if not self._transport.broker.is_reachable(limit_s):
            raise _away()
        client = self._client.prepare(
            topic=f"orch-nobody-{ids.new()}", timeout=limit_s
        )
        # The queue is there in both cases: it is made before the question.
        with contextlib.suppress(
            messaging.MessageUndeliverable, messaging.MessagingTimeout
        ):
            client.call(request.RequestContext(), "nothing")
        self._was_reached = True


def _no_worker(topic: str) -> errors.Unavailable:
    """Return the error of a call; a topic is called as the process is."""
    return errors.Unavailable(
        f"no {topic} takes requests: none is connected to the message broker."
        f" Start one; `orch-manage doctor` says what else is wrong"
    )


def _away() -> errors.Unavailable:
    return errors.Unavailable("the message broker cannot be reached")
