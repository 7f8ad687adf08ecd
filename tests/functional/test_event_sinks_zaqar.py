"""Events that go to queues of Zaqar and of a double, by a real Keystone."""

import typing

from tests.functional import guarded
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates
from tests.support import zaqar
from tests.support import zaqar_server

LIMIT_S = 60
_THING: typing.Final = {"type": "OS::Heat::TestResource"}


class SinkTestCase(guarded.GuardedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.token = self.keystone.fresh_token("member")
        self.member = self.client_of("member", token=self.token)

    def make(self, queue: str, **more: object) -> rest.Stack:
        sink = {"type": "zaqar-queue", "target": queue, **more}
        stack = self.member.create(
            self.name,
            world_templates.template(a=_THING),
            environment={"event_sinks": [sink]},
        )
        self.member.wait(stack, "CREATE_COMPLETE")
        return stack

    def sent(self, queue: str) -> list[dict[str, typing.Any]]:
        """Return what the service has of a queue."""
        raise NotImplementedError

    def heard(self, queue: str, count: int) -> list[dict[str, typing.Any]]:
        return waiting.wait_for(
            lambda: found if len(found := self.sent(queue)) >= count else None,
            f"{count} messages",
            LIMIT_S,
        )


class RealZaqarTest(SinkTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.zaqar = self.useFixture(zaqar_server.ZaqarServer(self.keystone))

    def sent(self, queue: str) -> list[dict[str, typing.Any]]:
        return self.zaqar.messages(queue, self.token)

    def test_each_event_is_a_message_with_the_time_that_it_lives(self) -> None:
        stack = self.make("mine", ttl=600)
        wanted = [each["id"] for each in self.member.events(stack)]

        found = self.heard("mine", len(wanted))

        self.assertEqual(wanted, [each["body"]["id"] for each in found])
        self.assertEqual({600}, {each["ttl"] for each in found})
        self.assertEqual(
            {"os.heat.event"}, {each["body"]["type"] for each in found}
        )
        self.member.delete(stack)


class ZaqarTests(SinkTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.zaqar = self.useFixture(zaqar.Zaqar(self.keystone))

    def sent(self, queue: str) -> list[dict[str, typing.Any]]:
        return self.zaqar.messages.get(queue, [])

    def test_the_token_is_not_the_one_of_the_request(self) -> None:
        stack = self.make("mine")

        self.heard("mine", len(self.member.events(stack)))

        # A token of the stack's own trust, not the one of the request.
        self.assertNotIn(self.token, self.zaqar.tokens)
        self.member.delete(stack)

    def test_what_the_service_cannot_take_now_comes_later(self) -> None:
        self.zaqar.status = 503
        stack = self.make("later")
        waiting.wait_for(lambda: self.zaqar.tokens, "an attempt", LIMIT_S)
        self.assertEqual({}, self.zaqar.messages)

        self.zaqar.status = None
        wanted = [each["id"] for each in self.member.events(stack)]
        found = self.heard("later", len(wanted))

        self.assertEqual(wanted, [each["body"]["id"] for each in found])
        self.assertNotIn("ttl", found[0])
        self.member.delete(stack)
