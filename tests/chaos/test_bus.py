"""The bus that takes the notifications is away while stacks are at work.

The workers have another one to talk to each other, so that work goes on and
all that there is to tell piles up. The queues survive the broker, so that
what it has taken it gives.
"""

import collections
import typing

import sqlalchemy as sa

from orch.db.models import events
from tests.chaos import base
from tests.chaos import records
from tests.chaos import sites
from tests.chaos import templates
from tests.functional import databases
from tests.support import broker
from tests.support import listeners
from tests.support import systems
from tests.support import waiting

_STACKS: typing.Final = 6
_THINGS: typing.Final = 5
_BATCH: typing.Final = 100
"""As many leave together; what waits is to be more."""
_LIMIT_S: typing.Final = 60
_RABBIT: typing.Final = {
    "amqp_durable_queues": True,
    "rabbit_retry_interval": 1,
    "rabbit_interval_max": 1,
}
_ENDINGS: typing.Final = {
    "IN_PROGRESS": "start",
    "COMPLETE": "end",
    "FAILED": "error",
}

Key = tuple[str, str, int]
"""Event type, stack id and sequence: by these a consumer knows it again."""


class BusTests(base.ChaosTestCase):
    system: systems.Distributed

    def setUp(self) -> None:
        super().setUp()
        self.bus = self.useFixture(broker.Broker())
        self.listener = self.useFixture(
            listeners.Listener(self.bus.url, rabbit=_RABBIT)
        )
        database = self.useFixture(databases.PostgreSQL())
        self.records = self.useFixture(records.Records(database.url))
        self.system = self.useFixture(
            sites.Site(
                base.options(
                    notifications={"resources": True},
                    oslo_messaging_notifications={
                        "transport_url": self.bus.url
                    },
                    oslo_messaging_rabbit=_RABBIT,
                ),
                self.world.environment,
                connection=database.url,
            )
        ).system

    def test_what_happened_without_it_is_told_later_and_in_order(self) -> None:
        asked = self.create_all()
        self.bus.kill()
        self.go_on_without_it(asked)

        self.bus.start()

        self.check_notified()

    def test_a_worker_that_is_killed_meanwhile_takes_nothing_along(
        self,
    ) -> None:
        asked = self.create_all()
        self.bus.stop()
        self.go_on_without_it(asked)
        for engine in self.system.engines:
            engine.kill()

        self.bus.start()
        for engine in self.system.engines:
            engine.start()

        self.check_notified()

    def create_all(self) -> list[base.AcceptedStack]:
        """Return stacks that are at work, and of which something was told.

        One thing of the last one fails.
        """
        self.world.order(
            f"s{_STACKS - 1}",
            "create",
            f"s{_STACKS - 1}-2",
            how="permanent",
            moment="before",
        )
        asked = [
            self.create(
                name, templates.chain(name, _THINGS, ready_after_s=0.3)
            )
            for name in (f"s{number}" for number in range(_STACKS))
        ]
        waiting.wait_for(lambda: self.listener.heard, "nothing is told")
        self.assertNotEqual([], self.records.open())
        return asked

    def go_on_without_it(self, asked: list[base.AcceptedStack]) -> None:
        """Return once a lot has happened, and the bus took nothing of it."""
        self.records.wait_until_idle(timeout_s=_LIMIT_S)
        for each in asked:
            self.system.client.delete(each.stack)
        self.records.wait_until_idle(timeout_s=_LIMIT_S)
        waiting.wait_for(self.was_refused, "nobody misses the bus", _LIMIT_S)
        self.assertGreater(len(self.waiting()), _BATCH)

    def was_refused(self) -> bool:
        """Answer whether a worker has found the bus away."""
        return any(
            "notifications wait in the outbox" in each.log.read_text()
            for each in self.system.engines
        )

    def waiting(self) -> list[records.Row]:
        return self.records.read(sa.select(events.OUTBOX.c.number))

    def check_notified(self) -> None:
        """Check that all is heard, known again by its key, and in order."""
        waiting.wait_for(
            lambda: not self.waiting(), "the outbox is not empty", _LIMIT_S
        )
        wanted = self.expected_keys()
        waiting.wait_for(
            lambda: wanted <= {_key(each) for each in self.listener.heard},
            "not all is heard",
            _LIMIT_S,
        )
        first: dict[Key, listeners.Heard] = {}
        for each in self.listener.heard:
            # The same key always means the same notification.
            self.assertEqual(first.setdefault(_key(each), each), each)
        self.assertEqual(wanted, set(first))
        told: dict[tuple[object, str], list[int]] = collections.defaultdict(
            list
        )
        for (_, stack_id, sequence), each in first.items():
            told[stack_id, each.priority].append(sequence)
        self.assertEqual(_STACKS + 1, len(told))
        for of_one, sequences in told.items():
            self.assertEqual(sorted(sequences), sequences, of_one)

    def expected_keys(self) -> set[Key]:
        """Return the keys of what was to be told, by the events."""
        return {
            (
                f"orchestration.{_noun(row)}"
                f".{str(row['action']).lower()}"
                f".{_ENDINGS[str(row['status'])]}",
                str(row["stack_id"]),
                typing.cast("int", row["sequence"]),
            )
            for row in self.records.read(sa.select(events.EVENTS))
        }


def _noun(event: records.Row) -> str:
    """Return what an event is of; those of a stack have its own id."""
    is_stack = event["resource_type"] == "OS::Heat::Stack"
    return "stack" if is_stack else "resource"


def _key(heard: listeners.Heard) -> Key:
    payload = heard.payload
    return (
        heard.event_type,
        str(payload["stack_identity"]),
        typing.cast("int", payload["sequence"]),
    )
