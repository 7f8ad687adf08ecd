"""Lifecycle plug-ins, as people who run them need them: L1 to L9."""

import contextlib
import sqlite3
import time
import typing

from tests.functional import lifecycle
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

PRES = lifecycle.PRES
POSTS = lifecycle.POSTS


def hooked(name: str, hook: str) -> lifecycle.Json:
    """Return an environment with a breakpoint."""
    return {"resource_registry": {"resources": {name: {"hooks": hook}}}}


class TestLifecycle(lifecycle.LifecycleTestCase):
    """Three plug-ins around operations of one stack."""

    def test_l1_all_plugins_of_the_operator_are_called_for_a_creation(
        self,
    ) -> None:
        stack = self.client.create(self.name, world_templates.chain())

        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))
        self.assertEqual(["complete"] * 3, self.plugins.outcomes(stack))

    def test_l3_what_is_denied_fails_and_the_world_is_untouched(self) -> None:
        self.plugins.order(2, "pre", "deny", text="no room today")

        stack = self.client.create(self.name, world_templates.chain())
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-2 denied the CREATE: no room today",
            shown["stack_status_reason"],
        )
        self.assertEqual([], self.world.calls(self.name))
        self.assertEqual([], list(self.client.resources(stack)))

    def test_l3_it_knows_who_asks_for_what_and_the_stack_before(self) -> None:
        stack = self.client.create(self.name, world_templates.chain("old"))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.plugins.order(1, "pre", "allow", verb="update", looks=True)

        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")

        (line,) = [
            each
            for each in self.plugins.lines(stack)
            if each["verb"] == "update"
            and (each["plugin"], each["phase"]) == ("orch-test-1", "pre")
        ]
        newest = self.operation(stack)
        self.assertEqual(newest["id"], line["operation"])
        self.assertEqual("UPDATE", line["action"])
        labels = {
            side: {
                path: each["properties"]["label"]
                for path, each in line[side]["resources"].items()
            }
            for side in ("before", "after")
        }
        self.assertEqual(
            {
                "before": dict.fromkeys("abc", "old"),
                "after": dict.fromkeys("abc", "new"),
            },
            labels,
        )
        kinds = {
            (each["resource_name"], each["kind"])
            for each in line["plan"]["changes"]
        }
        self.assertEqual(
            {("a", "update"), ("b", "update"), ("c", "update")}, kinds
        )

    def test_l4_post_ops_are_told_of_a_failed_run(self) -> None:
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before"
        )

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(["failed"] * 3, self.plugins.outcomes(stack))
        last = self.plugins.lines(stack)[-1]
        self.assertEqual(["b"], [each["name"] for each in last["failures"]])
        self.assertEqual(
            self.client.show(stack)["stack_status_reason"], last["reason"]
        )

    def test_l4_post_ops_are_told_of_a_time_that_is_over(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.chain(),
            environment=hooked("b", "pre-create"),
        )
        self.wait_until_held(stack)

        self.shorten(stack)
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(["timed out"] * 3, self.plugins.outcomes(stack))
        self.assertEqual(PRES + POSTS, self.plugins.calls(stack))

    def test_l4_post_ops_are_told_of_a_time_that_ends_in_a_pre_op(
        self,
    ) -> None:
        self.plugins.order(1, "pre", "hold", text="ask Ann")
        self.plugins.order(2, "pre", "hang", text=self.name)
        self.addCleanup(self.plugins.release, self.name)
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_until_held(stack)
        # What an operation has left when it was held runs from the answer on.
        lifecycle.change(
            self.system,
            "UPDATE lifecycle_runs SET hold_left_s = 0.5"
            f" WHERE stack_id = '{stack.id}'",
        )
        self.act(stack, "approve")
        waiting.wait_for(
            lambda: ("pre", "2") in self.plugins.calls(stack), "it is asked"
        )
        waiting.wait_for(lambda: self.is_late(stack), "its time is over")

        self.plugins.release(self.name)
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("timed out", str(shown["stack_status_reason"]).lower())
        self.assertEqual(
            [
                *(("pre", "1"), ("pre", "2")),
                *(("post", "2"), ("post", "1")),
            ],
            self.plugins.calls(stack),
        )
        self.assertEqual(["timed out"] * 2, self.plugins.outcomes(stack))
        self.assertEqual([], self.world.calls(self.name))

    def is_late(self, stack: rest.Stack) -> bool:
        """Answer whether the deadline of the open operation has passed."""
        [[deadline]] = lifecycle.rows(
            self.system,
            "SELECT deadline_at FROM operations WHERE stack_id = ?",
            stack.id,
        )
        return time.time() > float(str(deadline)) + 0.1

    def test_a_breakpoint_calls_nobody_again(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.chain(),
            environment=hooked("b", "pre-create"),
        )
        self.wait_until_held(stack)

        self.client.ask(
            "POST",
            f"{stack.path}/resources/b/signal",
            {"unset_hook": "pre-create"},
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "create"))

    def test_l4_post_ops_are_told_of_a_cancellation(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("create", "b")

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            ["cancelled"] * 3, self.plugins.outcomes(stack, "create")
        )

    def test_l4_post_ops_are_told_what_superseded_it(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("create", "b")

        self.client.delete(stack)
        self.world.release(self.name)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            ["superseded"] * 3, self.plugins.outcomes(stack, "create")
        )
        self.assertEqual(
            ["complete"] * 3, self.plugins.outcomes(stack, "delete")
        )
        verbs = [each["verb"] for each in self.plugins.lines(stack)]
        self.assertEqual(["create"] * 6 + ["delete"] * 6, verbs)

    def test_l5_after_a_denial_those_before_it_are_called_in_reverse(
        self,
    ) -> None:
        self.plugins.order(3, "pre", "deny", text="no")

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            [*PRES, ("post", "2"), ("post", "1")], self.plugins.calls(stack)
        )
        self.assertEqual(["denied"] * 2, self.plugins.outcomes(stack))

    def test_l5_what_raises_denies(self) -> None:
        self.plugins.order(2, "pre", "raise", text="out of order")

        stack = self.client.create(self.name, world_templates.chain())
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-2 denied the CREATE: it failed:"
            " RuntimeError: out of order",
            shown["stack_status_reason"],
        )
        self.assertEqual(
            [("pre", "1"), ("pre", "2"), ("post", "1")],
            self.plugins.calls(stack),
        )

    def test_l5_an_answer_that_is_no_verdict_denies(self) -> None:
        self.plugins.order(1, "pre", "rubbish")

        stack = self.client.create(self.name, world_templates.chain())
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Lifecycle plug-in orch-test-1 denied the CREATE: it failed:"
            " BadAnswer: a pre-op gives a verdict, not int",
            shown["stack_status_reason"],
        )
        self.assertEqual([("pre", "1")], self.plugins.calls(stack))

    def test_l6_a_post_op_that_raises_fails_the_operation(self) -> None:
        self.plugins.order(2, "post", "raise", text="not booked")

        stack = self.client.create(self.name, world_templates.chain())
        shown = self.client.wait(stack, "CREATE_FAILED")

        reason = (
            "Lifecycle plug-in orch-test-2 failed after the CREATE:"
            " RuntimeError: not booked"
        )
        self.assertEqual(reason, shown["stack_status_reason"])
        self.assertIn(reason, self.reasons(stack)[:-1])
        self.assertEqual(PRES + POSTS + POSTS, self.plugins.calls(stack))
        self.assertEqual(
            ["complete"] * 3 + ["failed"] * 3, self.plugins.outcomes(stack)
        )
        self.assertEqual(["a", "b", "c"], self.names())

    def test_l6_a_retry_then_changes_nothing_and_asks_again(self) -> None:
        self.plugins.order(2, "post", "raise", text="not booked", once="l6")
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")
        seen = len(self.world.calls(self.name))

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, attempt=2))
        self.assertEqual(seen, len(self.world.calls(self.name)))

    def test_l6_a_failed_post_op_rolls_back_where_the_stack_is_so(
        self,
    ) -> None:
        self.plugins.order(
            1, "post", "raise", verb="create", text="not booked"
        )

        stack = self.client.create(
            self.name, world_templates.chain(), disable_rollback=False
        )
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual([], self.names())
        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "rollback"))

    def test_l7_nothing_that_they_see_can_be_changed(self) -> None:
        self.plugins.order(1, "pre", "mutate")

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")

        (found,) = self.plugins.notes("mutations")
        self.assertEqual(
            [], [x for x in found["mutations"] if "possible" in x]
        )
        self.assertEqual(12, len(found["mutations"]))

    def test_l8_every_action_of_a_stack_is_told(self) -> None:
        stack = self.client.create(self.name, world_templates.chain("1"))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.update(stack, world_templates.chain("2"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        for action in ("suspend", "resume", "check"):
            self.act(stack, action)
            self.client.wait(stack, f"{action.upper()}_COMPLETE")
        answer = self.client.ask("POST", f"{stack.path}/snapshots", {})
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        self.client.ask(
            "POST", f"{stack.path}/snapshots/{answer['id']}/restore"
        )
        self.client.wait(stack, "RESTORE_COMPLETE")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        verbs = [
            "create",
            "update",
            "suspend",
            "resume",
            "check",
            "snapshot",
            "restore",
            "delete",
        ]
        for verb in verbs:
            self.assertEqual(
                PRES + POSTS, self.plugins.calls(stack, verb), verb
            )
        told = [each["verb"] for each in self.plugins.lines(stack)]
        self.assertEqual(verbs, list(dict.fromkeys(told)))

    def test_l8_a_cancelled_update_that_goes_back_is_a_rollback(self) -> None:
        stack = self.client.create(self.name, world_templates.chain("1"))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.world.order(self.name, "update", "b")
        self.update(stack, world_templates.chain("2"))
        self.wait_for_act("update", "b")

        self.act(stack, "cancel_update")
        self.world.forgive(self.name)
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(
            ["superseded"] * 3, self.plugins.outcomes(stack, "update")
        )
        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "rollback"))

    def test_l8_a_request_to_cancel_is_told_and_cannot_be_denied(self) -> None:
        self.plugins.order(2, "pre", "deny", verb="cancel", text="keep on")
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("create", "b")

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(PRES + POSTS, self.plugins.calls(stack, "cancel"))
        self.assertEqual(
            ["complete"] * 3, self.plugins.outcomes(stack, "cancel")
        )
        self.assertEqual(
            PRES + PRES + POSTS + POSTS, self.plugins.calls(stack)
        )
        self.assertIn(
            "Lifecycle plug-in orch-test-2 objects to the cancellation, which"
            " continues: keep on",
            self.reasons(stack),
        )

    def test_l9_values_that_are_known_are_resolved_others_are_not(
        self,
    ) -> None:
        self.plugins.order(1, "pre", "allow", looks=True)
        self.plugins.order(1, "post", "", looks=True)
        template = world_templates.template(
            a=world_templates.declare_resource(label={"get_param": "word"}),
            b=world_templates.declare_resource(
                "a", label={"get_attr": ["a", "value"]}
            ),
        )
        template["parameters"] = {
            "word": {"type": "string"},
            "secret": {"type": "string", "hidden": True},
        }
        template["resources"]["b"]["properties"]["value"] = {
            "get_param": "secret"
        }

        stack = self.client.create(
            self.name, template, parameters={"word": "hi", "secret": "s3cret"}
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        first, last = (
            each
            for each in self.plugins.lines(stack)
            if each["plugin"] == "orch-test-1"
        )
        self.assertEqual(None, first["before"])
        before, after = (each["after"]["resources"] for each in (first, last))
        self.assertEqual("hi", before["a"]["properties"]["label"])
        self.assertEqual(None, before["b"]["properties"]["label"])
        self.assertEqual(None, before["b"]["physical_id"])
        self.assertEqual(["a"], before["b"]["requires"])
        self.assertEqual("", after["b"]["properties"]["label"])
        self.assertEqual(
            self.client.resources(stack)["b"]["physical_resource_id"],
            after["b"]["physical_id"],
        )
        self.assertNotIn("s3cret", str(self.plugins.lines(stack)))

    def test_a_warning_is_an_event_and_stands_in_nobodys_way(self) -> None:
        self.plugins.order(1, "pre", "warn", text="more than 100 servers")

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertIn(
            "Lifecycle plug-in orch-test-1 warns of the CREATE: more than 100"
            " servers",
            self.reasons(stack),
        )

    def test_a_denied_update_is_not_rolled_back(self) -> None:
        stack = self.client.create(self.name, world_templates.chain("1"))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.plugins.order(1, "pre", "deny", verb="update", text="no")
        seen = len(self.world.calls(self.name))

        self.update(stack, world_templates.chain("2"), disable_rollback=False)
        self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(seen, len(self.world.calls(self.name)))
        self.assertEqual(dict.fromkeys("abc", "1"), self.labels())

    def test_a_denied_deletion_leaves_everything(self) -> None:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        self.plugins.order(1, "pre", "deny", verb="delete", text="no")
        seen = len(self.world.calls(self.name))

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")

        self.assertEqual(seen, len(self.world.calls(self.name)))
        self.assertEqual(["a", "b", "c"], self.names())

    def test_a_failed_post_op_of_a_deletion_leaves_the_stack_to_be_deleted(
        self,
    ) -> None:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        self.plugins.order(1, "post", "raise", verb="delete", once="d")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            [*PRES, *POSTS, *POSTS, *PRES, *POSTS],
            self.plugins.calls(stack, "delete"),
        )
        self.assertEqual([], self.names())

    def shorten(self, stack: rest.Stack) -> None:
        """Let the time of the stack's open operation be over."""
        path = self.system.directory / "state" / "orch.db"
        with contextlib.closing(sqlite3.connect(path, timeout=30)) as rows:
            rows.execute(
                "UPDATE operations SET deadline_at = deadline_at - 36000"
                " WHERE stack_id = ?",
                (stack.id,),
            )
            rows.commit()


class TestCallEvents(lifecycle.LifecycleTestCase):
    """An operator who watches sees every call in the events."""

    count = 1
    switches: typing.ClassVar[lifecycle.Json] = {"emit_call_events": True}

    def test_each_call_is_an_event_with_the_time_it_took(self) -> None:
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")

        told = [
            each.rpartition(", for ")
            for each in self.reasons(stack)
            if "was called" in each
        ]

        self.assertEqual(
            {
                "Lifecycle plug-in orch-test-1 was called before the CREATE",
                "Lifecycle plug-in orch-test-1 was called after the CREATE",
            },
            {each[0] for each in told},
        )
        for each in told:
            self.assertRegex(each[2], r"^\d+\.\d{3} s$")
