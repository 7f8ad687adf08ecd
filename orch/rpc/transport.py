"""How a process calls workers, and how it learns that none answers."""

import functools
import logging

import oslo_messaging as messaging
from oslo_config import cfg
from oslo_messaging import transport as oslo_transport

from orch import errors
from orch.context import request
from orch.rpc import broker
from orch.rpc import contract
from orch.rpc import faults
from orch.rpc import options
from orch.rpc import serializer

LOG = logging.getLogger(__name__)

# One retry replaces a connection that died while it was idle; more would let
# a request wait for a broker that is away instead of telling its sender.
_RETRIES = 1


class Transport(oslo_transport.RPCTransport):
    """oslo.messaging's transport, which also knows its broker."""

    def __init__(self, driver: object, *, known: broker.Broker) -> None:
        """Send and receive by ``driver``."""
        super().__init__(driver)  # type: ignore[no-untyped-call]
        self.broker = known


def build(conf: cfg.ConfigOpts, url: str | None = None) -> Transport:
    """Return a transport for RPC; it connects when it is first used.

    A process that serves and calls has one for each: a connection that
    serves waits for a broker for ever, one that calls must not.

    :param url: ``None`` for the one in the options
    :raises orch.errors.Invalid: the URL makes no sense
    """
    options.register(conf)
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

    def __init__(self, transport: Transport, timeout_s: float) -> None:
        """Keep the transport; connect to nothing yet.

        :param timeout_s: seconds that a call waits for its answer
        """
        self._transport = transport
        self._timeout_s = timeout_s
        self._was_reached = False
        self._client = messaging.get_rpc_client(
            transport,
            messaging.Target(topic=contract.TOPIC, version=contract.VERSION),
            timeout=timeout_s,
            serializer=serializer.Serializer(),
            retry=_RETRIES,
            # Without a queue nobody has ever listened: say so at once.
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

        :raises orch.errors.Unavailable: no worker answered in time, or none
            can be asked; what a worker did after that is not known
        :raises orch.errors.OrchError: what the worker refused or failed with
        """
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
        self._reach()
        client = self._client.prepare(namespace=namespace, fanout=to_all)
        try:
            result: object = getattr(client, kind)(ctxt, method, **kwargs)
        except faults.FaultError as fault:
            raise faults.from_wire(fault) from None
        except messaging.MessagingTimeout as error:
            raise errors.Unavailable(
                f"no worker answered within {self._timeout_s:g} seconds"
            ) from error
        except messaging.MessageUndeliverable as error:
            raise errors.Unavailable("no worker is there to ask") from error
        except messaging.RemoteError as error:
            LOG.error("worker: %s %s", error.exc_type, error.value)
            raise errors.OrchError(
                "The engine did not understand the request."
            ) from error
        except (messaging.MessagingException, *broker.FAILURES) as error:
            raise _away() from error
        return result

    def _reach(self) -> None:
        """Refuse while the broker was never there.

        oslo.messaging waits for ever, and lets all others wait, when it
        makes the reply queue of a process without a broker; later it has a
        connection to repair.
        """
        if not self._was_reached:
            if not self._transport.broker.is_reachable(
                min(5.0, self._timeout_s)
            ):
                raise _away()
            self._was_reached = True


def _away() -> errors.Unavailable:
    return errors.Unavailable("the message broker cannot be reached")
