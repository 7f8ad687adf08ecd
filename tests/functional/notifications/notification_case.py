"""What tests of notifications share: one server, heard over RabbitMQ."""

import typing

from tests.functional import acting
from tests.support import listeners
from tests.support import rabbit
from tests.support import rest
from tests.support import services
from tests.support import waiting

Json = dict[str, typing.Any]

_LIMIT_S = 60


class NotificationTestCase(acting.ActionsTestCase):
    """All that a server tells is heard, and checked against its schema.

    :cvar notifications: options of what it tells
    :ivar listener: hears it
    """

    notifications: typing.ClassVar[dict[str, object]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        services.require("RabbitMQ")
        cls.broker = cls.use(rabbit.VirtualHost())
        cls.options = {
            **cls.options,
            "oslo_messaging_notifications": {
                "transport_url": cls.broker.url()
            },
            "notifications": cls.notifications,
        }
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        self.listener = self.useFixture(listeners.Listener(self.broker.url()))

    def hear(self, stack: rest.Stack, *last: str) -> list[listeners.Heard]:
        """Return what is heard of a stack, in order, once these were.

        :param last: the ends of event types, ``create.end``
        """

        def find() -> list[listeners.Heard] | None:
            heard = self.listener.of(stack.id)
            kinds = {kind_of(each) for each in heard}
            return heard if kinds.issuperset(last) else None

        found = waiting.wait_for(find, last, limit_s=_LIMIT_S)
        assert found is not None
        # Errors come on a queue of their own, and may pass the others.
        return sorted(found, key=sequence_of)

    def hear_one(self, stack: rest.Stack, kind: str) -> Json:
        """Return the payload of the newest notification of a kind."""
        heard = self.hear(stack, kind)
        return [p.payload for p in heard if kind_of(p) == kind][-1]


def kind_of(heard: listeners.Heard) -> str:
    """Return the event type without what all of a stack begin with."""
    return heard.event_type.removeprefix("orchestration.stack.")


def sequence_of(heard: listeners.Heard) -> int:
    """Return the number of the event that tells the same."""
    return typing.cast("int", heard.payload["sequence"])
