"""The broker or the database goes away and comes back under load.

What was accepted is done, what was refused left nothing, nothing is made
twice, and everybody finds back by themselves.
"""

import collections.abc
import contextlib
import functools
import time

import fixtures

from tests.chaos import base
from tests.chaos import loads
from tests.chaos import records
from tests.chaos import sites
from tests.chaos import templates
from tests.functional import databases
from tests.support import broker
from tests.support import listeners
from tests.support import mariadb_server
from tests.support import postgres_server

_STACKS = 20
_BACK_S = 30.0
_RUN_S = 40.0
# Enough for each worker's turn.
_IN_A_ROW = 12
# Other queues end with the broker, and what they hold with them.
_DURABLE = {"amqp_durable_queues": True}


class OutageTestCase(base.ChaosTestCase):
    """Twenty stacks run, more are asked for, and something goes away."""

    def play(self, outage: collections.abc.Callable[[], object]) -> None:
        """Let an outage happen while stacks run; check how all ended.

        Requests are accepted before it, and again after it.
        """
        asked = [
            self.create(name, template)
            for name, template in self.desired_templates().items()
        ]
        load = self.useFixture(loads.Load(self.system.endpoint))

        def is_accepted_since(time_s: float) -> bool:
            return any(
                each.stack is not None and each.requested_at > time_s
                for each in load.answers
            )

        records.wait_until(
            lambda: is_accepted_since(0.0),
            timeout_s=_BACK_S,
            what="no request is accepted before the outage",
        )
        outage()
        ended = time.time()
        records.wait_until(
            self.is_answered, timeout_s=_BACK_S, what="nobody recovers"
        )
        records.wait_until(
            lambda: is_accepted_since(ended),
            timeout_s=_BACK_S,
            what="no request is accepted after the outage",
        )
        load.stop()
        records.wait_until(
            functools.partial(self.is_accepted, "last"), timeout_s=_BACK_S
        )
        self.records.wait_until_idle(timeout_s=_RUN_S)
        # The first of them to be back is not the last.
        records.wait_until(
            lambda: all(self.is_answered() for _ in range(_IN_A_ROW)),
            timeout_s=_RUN_S,
            what="some do not recover",
        )
        accepted = [
            base.AcceptedStack(
                each.stack, tuple(templates.names(each.name, 2))
            )
            for each in load.answers
            if each.stack is not None
        ]
        self.check_all(asked + accepted, load.answers)

    def desired_templates(self) -> dict[str, templates.Template]:
        shapes = templates.SHAPES
        return {
            f"s{number}": shapes[number % 2](
                f"s{number}", 5, ready_after_s=0.5
            )
            for number in range(_STACKS)
        }

    def is_accepted(self, name: str) -> bool:
        answer = self.try_to_create(name, templates.flat(name, 1))
        return not isinstance(answer, int) or answer == 409

    def stack_names(self) -> set[str]:
        listed = self.system.client.get("/stacks", "stacks")
        assert isinstance(listed, list)
        return {str(each["stack_name"]) for each in listed}

    def check_all(
        self,
        asked: list[base.AcceptedStack],
        answers: list[loads.Answer],
    ) -> None:
        statuses = {each.status for each in answers}
        self.assertEqual(set(), statuses - {201, 503})
        self.check_no_doubles()
        found = self.records.stack_states()
        self.assertEqual({"CREATE_COMPLETE"}, set(found.values()))
        for each in asked:
            self.check_stack(each)
        # A request whose answer got lost may have been accepted; then all
        # of it is there, and otherwise nothing.
        names = self.stack_names()
        self.assertEqual(len(found), len(names))
        things = {name.rpartition("-")[0] for name in self.world.names()}
        self.assertEqual(names, things)


class BrokerTests(OutageTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.broker = self.useFixture(broker.Broker())
        database = self.useFixture(databases.PostgreSQL())
        self.records = self.useFixture(records.Records(database.url))
        self.heard = self.useFixture(
            listeners.Listener(self.broker.url, rabbit=_DURABLE)
        )
        self.system = self.useFixture(
            sites.Site(
                base.options(
                    api={"rpc_timeout": 5}, oslo_messaging_rabbit=_DURABLE
                ),
                self.world.environment,
                connection=database.url,
                transport_url=self.broker.url,
            )
        ).system

    def go_away(self, stop: collections.abc.Callable[[], None]) -> None:
        stop()
        refused = [
            self.try_to_create(f"refused-{number}", templates.flat("no", 1))
            for number in range(2)
        ]
        self.broker.start()
        self.assertEqual([503, 503], refused)

    def check_nothing_is_lost(self) -> None:
        self.assertFalse(
            [name for name in self.stack_names() if "refused" in name]
        )
        wanted = {
            (stack_id, event_type)
            for stack_id in self.records.stack_states()
            for event_type in (
                "orchestration.stack.create.start",
                "orchestration.stack.create.end",
            )
        }
        with contextlib.suppress(AssertionError):
            records.wait_until(
                lambda: wanted <= self.heard.kinds(), timeout_s=45
            )
        self.assertEqual(set(), wanted - self.heard.kinds())

    def test_it_is_stopped_and_started(self) -> None:
        self.play(functools.partial(self.go_away, self.broker.stop))

        self.check_nothing_is_lost()

    def test_it_is_killed_and_started(self) -> None:
        self.play(functools.partial(self.go_away, self.broker.kill))

        self.check_nothing_is_lost()


class DatabaseTestCase(OutageTestCase):
    def play_with(self, server: type[fixtures.Fixture]) -> None:
        database = self.useFixture(server())
        self.records = self.useFixture(records.Records(database.url))
        self.system = self.useFixture(
            sites.Site(
                base.OPTIONS,
                self.world.environment,
                connection=database.url,
            )
        ).system

        def go_away() -> None:
            database.stop_at_once()
            time.sleep(3)
            database.start()

        self.play(go_away)


class PostgresqlTests(DatabaseTestCase):
    def test_it_is_stopped_at_once_and_started(self) -> None:
        self.play_with(postgres_server.PostgresServer)


class MariadbTests(DatabaseTestCase):
    def test_it_is_killed_and_started(self) -> None:
        self.play_with(mariadb_server.MariadbServer)
