"""Plug-ins that fail, hang or are gone, and what L-G1 to L-G6 lacked."""

import typing

import yaml

from tests import base
from tests.functional import lifecycle
from tests.support import lifecycle as plugins
from tests.support import running
from tests.support import serving
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

PRES = lifecycle.PRES
POSTS = lifecycle.POSTS


class TestClosed(lifecycle.LifecycleTestCase):
    """What gives no answer in time denies."""

    each: typing.ClassVar[lifecycle.Json] = {"time_limit_s": 0.5}

    def test_lg1_the_only_way_that_operations_run_calls_them(self) -> None:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "check"))

    def test_lg2_the_last_post_op_knows_that_it_failed(self) -> None:
        self.world.order(
            self.name, "create", "a", how="permanent", moment="before"
        )

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual("failed", self.plugins.outcomes(stack)[-1])

    def test_lg3_one_that_raises_does_not_stop_the_others(self) -> None:
        self.plugins.order(3, "post", "raise", text="no")
        self.plugins.order(2, "post", "raise", text="no either")

        stack = self.client.create(self.name, world_templates.chain())
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(PRES + POSTS + POSTS, self.plugins.calls(stack))
        self.assertIn("orch-test-3 failed after", shown["stack_status_reason"])
        told = [each for each in self.reasons(stack) if "failed after" in each]
        self.assertEqual(5, len(told))

    def test_lg5_a_denied_deletion_has_removed_no_snapshot(self) -> None:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        taken = self.client.ask("POST", f"{stack.path}/snapshots", {})
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        self.plugins.order(1, "pre", "deny", verb="delete", text="no")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")

        self.assertEqual([taken["id"]], self.world.snapshots(self.name))

    def test_lg6_a_pre_op_that_hangs_is_given_up(self) -> None:
        self.plugins.order(2, "pre", "hang", text=self.name)
        self.addCleanup(self.plugins.release, self.name)

        stack = self.client.create(self.name, world_templates.chain())
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-2 denied the CREATE: it failed: it"
            " gave no answer within 0.5 s",
            shown["stack_status_reason"],
        )
        self.assertEqual(
            [("pre", "1"), ("pre", "2"), ("post", "1")],
            self.plugins.calls(stack),
        )
        self.assertEqual([], self.world.calls(self.name))

    def test_lg6_more_pre_ops_hang_than_there_are_threads(self) -> None:
        self.plugins.order(1, "pre", "hang", text=self.name, verb="create")
        self.addCleanup(self.plugins.release, self.name)
        held = [
            self.client.create(
                f"{self.name}-{number}", world_templates.chain()
            )
            for number in range(12)
        ]
        for stack in held:
            self.client.wait(stack, "CREATE_FAILED")

        self.plugins.forgive()
        stack = self.client.create(self.name, world_templates.chain())

        self.client.wait(stack, "CREATE_COMPLETE")

    def test_lg6_a_post_op_that_hangs_fails_the_operation(self) -> None:
        self.plugins.order(2, "post", "hang", text=self.name)
        self.addCleanup(self.plugins.release, self.name)

        stack = self.client.create(self.name, world_templates.chain())
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-2 failed after the CREATE: it gave"
            " no answer within 0.5 s",
            shown["stack_status_reason"],
        )
        self.assertEqual(PRES + POSTS + POSTS, self.plugins.calls(stack))

    def test_what_a_plugin_says_of_a_secret_is_covered(self) -> None:
        self.plugins.order(1, "pre", "warn", text="the word is s3cret-word")
        self.plugins.order(2, "pre", "deny", text="s3cret-word is forbidden")
        template = world_templates.chain()
        template["parameters"] = {"word": {"type": "string", "hidden": True}}

        stack = self.client.create(
            self.name, template, parameters={"word": "s3cret-word"}
        )
        shown = self.client.wait(stack, "CREATE_FAILED")

        told = [*self.reasons(stack), str(shown), str(self.operation(stack))]
        self.assertEqual([], [each for each in told if "s3cret" in each])

    def test_a_secret_is_covered_before_a_text_is_made_short(self) -> None:
        key = "-- KEY --\ns3cret  word\n-- END --"
        self.plugins.order(1, "pre", "warn", text=f"{'x' * 1990} s3cret-word")
        self.plugins.order(2, "pre", "warn", text=f"the key is {key}")
        self.plugins.order(3, "pre", "raise", text=f"no such key: {key}")
        template = world_templates.chain()
        template["parameters"] = {
            name: {"type": "string", "hidden": True}
            for name in ("word", "key")
        }

        stack = self.client.create(
            self.name, template, parameters={"word": "s3cret-word", "key": key}
        )
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-3 denied the CREATE: it failed:"
            " RuntimeError: no such key: ******",
            shown["stack_status_reason"],
        )
        told = [
            *self.reasons(stack),
            str(shown),
            str(self.operation(stack)),
            (self.system.directory / "orch-all.log").read_text(),
        ]
        self.assertEqual([], [each for each in told if "s3cre" in each])

    def test_a_hold_until_the_end_of_times_denies(self) -> None:
        self.plugins.order(1, "pre", "hold", text="ask Ann", deadline_s=1e15)

        stack = self.client.create(self.name, world_templates.chain())
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn(
            "the deadline of a hold is a number of seconds, at most",
            shown["stack_status_reason"],
        )

    def test_a_hold_with_no_clear_approver_denies(self) -> None:
        self.plugins.order(1, "pre", "hold", text="ask", needs_other="maybe")

        stack = self.client.create(self.name, world_templates.chain())
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn(
            "needs_other of a hold is true or false",
            shown["stack_status_reason"],
        )


class TestOpen(lifecycle.LifecycleTestCase):
    """The second one may fail."""

    each: typing.ClassVar[lifecycle.Json] = {"time_limit_s": 0.5}
    switches: typing.ClassVar[lifecycle.Json] = {"fail_open": "orch-test-2"}

    def test_lg4_its_errors_are_warnings(self) -> None:
        self.plugins.order(2, "pre", "raise", text="broken")

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))
        self.assertIn(
            "Lifecycle plug-in orch-test-2 failed, and is passed over for the"
            " CREATE: RuntimeError: broken",
            self.reasons(stack),
        )
        (verdict,) = typing.cast(
            "list[lifecycle.Json]", self.client.show(stack)["verdicts"]
        )
        self.assertEqual(
            ("orch-test-2", "warn", "RuntimeError: broken"),
            tuple(verdict[key] for key in ("plugin", "ruling", "text")),
        )

    def test_lg4_nor_does_it_hold_up_anything(self) -> None:
        self.plugins.order(2, "pre", "hang", text=self.name)
        self.plugins.order(2, "post", "raise", text="broken")
        self.addCleanup(self.plugins.release, self.name)

        stack = self.client.create(self.name, world_templates.chain())

        self.client.wait(stack, "CREATE_COMPLETE")

    def test_lg4_what_it_denies_is_denied(self) -> None:
        self.plugins.order(2, "pre", "deny", text="no")

        stack = self.client.create(self.name, world_templates.chain())

        self.client.wait(stack, "CREATE_FAILED")


class TestGone(base.TestCase):
    """The server comes back with fewer plug-ins than it had."""

    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        self.plugins = self.useFixture(plugins.Plugins(3))
        self.system = self.useFixture(
            running.Embedded(
                {**serving.options(), **self.plugins.options},
                {**self.world.environment, **self.plugins.environment},
            )
        ).system
        self.client = self.system.client

    def restart_without(self, *names: str) -> None:
        """Start the server again; its settings have no section for these."""
        self.system.server.stop()
        path = self.plugins.directory / "settings.yaml"
        sections = yaml.safe_load(path.read_text())
        for name in names:
            del sections[name]
        path.write_text(yaml.safe_dump(sections))
        self.system.start()

    def state(self, stack: object) -> object:
        found = self.client.get(f"{stack.path}/operations", "operations")
        return found[0]["state"]

    def held(self) -> object:
        self.plugins.order(1, "pre", "hold", text="ask Ann")
        stack = self.client.create("s", world_templates.chain())
        waiting.wait_for(lambda: self.state(stack) == "BLOCKED", "held")
        return stack

    def test_one_that_was_to_be_asked_denies(self) -> None:
        stack = self.held()

        self.restart_without("orch-test-2")
        self.client.ask(
            "POST", f"{stack.path}/actions", {"approve": {"text": ""}}
        )
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-2 denied the CREATE: it failed: it is"
            " not installed any more",
            shown["stack_status_reason"],
        )
        self.assertEqual(
            [("pre", "1"), ("post", "1")], self.plugins.calls(stack)
        )

    def test_lg4_one_that_fails_open_is_passed_over(self) -> None:
        stack = self.held()
        for path in self.system.directory.glob("*.conf"):
            text = path.read_text()
            path.write_text(
                text.replace(
                    "[lifecycle]\n", "[lifecycle]\nfail_open = orch-test-2\n"
                )
            )

        self.restart_without("orch-test-2")
        self.client.ask(
            "POST", f"{stack.path}/actions", {"approve": {"text": ""}}
        )

        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(
            [("pre", "1"), ("pre", "3"), ("post", "3"), ("post", "1")],
            self.plugins.calls(stack),
        )

    def test_one_that_was_to_be_told_fails_the_operation(self) -> None:
        self.world.order("s", "create", "a")
        stack = self.client.create("s", world_templates.chain())
        waiting.wait_for(
            lambda: any(each.act == "create" for each in self.world.calls()),
            "a is under way",
        )

        self.restart_without("orch-test-2")
        self.world.release("s")
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn(
            "orch-test-2 failed after the CREATE: it is not installed",
            shown["stack_status_reason"],
        )
        told = [("post", "3"), ("post", "1")]
        # Both are told again, as the failure has changed the outcome.
        self.assertEqual([*PRES, *told, *told], self.plugins.calls(stack))

    def test_nobody_is_left_and_what_was_held_does_not_begin(self) -> None:
        stack = self.held()

        self.restart_without("orch-test-1", "orch-test-2", "orch-test-3")
        self.client.ask(
            "POST", f"{stack.path}/actions", {"approve": {"text": ""}}
        )

        self.client.wait(stack, "CREATE_FAILED")
        self.assertEqual([], self.world.calls())
