"""How a worker serves calls, on a bounded number of threads."""

import collections.abc
import logging

import oslo_messaging as messaging

from orch import clock
from orch import periodic
from orch.context import function_time
from orch.context import outside
from orch.rpc import contract
from orch.rpc import faults
from orch.rpc import project_executor
from orch.rpc import serializer
from orch.rpc import server_starter
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
        make: server_starter.Make,
        threads: int,
    ) -> None:
        """Serve nothing yet; :func:`build_server` makes one."""
        self._starter = server_starter.Starter(
            "rpc",
            make,
            transport.broker,
            periodic.Failures(
                LOG,
                "no calls are served",
                "calls are served again",
                first_pause_s=_RETRY_S,
            ),
            threads=threads,
            retry_s=_RETRY_S,
        )

    def serve(self) -> None:
        """Serve calls, from now on or from when the broker is there.

        It returns in either case, so that a worker does what it can without
        a broker.
        """
        self._starter.start()

    def stop(self, grace_s: float = 5.0) -> bool:
        """Take no more calls, and let those under way end.

        :param grace_s: give up on a broker that is away after so long
        :returns: whether all ended in time
        """
        return self._starter.stop(grace_s)


def build_server(
    transport: rpc_transport.Transport,
    host: str,
    endpoints: collections.abc.Iterable[object],
    threads: int,
    topic: str = contract.TOPIC,
) -> Server:
    """Return a server for the methods of the endpoints.

    Each endpoint has a ``target`` with namespace and version; what it raises
    reaches the caller as ``orch.rpc.faults`` says.

    :param host: address of this worker; the same at each start, since the
        broker keeps its queue
    :param threads: calls answered at the same time
    :param topic: that callers name
    """
    slots = outside.make_slots(threads)
    budget = function_time.ProjectBudget(clock.SystemClock())
    served: list[object] = [
        faults.Guard(each, slots, budget) for each in endpoints
    ]
    # oslo.messaging looks for this option in the global options only.
    if transport.conf.rpc_ping_enabled:
        served.append(Ping())

    def make() -> messaging.MessageHandlingServer:
        made: messaging.MessageHandlingServer = messaging.get_rpc_server(
            transport,
            messaging.Target(topic=topic, server=host),
            served,
            serializer=serializer.Serializer(),
            access_policy=messaging.DefaultRPCAccessPolicy,
            server_cls=project_executor.ProjectServer,
        )
        return made

    return Server(transport, make, threads)
