"""Operations that wait in a tree of stacks: shown at its root, tried now."""

import concurrent.futures
import json
import typing

from tests.functional import nesting
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import timestamps
from tests.support import waiting
from tests.support import world_templates

Json = world_templates.Json

_THING: typing.Final = world_templates.declare_resource
_PATH: typing.Final = "mid/leaf/b"
_FILES: typing.Final = {
    "mid.yaml": json.dumps(
        world_templates.template(leaf={"type": "leaf.yaml"})
    ),
    "leaf.yaml": json.dumps(
        world_templates.template(a=_THING(), b=_THING("a"), c=_THING("b"))
    ),
}


class TreeTestCase(nesting.NestedTestCase):
    """A tree of three stacks; nothing goes on by itself in a test's time."""

    options = serving.options(blocked_first_pause=600, quota_max_pause=600)

    def block(self, **options: object) -> rest.Stack:
        """Create a tree in which ``b`` has no room; return once it waits."""
        self.world.order(
            self.name, "create", "b", how="quota", moment="before"
        )
        stack = self.make(
            {"mid": {"type": "mid.yaml"}, "x": _THING()},
            "CREATE_IN_PROGRESS",
            files=_FILES,
            **options,
        )
        self.wait_until_shown(stack)
        return stack

    def wait_until_shown(self, stack: rest.Stack) -> Json:
        """Return the stack once it shows that it waits."""

        def find() -> Json | None:
            found = self.client.show(stack)
            return found if "blocked" in found else None

        return waiting.wait_for(find, "the stack shows that it waits")

    def leaf_of(self, stack: rest.Stack) -> rest.Stack:
        return self.child_of(self.child_of(stack, "mid"), "leaf")

    def state_of_newest(self, stack: rest.Stack) -> object:
        return self.operations(stack)[0]["state"]

    def wait_until_blocked(self, stack: rest.Stack) -> None:
        waiting.wait_for(
            lambda: self.state_of_newest(stack) == "BLOCKED", "it is blocked"
        )

    def check_complete(self, stack: rest.Stack) -> None:
        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(
            ["a", "b", "c", "x"],
            sorted(each.name for each in self.physical_resources()),
        )
        self.assertEqual([], self.world.doubles())

    def paths_of(self, stack: rest.Stack) -> list[object]:
        """Return which resources the stack shows that it waits for."""
        found = self.client.show(stack).get("blocked", {})
        waits = typing.cast(dict[str, list[Json]], found)
        return [each["path"] for each in waits.get("resources", [])]

    def tries(self) -> int:
        """Return how often there was no room for b."""
        return self.tree_acts("create").count("b")

    def retry_status(self, path: str) -> int:
        """Return the status of a retry."""
        try:
            self.client.ask("POST", f"{path}/actions", {"retry": {}})
        except rest.RefusedError as error:
            return error.status
        return 200


class TryNowTests(TreeTestCase):
    """In one process."""

    def test_a_retry_of_the_root_tries_at_once(self) -> None:
        stack = self.block()
        self.world.forgive(self.name)

        self.client.retry(stack)

        self.check_complete(stack)
        self.assertEqual(1, len(self.operations(stack)[0]["attempts"]))

    def test_so_does_one_of_a_stack_between(self) -> None:
        stack = self.block()
        self.world.forgive(self.name)

        self.client.retry(self.child_of(stack, "mid"))

        self.check_complete(stack)

    def test_so_does_one_of_the_child_by_its_own_url(self) -> None:
        stack = self.block()
        self.world.forgive(self.name)

        self.client.retry(self.leaf_of(stack))

        self.check_complete(stack)

    def test_of_many_callers_none_does_harm(self) -> None:
        stack = self.block()
        self.world.forgive(self.name)
        before = self.tries()

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            statuses = set(pool.map(self.retry_status, [stack.path] * 8))

        self.assertLessEqual(statuses, {200, 409})
        self.assertIn(200, statuses)
        self.check_complete(stack)
        self.assertEqual(before + 1, self.tries())


class LimitsTests(TreeTestCase):
    def test_what_still_has_no_room_waits_again(self) -> None:
        stack = self.block()
        leaf = self.leaf_of(stack)
        before = self.tries()

        self.client.retry(stack)
        waiting.wait_for(lambda: self.tries() > before, "it is tried")
        self.wait_until_blocked(leaf)

        self.assertEqual("CREATE_IN_PROGRESS", self.state(stack))
        self.world.forgive(self.name)
        self.client.retry(leaf)
        self.check_complete(stack)

    def test_a_stack_beside_it_is_not_tried(self) -> None:
        self.world.order(
            self.name, "create", "inner", how="quota", moment="before"
        )
        stack = self.make(
            {
                "one": nesting.child_resource(),
                "two": nesting.child_resource(),
            },
            "CREATE_IN_PROGRESS",
        )
        waiting.wait_for(
            lambda: len(self.paths_of(stack)) == 2, "both are blocked"
        )
        self.world.forgive(self.name)

        self.client.retry(self.child_of(stack, "one"))
        self.client.wait(self.child_of(stack, "one"), "CREATE_COMPLETE")

        other = self.child_of(stack, "two")
        self.assertEqual("BLOCKED", self.state_of_newest(other))
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_options_need_a_cancelled_action(self) -> None:
        stack = self.block()

        error = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "POST",
            f"{stack.path}/actions",
            {"retry": {"skip": ["mid"]}},
        )

        self.assertEqual((409, "ActionInProgress"), (error.status, error.type))
        self.assertIn("cancel_without_rollback", error.message)

    def test_another_action_is_not_tried(self) -> None:
        stack = self.block()

        error = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "DELETE",
            f"{stack.path}?retry=true",
        )

        self.assertEqual(409, error.status)
        self.assertEqual("BLOCKED", self.state_of_newest(self.leaf_of(stack)))

    def test_what_waits_at_a_breakpoint_is_not_passed(self) -> None:
        hooks = {"resources": {"x": {"hooks": "pre-create"}}}
        stack = self.make(
            {"x": _THING()},
            "CREATE_IN_PROGRESS",
            environment={"resource_registry": hooks},
        )
        self.wait_until_blocked(stack)

        self.assertEqual(409, self.retry_status(stack.path))
        self.assertEqual("BLOCKED", self.state_of_newest(stack))


class DistributedTests(TryNowTests):
    """With two workers that scan seldom: the hints have to arrive."""

    options = serving.options(
        blocked_first_pause=600, quota_max_pause=600, scan_interval=60
    )

    @classmethod
    def installation(cls) -> running.Distributed:
        return running.Distributed(cls.options, cls.environment(), workers=2)


class ShownTests(TreeTestCase):
    def test_the_root_says_which_path_is_blocked_and_until_when(self) -> None:
        stack = self.block()

        shown = self.wait_until_shown(stack)
        listed = typing.cast(list[Json], self.client.get("/stacks", "stacks"))
        (entry,) = [each for each in listed if each["id"] == stack.id]
        operation = self.operations(stack)[0]

        waits = typing.cast(Json, shown["blocked"])
        self.assertEqual(waits, entry["blocked"])
        (resource,) = typing.cast(list[Json], waits["resources"])
        self.assertEqual(
            ("retry", _PATH), (resource["kind"], resource["path"])
        )
        self.assertIn("QuotaExceeded: ", str(resource["reason"]))
        self.assertEqual(0, waits["others"])
        for reason in (
            waits["reason"],
            shown["stack_status_reason"],
            entry["stack_status_reason"],
            operation["reason"],
        ):
            self.assertIn(f"waiting for {_PATH}: QuotaExceeded", str(reason))
            self.assertIn("next try at 20", str(reason))
        self.assertEqual("CREATE_IN_PROGRESS", shown["stack_status"])
        self.assertEqual("RUNNING", operation["state"])
        due = self.operations(self.leaf_of(stack))[0]["next_try_at"]
        for moment in (waits["next_try_at"], operation["next_try_at"]):
            self.assertAlmostEqual(
                timestamps.read_seconds(due),
                timestamps.read_seconds(moment),
                delta=2,
            )

    def test_each_stack_on_the_way_says_it_from_itself(self) -> None:
        stack = self.block()

        for each, path in (
            (self.child_of(stack, "mid"), "leaf/b"),
            (self.leaf_of(stack), "b"),
        ):
            reason = str(self.client.show(each)["stack_status_reason"])
            self.assertIn(f"waiting for {path}: QuotaExceeded", reason)

    def test_an_event_at_the_root_tells_of_it_once(self) -> None:
        stack = self.block()
        self.client.retry(stack)
        self.wait_until_blocked(self.leaf_of(stack))
        self.wait_until_shown(stack)
        self.world.forgive(self.name)
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        told = [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
            if "QuotaExceeded" in str(each["resource_status_reason"])
        ]

        self.assertEqual(1, len(told), told)
        self.assertIn(f"waiting for {_PATH}: ", told[0])

    def test_it_disappears_when_the_child_goes_on(self) -> None:
        stack = self.block()
        self.world.forgive(self.name)
        self.world.order(self.name, "create", "c")

        self.client.retry(self.leaf_of(stack))
        self.wait_for_tree("held-create-watch", "c")

        def is_gone() -> bool:
            return "blocked" not in self.client.show(stack)

        waiting.wait_for(is_gone, "the root waits for nothing")
        shown = self.client.show(stack)
        mid = self.client.resources(stack)["mid"]
        self.assertEqual("Stack CREATE started", shown["stack_status_reason"])
        self.assertNotIn("Quota", str(mid["resource_status_reason"]))
        self.assertEqual("", self.operations(stack)[0]["reason"])

    def test_what_is_cancelled_waits_no_more(self) -> None:
        stack = self.block()

        self.client.ask(
            "POST", f"{stack.path}/actions", {"cancel_without_rollback": None}
        )
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertNotIn("blocked", shown)

    def test_after_a_kill_it_is_shown_again(self) -> None:
        stack = self.block()
        self.system.server.kill()
        self.system.start()

        shown = self.wait_until_shown(stack)
        self.assertIn(_PATH, str(shown["stack_status_reason"]))
        self.world.forgive(self.name)
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_many_are_counted(self) -> None:
        self.world.order(
            self.name, "create", "inner", how="quota", moment="before"
        )
        names = [f"kid{number}" for number in range(5)]
        stack = self.make(
            {name: nesting.child_resource() for name in names},
            "CREATE_IN_PROGRESS",
        )

        def find() -> Json | None:
            found = self.client.show(stack).get("blocked")
            if isinstance(found, dict) and found["others"] == 2:
                return found
            return None

        found = waiting.wait_for(find, "all are blocked")

        self.assertEqual(3, len(self.paths_of(stack)))
        self.assertIn(" and 2 more, next try at", str(found["reason"]))
