"""Each topic gets its notifications, whatever becomes of the others."""

import typing

import sqlalchemy as sa

from tests import base
from tests.support import listeners
from tests.support import payload_schemas
from tests.support import queues
from tests.support import rest
from tests.support import running
from tests.support import waiting
from tests.support import world_templates

_LIMIT_S: typing.Final = 90
_TEMPLATE: typing.Final = world_templates.template(
    a={"type": "OS::Heat::TestResource"}
)
_REFUSE: typing.Final = (
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE EXCEPTION 'nothing leaves'; END $$",
    "CREATE TRIGGER refuse BEFORE DELETE ON outbox"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
)


class TopicsTest(base.TestCase):
    limit_s = 240

    def start(self, topics: str, **options: object) -> None:
        self.found = self.useFixture(
            running.Distributed(
                {
                    "notifications": {"topics": topics, **options},
                    "engine": {"report_interval": 1},
                },
                workers=1,
            )
        )
        self.system = self.found.system
        self.client = self.system.client

    def queue(self, topic: str, **arguments: object) -> queues.Queue:
        """Return a queue of all that a topic gets."""
        keys = (f"{topic}.info", f"{topic}.error")
        return self.useFixture(
            queues.Queue(self.found.broker.url(), *keys, arguments=arguments)
        )

    def create(self, name: str, **body: object) -> rest.Stack:
        stack = self.client.create(name, _TEMPLATE, **body)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def wait_for(
        self, queue: queues.Queue, count: int
    ) -> list[queues.Message]:
        """Return the messages once there are so many."""
        found = waiting.wait_for(
            lambda: got if len(got := queue.get()) >= count else None,
            f"{count} messages",
            _LIMIT_S,
        )
        assert found is not None
        return found

    def test_one_that_is_full_stops_no_other(self) -> None:
        self.start("notifications, audit")
        listener = self.useFixture(listeners.Listener(self.found.broker.url()))
        whole = self.queue("notifications")
        full = self.queue("audit", **queues.FULL)
        stacks = [self.create(f"web{number}") for number in range(3)]

        told = self.wait_for(whole, 6)
        for each in stacks:
            ended = (each.id, "orchestration.stack.create.end")
            waiting.wait_for(lambda ended=ended: ended in listener.kinds(), "")
        said = waiting.wait_for(
            lambda: (
                text
                if "FAIL  topic audit: 5 " in (text := self.system.doctor())
                else ""
            ),
            "the doctor says what waits",
            _LIMIT_S,
        )
        self.assertIn("ok    outbox: 0 notifications wait", str(said))
        room = self.queue("audit")
        full.unbind()

        self.create("web3")
        late = self.wait_for(room, 7)
        self.assertEqual(
            [each["message_id"] for each in self.wait_for(whole, 8)],
            [each["message_id"] for each in (*full.get(), *late)],
        )
        self.assertEqual(told, [*full.get(), *late][:6])
        waiting.wait_for(
            lambda: "topic audit" not in self.system.doctor(), "nothing waits"
        )

    def test_what_is_sent_late_says_when_it_happened(self) -> None:
        self.start("notifications, audit")
        full = self.queue("audit", **queues.FULL)
        stack = self.create("web")
        waiting.wait_for(
            lambda: "topic audit" in self.system.doctor(), "it waits"
        )
        room = self.queue("audit")
        full.unbind()

        (late,) = self.wait_for(room, 1)

        moments = {
            each["resource_status"]: str(each["event_time"])
            for each in self.client.events(stack)
            if each["resource_name"] == stack.name
        }
        told = late["payload"]
        self.assertEqual(
            [], payload_schemas.faults_of(late["event_type"], told)
        )
        self.assertEqual("orchestration.stack.create.end", late["event_type"])
        self.assertEqual(
            moments["CREATE_COMPLETE"], f"{told['event_time'][:19]}Z"
        )
        self.assertEqual(
            told["event_time"], f"{late['timestamp'].replace(' ', 'T')}Z"
        )

    def test_topics_get_what_they_select(self) -> None:
        self.start(
            "notifications, billing",
            selection="billing event_type=*.create.end,*.delete.end"
            " project_id=other,demo",
        )
        whole, billing = self.queue("notifications"), self.queue("billing")
        stack = self.create("web")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.wait_for(whole, 4)
        told = self.wait_for(billing, 2)

        self.assertEqual(
            [
                "orchestration.stack.create.end",
                "orchestration.stack.delete.end",
            ],
            [each["event_type"] for each in told],
        )

    def test_what_is_repeated_after_a_kill_is_the_same_message(self) -> None:
        self.start("notifications")
        whole = self.queue("notifications")
        (worker,) = self.system.engines
        database = sa.create_engine(self.found.database.url)
        self.addCleanup(database.dispose)
        # What was published does not leave the outbox, so it is again.
        with database.begin() as connection:
            for each in _REFUSE:
                connection.exec_driver_sql(each)
        self.create("web")
        self.wait_for(whole, 4)
        worker.kill()
        before = len(whole.get())
        worker.start()
        self.wait_for(whole, before + 2)
        with database.begin() as connection:
            connection.exec_driver_sql("DROP TRIGGER refuse ON outbox")
        waiting.wait_for(
            lambda: "outbox: 0 notifications" in self.system.doctor(),
            "all have left",
            _LIMIT_S,
        )

        copies: dict[tuple[str, int], list[queues.Message]] = {}
        for each in whole.get():
            key = (each["event_type"], each["payload"]["sequence"])
            copies.setdefault(key, []).append(each)
        self.assertEqual(2, len(copies))
        for same in copies.values():
            self.assertLess(1, len(same))
            self.assertEqual([same[0]] * len(same), same)
        self.assertEqual(
            2, len({same[0]["message_id"] for same in copies.values()})
        )
