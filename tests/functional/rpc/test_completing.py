"""What is added to notifications when they leave, on a real database."""

import collections.abc
import dataclasses
import typing

import fixtures
import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db.models import stacks
from orch.db.repositories import outbox
from orch.db.repositories import refused_notifications
from orch.engine.notifications import enrichment
from orch.engine.stack_inputs import template_cache
from orch.events import notification as publishing
from orch.events import outbox_relay
from orch.events import payload_size
from orch.events import payloads
from orch.model import notification
from orch.model import states
from orch.plugin import registry
from orch.rpc import publish_errors
from tests.functional.rpc import worker

_TEMPLATE: typing.Final = {
    "heat_template_version": "2021-04-16",
    "parameters": {
        "word": {"type": "string", "hidden": True},
        "size": {"type": "number", "default": 2},
    },
    "resources": {
        "web": {
            "type": "Test::Server",
            "properties": {"flavor": {"get_param": "word"}},
        }
    },
    "outputs": {
        "size": {"value": {"get_param": "size"}},
        "digest": {"value": {"digest": ["md5", {"get_param": "word"}]}},
        "address": {"value": {"get_attr": ["web", "address"]}},
        "port": {"value": {"get_attr": ["web", "port"]}},
    },
}


class Publisher:
    """Keeps what it is given, or refuses it."""

    def __init__(self, *, is_refusing: bool) -> None:
        self.is_refusing = is_refusing
        self.got: list[collections.abc.Mapping[str, object]] = []

    def publish(self, stack: notification.Notification, topic: str) -> None:
        if self.is_refusing:
            raise publishing.NotificationRefused(
                publish_errors.PublishError("too large", True)
            )
        self.got.append(stack.payload)


class CompletionTests(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger())

    def make(self, name: str = "app", word: str = "secret!") -> ids.StackId:
        return self.create(_TEMPLATE, name, parameters={"word": word})

    def waiting(self) -> list[notification.Notification]:
        with self.database.read() as connection:
            return outbox.list_waiting(connection, 100)

    def complete(
        self,
        waiting: collections.abc.Sequence[notification.Notification],
        **settings: typing.Any,
    ) -> list[dict[str, typing.Any]]:
        completion = enrichment.Enricher(
            # As another worker does that has no template in memory.
            dataclasses.replace(
                self.deps,
                templates=template_cache.TemplateCache(
                    self.deps.types, self.deps.limits
                ),
            ),
            enrichment.Settings(**settings),
        )
        return [dict(each.payload) for each in completion(waiting)]

    def ended(self, stack_id: ids.StackId) -> notification.Notification:
        """Return what tells the end of a creation whose rows are there."""
        (begun,) = (e for e in self.waiting() if e.stack_id == stack_id)
        payload = {
            **begun.payload,
            "action": states.Action.CREATE,
            "status": states.Status.COMPLETE,
        }
        return dataclasses.replace(begun, payload=payload)

    def count(self, waiting: list[notification.Notification]) -> int:
        """Return how many statements the completion takes."""
        statements: list[str] = []

        def note(conn: object, cursor: object, said: str, *_: object) -> None:
            statements.append(said)

        sa.event.listen(self.database.engine, "before_cursor_execute", note)
        self.addCleanup(
            sa.event.remove,
            self.database.engine,
            "before_cursor_execute",
            note,
        )
        self.complete(waiting)
        return len(statements)

    def test_the_stack_is_told_of_and_its_inputs_hash_is_not(self) -> None:
        self.make()

        (told,) = self.complete(self.waiting(), region="north")

        self.assertEqual(
            ("app", "north", "******", "2", None, None),
            (
                told["path"],
                told["region"],
                told["parameters"]["word"],
                told["parameters"]["size"],
                told["template"],
                told["outputs"],
            ),
        )
        self.assertNotIn("environment_hash", told)

    def test_what_cannot_be_read_is_null_and_others_leave_whole(self) -> None:
        broken, whole = self.make("broken"), self.make("whole", "other!")
        waiting = self.waiting()
        hash_ = self.get_stack(broken).environment_hash
        with self.database.write() as connection:
            connection.execute(
                sa.delete(stacks.CONTENTS).where(
                    stacks.CONTENTS.c.hash == hash_
                )
            )
        told = {
            each["stack_identity"]: each for each in self.complete(waiting)
        }

        self.assertEqual(
            (None, "broken"),
            (told[broken]["parameters"], told[broken]["stack_name"]),
        )
        self.assertEqual("2", told[whole]["parameters"]["size"])
        self.assertIn(
            f"a notification of stack {broken} leaves", self.log.output
        )

    def test_what_is_too_long_for_a_bus_is_null_and_the_rest_leaves(
        self,
    ) -> None:
        self.make(word="x" * 600_000)
        self.make("small")
        (large, small) = self.waiting()
        long = [{"name": "a", "reason": "y" * 9000}] * 300
        large = dataclasses.replace(
            large, payload={**large.payload, "failed_resources": long}
        )

        told = self.complete([large, small], template="full")

        self.assertEqual(
            [None, None, 100],
            [
                told[0]["template"],
                told[0]["parameters"],
                len(told[0]["failed_resources"]),
            ],
        )
        self.assertLess(
            payload_size.json_length(told[0]), payload_size.MAX_LENGTH
        )
        self.assertEqual("******", told[1]["parameters"]["word"])
        self.assertEqual(
            _TEMPLATE["heat_template_version"],
            told[1]["template"]["heat_template_version"],
        )

    def test_types_that_are_gone_hold_nothing_up(self) -> None:
        self.make()
        self.start(types=registry.ResourceTypes.of([], self.conf))

        (told,) = self.complete(self.waiting(), template="full")

        self.assertEqual("app", told["stack_name"])
        self.assertNotIn("secret!", str(told))

    def test_without_the_stack_around_the_path_is_not_known(self) -> None:
        self.make()
        (begun,) = self.waiting()
        lost = dataclasses.replace(
            begun, payload={**begun.payload, "parent_id": ids.new()}
        )

        (told,) = self.complete([lost], template="full")

        self.assertIsNone(told["path"])
        self.assertEqual("app", told["parameters"]["OS::stack_name"])
        self.assertIn("resources", told["template"])

    def test_what_is_sent_again_is_as_it_was_when_it_was_refused(
        self,
    ) -> None:
        outer = self.make("outer")
        (begun,) = self.waiting()
        member = dataclasses.replace(
            begun,
            payload={
                **begun.payload,
                payloads.MEMBER: "web",
                "parent_id": outer,
                "parent_resource": "kid",
            },
        )
        with self.database.write() as connection:
            outbox.delete(connection, [begun.number])
            outbox.insert_many(connection, [member])
        publisher = Publisher(is_refusing=True)
        stack = outbox_relay.Relay(
            self.database,
            publisher,
            ids.WorkerId("w1"),
            clock.SystemClock(),
            complete=enrichment.Enricher(
                self.deps, enrichment.Settings(region="north")
            ),
        )
        stack.step()
        with self.database.write() as connection:
            (refused,) = refused_notifications.list_(connection, 2)
            # Its stack is purged before an operator has a look.
            connection.execute(
                sa.delete(stacks.STACKS).where(stacks.STACKS.c.id == outer)
            )
            refused_notifications.send_again(connection, 1)
        publisher.is_refusing = False

        stack.step()

        (told,) = publisher.got
        self.assertEqual("outer/kid/web", told["path"])
        self.assertNotIn(payloads.COMPLETED, told)
        self.assertEqual({**told, payloads.COMPLETED: True}, refused.payload)

    def test_statements_do_not_grow_with_what_leaves_together(self) -> None:
        outer = self.make("outer")
        inner_id = self.make("inner", "other!")
        (begun,) = (e for e in self.waiting() if e.stack_id == inner_id)
        inner = dataclasses.replace(
            begun,
            payload={
                **begun.payload,
                "parent_id": outer,
                "parent_resource": "kid",
            },
        )

        few = self.count([inner])

        self.assertGreater(few, 0)
        self.assertEqual(few, self.count([inner] * 100))

    def test_outputs_are_what_is_stored_and_nobody_is_asked(self) -> None:
        stack_id = self.make()
        self.put_resource(stack_id, "web", attributes={"port": 80})

        (told,) = self.complete([self.ended(stack_id)], outputs=True)

        self.assertEqual(
            {"size": 2, "digest": "******", "address": None, "port": 80},
            told["outputs"],
        )
        self.assertEqual([], self.server.requests)

    def test_outputs_of_a_stack_that_has_moved_on_are_null(self) -> None:
        stack_id = self.make()
        self.put_resource(stack_id, "web")
        ended = self.ended(stack_id)
        self.set_stack(stack_id, template_hash="another")

        (told,) = self.complete([ended], outputs=True)

        self.assertIsNone(told["outputs"])
