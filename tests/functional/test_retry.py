"""Each failed action goes on by one call, through REST, on ``orch-all``.

Tests bear the ids of the requirements. What was touched is looked up in the
calls that the plug-in wrote down in its world.
"""

import typing

from tests.support import failing
from tests.support import rest
from tests.support import serving
from tests.support import world_templates


class EachActionTests(failing.RetryTestCase):
    """R1 and R2: the same action goes on where it failed."""

    def test_r1_r2_create(self) -> None:
        stack = self.create_failed()
        a = self.client.resources(stack)["a"]

        self.check_went_on(stack, "CREATE", ("create", "b"), ("create", "c"))

        self.assertEqual(a, self.client.resources(stack)["a"])
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual([], self.world.doubles())

    def test_r1_r2_update(self) -> None:
        stack = self.create()
        self.fail("update", "b")
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_FAILED")

        self.check_went_on(stack, "UPDATE", ("update", "b"), ("update", "c"))

        self.assertEqual(
            {"new"},
            {each.label for each in self.world.physical_resources(self.name)},
        )

    def test_r1_r2_delete(self) -> None:
        stack = self.create()
        self.fail("delete", "b")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")

        self.check_went_on(stack, "DELETE", ("delete", "b"), ("delete", "a"))

        self.assertEqual([], self.names())

    def test_r1_r2_suspend(self) -> None:
        stack = self.create()
        self.fail("suspend", "b")
        self.act(stack, suspend=None)
        self.client.wait(stack, "SUSPEND_FAILED")

        self.check_went_on(
            stack, "SUSPEND", ("suspend", "b"), ("suspend", "a")
        )

        self.assertEqual(
            {True},
            {each.rests for each in self.world.physical_resources(self.name)},
        )

    def test_r1_r2_resume(self) -> None:
        stack = self.create()
        self.act(stack, suspend=None)
        self.client.wait(stack, "SUSPEND_COMPLETE")
        self.fail("resume", "b")
        self.act(stack, resume=None)
        self.client.wait(stack, "RESUME_FAILED")

        self.check_went_on(stack, "RESUME", ("resume", "b"), ("resume", "c"))

        self.assertEqual(
            {False},
            {each.rests for each in self.world.physical_resources(self.name)},
        )

    def test_r1_r2_check(self) -> None:
        stack = self.create()
        self.fail("check", "b")
        self.act(stack, check=None)
        self.client.wait(stack, "CHECK_FAILED")

        self.check_went_on(stack, "CHECK", ("check", "b"))

    def test_r1_the_flags_of_the_request_count_again(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource("a"),
                c=world_templates.declare_resource("b"),
            ),
            disable_rollback=False,
            tags=["x"],
            timeout_mins=7,
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        before = self.client.show(stack)
        self.fail("delete", "b")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")

        self.retry(stack, timeout_mins=3)
        after = self.client.wait(stack, "DELETE_COMPLETE")

        for key in ("tags", "disable_rollback", "timeout_mins", "parameters"):
            self.assertEqual(before[key], after[key], key)


class CauseTests(failing.RetryTestCase):
    """R3: whatever the cause was."""

    def test_r3_a_service_that_refused(self) -> None:
        stack = self.create_failed()

        self.retry(stack)

        self.client.wait(stack, "CREATE_COMPLETE")

    def test_r3_a_mistake_in_a_plugin(self) -> None:
        self.world.order(
            *(self.name, "create", "b"), how="error", moment="after", times=1
        )
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        self.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual([], self.world.doubles())

    def test_r3_the_engine_died(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(
            self.name, world_templates.chain(), timeout_mins=1
        )
        self.wait_for_act("held-create-watch", "b")

        self.system.server.kill()
        self.world.release(self.name)
        self.fail("create", "c")
        self.system.start()
        self.client.wait(stack, "CREATE_FAILED")
        self.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())


class RefusalTests(failing.RetryTestCase):
    """R4: what has not failed is not retried."""

    def test_r4_a_complete_stack(self) -> None:
        stack = self.create()

        status, _, text = self.refusal(self.retry, stack)

        self.assertEqual(409, status)
        self.assertIn("CREATE_COMPLETE", text)

    def test_r4_a_stack_under_way(self) -> None:
        self.world.order(self.name, "create", "a")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("held-create-watch", "a")

        refused = self.refusal(self.retry, stack)

        self.assertEqual((409, "ActionInProgress"), refused[:2])

    def test_r4_a_stack_that_is_gone(self) -> None:
        stack = self.create()
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(409, self.refusal(self.retry, stack)[0])

    def test_r4_a_stack_that_nobody_knows(self) -> None:
        missing = rest.Stack("no", "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11")

        refused = self.refusal(self.retry, missing)

        self.assertEqual((404, "EntityNotFound"), refused[:2])


class TakeoverTests(failing.RetryTestCase):
    """R4, R-G1: a dead worker's operation, seldom looked for."""

    defaults = serving.options(scan_interval=600.0, lease_ttl=1.5)

    def test_r4_r7_a_dead_workers_operation_is_taken_over_once(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("held-create-watch", "b")
        self.system.server.kill()
        self.system.start()

        statuses = failing.race(self.system.endpoint, stack, 4)
        while 200 not in statuses:  # until the lease has run out
            self.assertEqual([409] * 4, statuses)
            statuses = failing.race(self.system.endpoint, stack, 4)
        self.world.release(self.name)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual([200, 409, 409, 409], statuses)
        self.assertEqual([], self.world.doubles())
        self.assertEqual(["a", "b", "c"], self.names())
        (operation,) = self.operations(stack)
        self.assertEqual(2, operation["attempt"])


class RaceTests(failing.RetryTestCase):
    """R7: repeatable, and safe when several ask."""

    def test_r7_of_several_at_once_one_wins(self) -> None:
        stack = self.create_failed()
        self.world.order(self.name, "create", "b")

        statuses = failing.race(self.system.endpoint, stack, 6)
        self.world.release(self.name)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual([200, *[409] * 5], statuses)
        self.assertEqual([], self.world.doubles())

    def test_r7_it_may_fail_again_and_again(self) -> None:
        self.fail("create", "b", times=3)
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        for _ in range(2):
            self.retry(stack)
            self.client.wait(stack, "CREATE_FAILED")
        self.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(4, self.operations(stack)[0]["attempt"])
        self.assertEqual(1, self.calls().count(("create", "a")))


class GapTests(failing.RetryTestCase):
    """R-G1 to R-G4: what was missing where these requirements come from."""

    def test_r_g1_a_dead_workers_stack_goes_on_by_itself(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("held-create-watch", "b")

        self.system.server.kill()
        self.world.release(self.name)
        self.system.start()
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual([], self.world.doubles())
        self.assertEqual(1, self.calls().count(("create", "b")))

    def test_r_g2_which_request_failed_is_on_record(self) -> None:
        stack = self.create()
        self.fail("update", "b")
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_FAILED")

        update, create = self.operations(stack)

        self.assertEqual(
            ("CREATE", "COMPLETE"), (create["action"], create["state"])
        )
        self.assertEqual(
            ("UPDATE", "FAILED"), (update["action"], update["state"])
        )
        (failure,) = typing.cast(
            list[world_templates.Json], update["failures"]
        )
        self.assertEqual(
            ("b", "resources.b"), (failure["name"], failure["path"])
        )

    def test_r_g2_an_answer_that_was_lost_makes_no_second_thing(self) -> None:
        self.world.order(self.name, "create", "b", moment="after")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("held-create-after", "b")

        self.system.server.kill()
        self.world.release(self.name)
        self.fail("create", "c")
        self.system.start()
        self.client.wait(stack, "CREATE_FAILED")
        self.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual([], self.world.doubles())

    def test_r_g3_flags_and_failures_outlive_a_worker(self) -> None:
        self.world.order(self.name, "create", "slow")
        for name in ("x", "y"):
            self.fail("create", name, times=3)
        stack = self.client.create(
            self.name,
            world_templates.template(
                x=world_templates.declare_resource(),
                y=world_templates.declare_resource("a"),
                a=world_templates.declare_resource(),
                slow=world_templates.declare_resource(),
            ),
            keep_going=True,
        )
        self.wait_for_act("create", "y")
        self.wait_for_act("held-create-watch", "slow")

        self.system.server.kill()
        self.world.release(self.name)
        self.system.start()
        self.client.wait(stack, "CREATE_FAILED")
        self.retry(stack)
        self.client.wait(stack, "CREATE_FAILED")

        failures = self.operations(stack)[0]["failures"]
        names = [
            each["name"]
            for each in typing.cast(list[world_templates.Json], failures)
        ]
        self.assertEqual(["x", "y"], sorted(map(str, names)))
        self.assertEqual(["a", "slow"], self.names())

    def test_r_g4_a_failed_rollback_goes_on(self) -> None:
        self.fail("create", "c")
        self.fail("delete", "b")
        stack = self.client.create(
            self.name, world_templates.chain(), disable_rollback=False
        )
        self.client.wait(stack, "ROLLBACK_FAILED")

        self.check_went_on(stack, "ROLLBACK", ("delete", "b"), ("delete", "a"))

        self.assertEqual([], self.names())

    def test_r_g4_a_failed_rollback_of_an_update_goes_on(self) -> None:
        stack = self.create()
        self.fail("update", "c")
        self.world.order(
            *(self.name, "update", "c"),
            how="permanent",
            moment="before",
            times=1,
        )
        self.update(
            stack, world_templates.chain("new"), disable_rollback=False
        )
        self.client.wait(stack, "ROLLBACK_FAILED")

        self.retry(stack)
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(
            {""},
            {each.label for each in self.world.physical_resources(self.name)},
        )
