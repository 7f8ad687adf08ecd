"""Events that go to queues of a double of Zaqar, by a real Keystone."""

import typing

from tests.functional import guarded
from tests.support import rest
from tests.support import things
from tests.support import waiting
from tests.support import zaqar

LIMIT_S = 60
_THING: typing.Final = {"type": "OS::Heat::TestResource"}


class ZaqarTests(guarded.GuardedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.zaqar = self.useFixture(zaqar.Zaqar(self.keystone))
        self.token = self.keystone.fresh_token("member")
        self.member = self.client_of("member", token=self.token)

    def make(self, queue: str, **more: object) -> rest.Stack:
        sink = {"type": "zaqar-queue", "target": queue, **more}
        stack = self.member.create(
            self.name,
            things.template(a=_THING),
            environment={"event_sinks": [sink]},
        )
        self.member.wait(stack, "CREATE_COMPLETE")
        return stack

    def heard(self, queue: str, count: int) -> list[dict[str, typing.Any]]:
        return waiting.wait_for(
            lambda: (
                found
                if len(found := self.zaqar.messages.get(queue, [])) >= count
                else None
            ),
            f"{count} messages",
            LIMIT_S,
        )

    def test_each_event_is_a_message_with_the_time_that_it_lives(self) -> None:
        stack = self.make("mine", ttl=600)
        wanted = [each["id"] for each in self.member.events(stack)]

        found = self.heard("mine", len(wanted))

        self.assertEqual(wanted, [each["body"]["id"] for each in found])
        self.assertEqual({600}, {each["ttl"] for each in found})
        self.assertEqual(
            {"os.heat.event"}, {each["body"]["type"] for each in found}
        )
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
