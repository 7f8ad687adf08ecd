"""Agents and signals that are under way while a stack moves."""

import typing

import requests

from tests import base
from tests.functional import deploying
from tests.functional import test_forwarding
from tests.support import agents
from tests.support import rest
from tests.support import running
from tests.support import waiting


class AgentTests(base.TestCase):
    """An installation of its own for each test: it is killed."""

    limit_s = 180

    def setUp(self) -> None:
        super().setUp()
        old, new = (
            self.useFixture(running.Embedded(test_forwarding.OPTIONS)).system
            for _ in "ab"
        )
        self.moves = test_forwarding.Moves(old, new)

    def test_a10_an_untouched_agent_ends_up_at_the_new_place(self) -> None:
        moves, old, new = self.moves, self.moves.old, self.moves.new
        stack = old.client.create("web", deploying.template())
        place = f"{old.endpoint}{stack.path}/resources/server/metadata"
        agent = self.useFixture(agents.Agent(place))
        old.client.wait(stack, "CREATE_COMPLETE")
        document = moves.abandon(stack)
        adopted = moves.adopt(stack, document)
        old.server.kill()
        old.start()
        before = len(agent.said("polled"))
        self.wait(lambda: len(agent.said("polled")) > before, "a poll")

        moves.announce(stack, moves.announcement(adopted))
        self.wait(
            lambda: (
                [test_forwarding.origin(new)] == list(agent.said("polled")[-1])
            ),
            "a poll at the new place",
        )
        wanted = deploying.template(input_values={"greeting": "moved"})
        new.client.ask("PUT", adopted.path, {"template": wanted})
        new.client.wait(adopted, "UPDATE_COMPLETE")

        self.assertEqual(
            [
                (test_forwarding.origin(old), 200),
                (test_forwarding.origin(new), 200),
            ],
            agent.said("told"),
        )
        self.assertEqual(
            ["hello", "moved"], [each[1] for each in agent.said("applied")]
        )
        self.assertEqual("moved", new.client.outputs(adopted)["result"])
        self.wait(self.has_moved(stack, "server"), "the server has moved")
        self.wait(self.has_moved(stack, "deployment"), "it has moved")

    def test_a10_a_signal_waits_while_the_new_place_is_down(self) -> None:
        moves, old, new = self.moves, self.moves.old, self.moves.new
        stack = moves.create("web", test_forwarding.handle())
        url = str(old.client.outputs(stack)["url"])
        adopted = moves.adopt(stack, moves.abandon(stack))
        moves.announce(stack, moves.announcement(adopted))
        new.server.kill()

        statuses = [
            requests.post(url, json={"id": each, "data": each}, timeout=10)
            for each in ("1", "2", "3")
        ]
        self.wait(
            lambda: moves.addresses(stack)["handle"]["problem"],
            "an attempt that failed",
        )
        self.assertEqual(
            3, moves.addresses(stack)["handle"]["signals_waiting"]
        )
        old.server.kill()
        old.start()
        new.start()

        self.assertEqual([202] * 3, [each.status_code for each in statuses])
        limit = waiting.END_S * 2
        self.wait(
            lambda: len(moves.signalled(adopted, "handle")) == 3,
            "three signals",
            limit,
        )
        metadata = new.client.get(
            f"{adopted.path}/resources/handle/metadata", "metadata"
        )
        self.assertEqual(["1", "2", "3"], sorted(metadata))
        self.wait(
            lambda: not moves.addresses(stack)["handle"]["signals_waiting"],
            "nothing waits",
        )

    def has_moved(
        self, stack: rest.Stack, name: str
    ) -> typing.Callable[[], bool]:
        return lambda: bool(self.moves.addresses(stack)[name]["moved"])

    @staticmethod
    def wait(
        ask: typing.Callable[[], object], what: str, limit_s: float = 20
    ) -> None:
        waiting.wait_for(ask, what, limit_s)


class HostTests(base.TestCase):
    limit_s = 120

    def test_a10_nothing_goes_where_the_operator_lets_nothing_go(
        self,
    ) -> None:
        options = {
            **test_forwarding.OPTIONS,
            "adoption": {"forward_hosts": "*.example.net"},
        }
        old = self.useFixture(running.Embedded(options)).system
        moves = test_forwarding.Moves(old, old)
        stack = moves.create("s", test_forwarding.handle())
        adopted = moves.adopt(stack, moves.abandon(stack))

        error = self.assertRaises(
            rest.RefusedError,
            moves.announce,
            stack,
            moves.announcement(adopted),
        )

        self.assertEqual(403, error.status)
        self.assertIn("forward_hosts", error.message)
