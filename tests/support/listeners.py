"""Somebody who hears the notifications, through oslo.messaging."""

import collections.abc
import dataclasses
import threading

import fixtures
import oslo_messaging as messaging
from oslo_config import cfg

from orch.rpc import options
from tests.support import payload_schemas

EXCHANGE = "heat"
TOPIC = "notifications"

HEATS_KEYS = frozenset(
    {
        "tenant_id",
        "user_id",
        "user_identity",
        "username",
        "stack_identity",
        "stack_name",
        "state",
        "state_reason",
        "create_at",
        "updated_at",
        "description",
        "tags",
    }
)
"""The keys that Heat's notifications of stacks have."""


@dataclasses.dataclass(frozen=True)
class Heard:
    """One notification as a consumer gets it."""

    priority: str
    context: dict[str, object]
    publisher_id: str
    event_type: str
    payload: dict[str, object]


def _number_of(payload: dict[str, object]) -> object:
    """Return what tells one notification of a type from another one."""
    return payload.get("sequence", payload.get("version"))


class Endpoint:
    """Keeps what comes, in the order of coming."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self._lock = threading.Lock()

    def info(self, ctxt, publisher_id, event_type, payload, metadata):
        self._record("info", ctxt, publisher_id, event_type, payload)

    def error(self, ctxt, publisher_id, event_type, payload, metadata):
        self._record("error", ctxt, publisher_id, event_type, payload)

    def _record(self, priority, ctxt, publisher_id, event_type, payload):
        with self._lock:
            self.heard.append(
                Heard(priority, ctxt, publisher_id, event_type, payload)
            )


class Listener(fixtures.Fixture):
    """Listens on a bus until the test ends.

    What it has heard by then must be as its schema says.

    :param conf: options of the process, where the bus is inside of it
    :param rabbit: options of oslo.messaging's driver of RabbitMQ, without conf
    """

    def __init__(
        self,
        url: str,
        conf: cfg.ConfigOpts | None = None,
        *,
        rabbit: collections.abc.Mapping[str, object] | None = None,
    ) -> None:
        super().__init__()
        self._url = url
        self._conf = conf
        self._rabbit = rabbit or {}

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        conf = self._conf
        if conf is None:
            conf = cfg.ConfigOpts()
            conf([], default_config_files=[])
            options.register_options(conf)
            for name, value in self._rabbit.items():
                conf.set_override(name, value, group="oslo_messaging_rabbit")
        self._endpoint = Endpoint()
        transport = messaging.get_notification_transport(conf, self._url)
        self.addCleanup(self._check)
        self.addCleanup(transport.cleanup)
        listener = messaging.get_notification_listener(
            transport,
            [messaging.Target(exchange=EXCHANGE, topic=TOPIC)],
            [self._endpoint],
        )
        listener.start(override_pool_size=1)
        self.addCleanup(self._stop, listener)

    @staticmethod
    def _stop(listener: messaging.notify.listener.NotificationServer) -> None:
        listener.stop()
        listener.wait()

    def _check(self) -> None:
        """Return only if all that was heard is as its schema says.

        :raises AssertionError: something is not
        """
        faults = [
            fault
            for each in self.heard
            for fault in payload_schemas.faults_of(
                each.event_type, each.payload
            )
        ]
        if faults:
            raise AssertionError("\n".join(faults[:10]))

    @property
    def heard(self) -> list[Heard]:
        """Return what came so far."""
        return list(self._endpoint.heard)

    def of(self, stack_id: str) -> list[Heard]:
        """Return what came of one stack, each kind of fact once.

        The bus gives each notification at least once; the second time of
        one says nothing new.
        """
        found = {
            (each.event_type, _number_of(each.payload)): each
            for each in self.heard
            if each.payload["stack_identity"] == stack_id
        }
        return list(found.values())

    def kinds(self) -> set[tuple[str, str]]:
        """Return the pairs of stack id and event type that came."""
        return {
            (str(each.payload["stack_identity"]), each.event_type)
            for each in self.heard
        }
