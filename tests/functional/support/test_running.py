"""Systems and worlds of the tests are real: processes, signals, effects."""

import time

from tests import base
from tests.support import running
from tests.support import waiting
from tests.support import world

# A frozen worker still gets its share of the requests: the API must not wait
# long for what it will not answer.
_OPTIONS = {
    "engine": {"lease_ttl": 2.0, "scan_interval": 0.5},
    "api": {"rpc_timeout": 1},
}


def template(**properties: object) -> dict[str, object]:
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            "thing": {"type": "Test::World::Thing", "properties": properties}
        },
    }


class WorldTests(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())

    def wait_for_resource(self) -> None:
        waiting.wait_for(self.world.names, "something is made")

    def test_a_kill_between_effect_and_answer_makes_no_second_one(
        self,
    ) -> None:
        system = self.useFixture(
            running.Embedded(_OPTIONS, self.world.environment)
        ).system
        stack = system.client.create("once", template(delay_after_s=3))
        self.wait_for_resource()

        system.server.kill()
        system.start()

        system.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(["thing"], self.world.names())
        self.assertEqual([], self.world.doubles())
        pids = {call.act: call.pid for call in self.world.calls()}
        self.assertEqual(system.server.pid, pids["find"])
        self.assertNotEqual(pids["create"], pids["find"])

    def test_a_frozen_worker_is_replaced_and_makes_no_second_one(
        self,
    ) -> None:
        system = self.useFixture(
            running.Distributed(_OPTIONS, self.world.environment)
        ).system
        stack = system.client.create("once", template(delay_after_s=3))
        self.wait_for_resource()
        (made,) = [call for call in self.world.calls() if call.act == "made"]
        (frozen,) = [each for each in system.engines if each.pid == made.pid]

        frozen.freeze()

        system.client.wait(stack, "CREATE_COMPLETE")
        frozen.thaw()
        time.sleep(1)
        self.assertEqual(["thing"], self.world.names())
        self.assertEqual([], self.world.doubles())
        shown = system.client.show(stack)
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])
        self.assertTrue(frozen.is_running())

    def test_a_failure_of_the_world_is_told(self) -> None:
        system = self.useFixture(
            running.Embedded(_OPTIONS, self.world.environment)
        ).system
        stack = system.client.create(
            "fails", template(fail_times=99, failure="permanent")
        )

        shown = system.client.wait(stack, "CREATE_FAILED")

        self.assertIn("refuses this thing", shown["stack_status_reason"])
        self.assertEqual([], self.world.names())
