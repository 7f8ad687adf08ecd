"""Operations as they are decided on, through REST, on ``orch-all``.

What happened is looked up in the world that the plug-in acts on, too.
"""

import json
import typing

from tests.support import failing
from tests.support import rest
from tests.support import serving
from tests.support import world_templates

declare_resource = world_templates.declare_resource
template = world_templates.template
Json = world_templates.Json


class OperationTestCase(serving.WorldTestCase):
    def made(self) -> list[str]:
        return self.acts("made")

    def calls_of(self, name: str) -> list[str]:
        return [
            each.act
            for each in self.world.calls(self.name)
            if each.name == name
        ]

    def fail_first(self) -> rest.Stack:
        """Create a chain of which the middle one fails the first time."""
        stack = self.client.create(
            self.name,
            template(
                a=declare_resource(),
                b=declare_resource("a", fail_times=1, failure="permanent"),
                c=declare_resource("b"),
            ),
        )
        self.client.wait(stack, "CREATE_FAILED")
        return stack


class RetryTests(OperationTestCase):
    def test_it_goes_on_from_the_last_completed_resource(self) -> None:
        stack = self.fail_first()
        before = self.client.resources(stack)["a"]
        self.assertEqual(["a"], self.names())

        self.client.retry(stack)
        shown = self.client.wait(stack, "CREATE_COMPLETE")

        after = self.client.resources(stack)
        self.assertEqual(before, after["a"])
        self.assertEqual(["a", "b", "c"], self.made())
        self.assertEqual(["create", "made"], self.calls_of("a"))
        self.assertEqual(
            {"CREATE_COMPLETE"},
            {each["resource_status"] for each in after.values()},
        )
        self.assertEqual(
            "Stack CREATE completed successfully",
            shown["stack_status_reason"],
        )

    def test_its_story_is_told_from_the_failure_on(self) -> None:
        stack = self.fail_first()
        failed = self.client.events(stack)

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        told = [
            (each["resource_name"], each["resource_status"])
            for each in self.client.events(stack, str(failed[-1]["id"]))
        ]
        self.assertEqual(
            [
                (self.name, "CREATE_IN_PROGRESS"),
                ("b", "CREATE_IN_PROGRESS"),
                ("b", "CREATE_COMPLETE"),
                ("c", "CREATE_IN_PROGRESS"),
                ("c", "CREATE_COMPLETE"),
                (self.name, "CREATE_COMPLETE"),
            ],
            told,
        )

    def test_it_may_fail_and_be_retried_again(self) -> None:
        stack = self.client.create(
            self.name,
            template(a=declare_resource(fail_times=2, failure="error")),
        )
        self.client.wait(stack, "CREATE_FAILED")

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_FAILED")
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a"], self.names())

    def test_only_what_has_failed_is_retried(self) -> None:
        stack = self.client.create(self.name, template(a=declare_resource()))
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(409, self.refused(self.client.retry, stack)[0])

    def test_what_is_under_way_is_not_retried(self) -> None:
        stack = self.client.create(
            self.name, template(a=declare_resource(ready_after_s=30))
        )
        self.wait_for_act("made", "a")

        refused = self.refused(self.client.retry, stack)

        self.assertEqual((409, "ActionInProgress"), refused)

    def test_of_two_at_once_one_wins(self) -> None:
        stack = self.client.create(
            self.name,
            template(
                a=declare_resource(
                    fail_times=1, failure="permanent", delay_before_s=0.5
                )
            ),
        )
        self.client.wait(stack, "CREATE_FAILED")

        statuses = failing.race(self.system.endpoint, stack, 6)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual([200, *[409] * 5], statuses)
        self.assertEqual(["a"], self.made())

    def test_a_stack_that_is_not_there_cannot_be_retried(self) -> None:
        missing = rest.Stack("no", "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11")

        refused = self.refused(self.client.retry, missing)

        self.assertEqual((404, "EntityNotFound"), refused)


class DeleteTests(OperationTestCase):
    def test_during_a_creation_it_takes_over_and_leaves_nothing(self) -> None:
        stack = self.client.create(
            self.name,
            template(
                a=declare_resource(),
                b=declare_resource("a", ready_after_s=60),
                c=declare_resource("b"),
                slow=declare_resource(delay_before_s=0.5, delay_after_s=0.5),
            ),
        )
        self.wait_for_act("made", "b")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.names())
        self.assertEqual([], self.calls_of("c"))
        self.assertEqual([], self.world.doubles())
        self.assertEqual({}, self.client.resources(stack))

    def test_in_the_very_moment_of_acceptance_it_leaves_nothing(self) -> None:
        stacks = []
        for number in range(10):
            stacks.append(
                self.client.create(
                    f"{self.name}-{number}",
                    template(**{f"t{number}": declare_resource()}),
                )
            )
            self.client.delete(stacks[-1])

        for stack in stacks:
            self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.world.resources_of_tree(self.name))
        listed = self.client.get("/stacks", "stacks")
        left = {each["stack_name"] for each in typing.cast(list[Json], listed)}
        self.assertEqual(set(), left & {each.name for each in stacks})

    def test_twice_it_is_one_deletion(self) -> None:
        stack = self.client.create(
            self.name, template(a=declare_resource(gone_after_s=0.5))
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.delete(stack)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.client.delete(stack)

        told = [
            each["resource_status"]
            for each in self.client.events(stack)
            if each["resource_name"] == self.name
        ]
        self.assertEqual(
            [
                "CREATE_IN_PROGRESS",
                "CREATE_COMPLETE",
                "DELETE_IN_PROGRESS",
                "DELETE_COMPLETE",
            ],
            told,
        )
        self.assertEqual(1, self.calls_of("a").count("delete"))

    def test_backwards_along_the_dependencies(self) -> None:
        stack = self.client.create(
            self.name,
            template(
                a=declare_resource(),
                b=declare_resource("a"),
                c=declare_resource("b"),
            ),
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            ["c", "b", "a"],
            self.acts("delete"),
        )

    def test_a_name_is_free_again_and_the_old_stack_found_by_id(self) -> None:
        first = self.client.create(self.name, template(a=declare_resource()))
        self.client.wait(first, "CREATE_COMPLETE")
        self.client.delete(first)
        self.client.wait(first, "DELETE_COMPLETE")

        second = self.client.create(self.name, template(a=declare_resource()))
        self.client.wait(second, "CREATE_COMPLETE")

        self.assertNotEqual(first.id, second.id)
        self.assertEqual(
            "DELETE_COMPLETE", self.client.show(first)["stack_status"]
        )

    def test_what_is_to_be_retained_stays(self) -> None:
        kept = {**declare_resource(), "deletion_policy": "Retain"}
        stack = self.client.create(
            self.name, template(kept=kept, gone=declare_resource())
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(["kept"], self.names())
        self.assertEqual(
            [], [c for c in self.calls_of("kept") if c == "delete"]
        )

    def test_a_failed_one_is_retried_to_its_end(self) -> None:
        # Something else stands in the place of the file for a moment.
        path = {"path": "d/f", "content": "x"}
        stack = self.client.create(
            self.name,
            {
                "heat_template_version": "2021-04-16",
                "resources": {
                    "f": {"type": "Orch::Local::File", "properties": path},
                    "a": declare_resource("f"),
                },
            },
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        file = self.system.root / "d" / "f"
        file.unlink()
        file.mkdir()

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        self.assertEqual([], self.names())
        file.rmdir()
        self.client.retry(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(1, self.calls_of("a").count("delete"))


class FailureTests(OperationTestCase):
    def test_a_rollback_leaves_an_empty_world(self) -> None:
        stack = self.client.create(
            self.name,
            template(
                a=declare_resource(),
                other=declare_resource(ready_after_s=0.3),
                b=declare_resource("a", fail_times=9, failure="permanent"),
                c=declare_resource("b"),
            ),
            disable_rollback=False,
        )

        shown = self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual([], self.names())
        self.assertEqual([], self.calls_of("c"))
        self.assertEqual(
            "Stack ROLLBACK completed successfully",
            shown["stack_status_reason"],
        )
        told = [
            (each["resource_status"], each["resource_status_reason"])
            for each in self.client.events(stack)
            if each["resource_name"] == self.name
        ]
        self.assertEqual(
            [
                "CREATE_IN_PROGRESS",
                "CREATE_FAILED",
                "ROLLBACK_IN_PROGRESS",
                "ROLLBACK_COMPLETE",
            ],
            [status for status, _ in told],
        )
        self.assertIn("the world refuses this thing", told[1][1])

    def test_a_rolled_back_stack_can_be_deleted(self) -> None:
        stack = self.client.create(
            self.name,
            template(a=declare_resource(fail_times=9, failure="error")),
            disable_rollback=False,
        )
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.client.delete(stack)

        self.client.wait(stack, "DELETE_COMPLETE")

    def test_without_keep_going_nothing_more_begins(self) -> None:
        stack = self.client.create(self.name, self.forked())

        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(["slow"], self.made())

    def test_with_keep_going_all_that_can_be_done_is_done(self) -> None:
        stack = self.client.create(self.name, self.forked(), keep_going=True)

        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(["slow", "after", "last"], self.made())
        self.assertIn("resources.broken", str(shown["stack_status_reason"]))
        rows = self.client.resources(stack)
        self.assertEqual(
            {
                "broken": "CREATE_FAILED",
                "slow": "CREATE_COMPLETE",
                "after": "CREATE_COMPLETE",
                "last": "CREATE_COMPLETE",
                "never": "INIT_COMPLETE",
            },
            {name: row["resource_status"] for name, row in rows.items()},
        )

    def forked(self) -> dict[str, object]:
        return template(
            broken=declare_resource(fail_times=9, failure="permanent"),
            never=declare_resource("broken"),
            slow=declare_resource(ready_after_s=0.5),
            after=declare_resource("slow"),
            last=declare_resource("after"),
        )


class RestartTests(OperationTestCase):
    def chain(self) -> rest.Stack:
        names = [f"t{number}" for number in range(8)]
        things = {
            name: declare_resource(
                *names[max(place - 1, 0) : place], ready_after_s=0.2
            )
            for place, name in enumerate(names)
        }
        return self.client.create(self.name, template(**things))

    def check_went_on(self, stack: rest.Stack) -> None:
        self.client.wait(stack, "CREATE_COMPLETE")
        names = [f"t{number}" for number in range(8)]
        self.assertEqual(names, self.made())
        events = self.client.events(stack)
        told = [
            (each["resource_name"], each["resource_status"]) for each in events
        ]
        self.assertEqual(sorted(set(told)), sorted(told))

    def test_in_good_order_it_goes_on_at_once(self) -> None:
        stack = self.chain()
        self.wait_for_act("made", "t2")

        code = self.system.server.stop()
        self.system.start()

        self.check_went_on(stack)
        self.assertEqual(0, code)

    def test_after_a_kill_it_goes_on_after_the_lease(self) -> None:
        stack = self.chain()
        self.wait_for_act("made", "t2")

        self.system.server.kill()
        self.system.start()

        self.check_went_on(stack)

    def test_what_was_told_before_is_told_the_same_after(self) -> None:
        stack = self.client.create(
            self.name, template(a=declare_resource(value="x"))
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        def look() -> str:
            return json.dumps(
                [
                    self.client.show(stack),
                    self.client.resources(stack),
                    list(self.client.events(stack)),
                ],
                sort_keys=True,
            )

        before = look()
        self.system.server.kill()
        self.system.start()

        self.assertEqual(before, look())
