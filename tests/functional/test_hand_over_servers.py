"""The software of servers goes on when their stack is handed over."""

import typing

from tests import base
from tests.functional import deploying
from tests.functional import handing_over
from tests.functional import test_forwarding
from tests.support import agents
from tests.support import rest
from tests.support import running
from tests.support import waiting

Json = handing_over.Json


class ServerTestCase(base.TestCase):
    limit_s = 180
    more: typing.ClassVar[Json] = {}

    def setUp(self) -> None:
        super().setUp()
        options = {**test_forwarding.OPTIONS, **self.more}
        self.system = self.useFixture(running.Embedded(options)).system
        self.client = self.system.client
        self.theirs = handing_over.client_of(self.system, handing_over.TO)
        self.addCleanup(self.theirs.close)
        self.parties = handing_over.Parties(self.client, self.theirs)

    def made(self) -> tuple[rest.Stack, agents.Agent]:
        """Return a stack, and the agent of its server."""
        stack = self.client.create("web", deploying.template())
        place = f"{self.client.endpoint}{stack.path}/resources/server/metadata"
        agent = self.useFixture(agents.Agent(place))
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack, agent


class ServerTests(ServerTestCase):
    def moved(self) -> tuple[rest.Stack, rest.Stack, agents.Agent]:
        """Return a stack before and after, and the agent of its server."""
        stack, agent = self.made()
        self.parties.hand_over(stack)
        return stack, self.parties.take_over(stack), agent

    def test_an_untouched_agent_ends_up_in_the_new_stack(self) -> None:
        stack, taken, agent = self.moved()
        self.system.server.kill()
        self.system.start()
        wanted = deploying.template(input_values={"greeting": "moved"})

        self.theirs.ask("PUT", taken.path, {"template": wanted})
        self.theirs.wait(taken, "UPDATE_COMPLETE", timeout_s=60)

        self.assertEqual(
            ["hello", "moved"], [each[1] for each in agent.said("applied")]
        )
        self.assertEqual("moved", self.theirs.outputs(taken)["result"])
        waiting.wait_for(
            lambda: all(
                each["moved"]
                for each in typing.cast(
                    list[Json],
                    self.client.get(
                        f"{stack.path}/abandon/addresses", "addresses"
                    ),
                )
            ),
            "all have moved",
        )

    def test_configs_belong_to_the_new_project(self) -> None:
        self.moved()

        for what, count in (("deployments", 1), ("configs", 2)):
            key = f"software_{what}"
            found = self.theirs.get(f"/{key}", key)
            self.assertEqual(count, len(typing.cast(list[Json], found)), what)
            self.assertEqual([], self.client.get(f"/{key}", key), what)

    def test_configs_return_with_the_stack(self) -> None:
        stack, taken, _ = self.moved()
        self.theirs.ask("DELETE", f"{taken.path}/abandon")
        self.theirs.wait(taken, "DELETE_COMPLETE")

        back = self.parties.begin_take_over(stack, self.client)
        self.client.wait(back, "ADOPT_COMPLETE")

        for what, count in (("deployments", 1), ("configs", 2)):
            key = f"software_{what}"
            found = self.client.get(f"/{key}", key)
            self.assertEqual(count, len(typing.cast(list[Json], found)), what)
            self.assertEqual([], self.theirs.get(f"/{key}", key), what)


class QuotaTests(ServerTestCase):
    more: typing.ClassVar[Json] = {
        "DEFAULT": {"max_software_configs_per_tenant": 2}
    }

    def test_configs_count_for_the_new_project(self) -> None:
        stack, _ = self.made()
        self.parties.hand_over(stack)
        self.theirs.ask("POST", "/software_configs", {"name": "own"})

        error = self.assertRaises(
            rest.RefusedError, self.parties.begin_take_over, stack
        )

        self.assertEqual(400, error.status)
        self.assertIn("software configs", error.message)
        listed = self.parties.listed(self.theirs, stack)
        assert listed is not None
        self.assertEqual("offered", listed["state"])
        key = "software_deployments"
        found = self.client.get(f"/{key}", key)
        self.assertEqual(1, len(typing.cast(list[Json], found)))
