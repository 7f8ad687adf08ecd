"""How a worker serves calls, on a bounded number of threads."""

import collections.abc
import logging
import threading

import oslo_messaging as messaging

from orch.rpc import contract
from orch.rpc import faults
from orch.rpc import serializer
from orch.rpc import transport as rpc_transport

LOG = logging.getLogger(__name__)

_RETRY_S = 1.0


class Ping:
    """Answers ``oslo_rpc_server_ping``, as other OpenStack services do."""

    target = messaging.Target()

    def oslo_rpc_server_ping(self, ctxt: object, **kwargs: object) -> str:
        """Answer that the worker serves calls."""
        return "pong"


class Server:
    """Serves calls from :meth:`serve` until :meth:`stop`."""

    def __init__(
        self,
        transport: rpc_transport.Transport,
        server: messaging.MessageHandlingServer,
        threads: int,
    ) -> None:
        """Serve nothing yet; :func:`build` makes one."""
        self._transport = transport
        self._server = server
        self._threads = threads
        self._is_stopping = threading.Event()
        self._has_started = False
        self._starter = threading.Thread(
            target=self._start, name="rpc-start", daemon=True
        )

    def serve(self) -> None:
        """Serve calls, from now on or from when the broker is there.

        It returns in either case, so that a worker does what it can without
        a broker.
        """
        if self._transport.broker.is_reachable():
            self._listen()
        else:
            LOG.warning("the message broker cannot be reached; waiting")
            self._starter.start()

    def stop(self, grace_s: float = 5.0) -> bool:
        """Take no more calls, and let those under way end.

        :param grace_s: give up on a broker that is away after so long
        :returns: whether all ended in time
        """
        self._is_stopping.set()
        stopper = threading.Thread(
            target=self._stop, name="rpc-stop", daemon=True
        )
        stopper.start()
        stopper.join(grace_s)
        return not stopper.is_alive()

    def _start(self) -> None:
        while not self._is_stopping.wait(_RETRY_S):
            if self._transport.broker.is_reachable():
                self._listen()
                LOG.info("the message broker is there; serving calls")
                return

    def _listen(self) -> None:
        self._has_started = True
        self._server.start(override_pool_size=self._threads)

    def _stop(self) -> None:
        if self._starter.ident is not None:
            self._starter.join()
        if self._has_started:
            self._server.stop()
            self._server.wait()


def build(
    transport: rpc_transport.Transport,
    host: str,
    endpoints: collections.abc.Iterable[object],
    threads: int,
) -> Server:
    """Return a server for the methods of the endpoints.

    Each endpoint has a ``target`` with namespace and version; what it raises
    reaches the caller as ``orch.rpc.faults`` says.

    :param host: address of this worker; the same at each start, since the
        broker keeps its queue
    :param threads: calls answered at the same time
    """
    served: list[object] = [faults.Guard(each) for each in endpoints]
    # oslo.messaging looks for this option in the global options only.
    if transport.conf.rpc_ping_enabled:
        served.append(Ping())
    server = messaging.get_rpc_server(
        transport,
        messaging.Target(topic=contract.TOPIC, server=host),
        served,
        serializer=serializer.Serializer(),
        access_policy=messaging.DefaultRPCAccessPolicy,
    )
    return Server(transport, server, threads)
