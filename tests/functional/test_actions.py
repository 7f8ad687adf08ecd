"""Suspend, resume, check, cancel, mark unhealthy: through REST, on
``orch-all``, and looked up in the world that the plug-in acts on.
"""

import itertools
import time
import typing

import fixtures
import requests

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import world

_OPTIONS = {"engine": {"lease_ttl": 2, "scan_interval": 0.2}}
_NUMBERS = itertools.count()
_MISSING = rest.Stack("no", "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11")

Json = dict[str, object]
Fixture = typing.TypeVar("Fixture", bound=fixtures.Fixture)


def thing(*needed: str, **properties: object) -> Json:
    """Return the declaration of one thing of the world."""
    return {
        "type": "Test::World::Thing",
        "depends_on": list(needed),
        "properties": properties,
    }


def template(**things: Json) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": things}


class ActionsTestCase(base.TestCase):
    """A chain of three things; a class has one server, a test one stack."""

    limit_s = 120

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.world = cls.use(world.World())
        cls.system = cls.use(
            running.Embedded(_OPTIONS, cls.world.environment)
        ).system
        cls.client = cls.system.client

    @classmethod
    def use(cls, fixture: Fixture) -> Fixture:
        cls.addClassCleanup(fixture.cleanUp)
        fixture.setUp()
        return fixture

    def setUp(self) -> None:
        super().setUp()
        self.name = f"s{next(_NUMBERS)}"
        self.addCleanup(self.world.forgive, self.name)

    def create(self, label: str = "", **body: object) -> rest.Stack:
        return self.created(self.chain(label), **body)

    def created(self, wanted: Json, **body: object) -> rest.Stack:
        stack = self.client.create(self.name, wanted, **body)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    @staticmethod
    def chain(label: str = "") -> Json:
        return template(
            a=thing(label=label),
            b=thing("a", label=label),
            c=thing("b", label=label),
        )

    def act(
        self, stack: rest.Stack, action: str, value: object = None
    ) -> None:
        answer = self.client.ask(
            "POST", f"{stack.path}/actions", {action: value}
        )
        self.assertIsNone(answer)

    def update(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        self.client.ask("PUT", stack.path, {"template": wanted, **body})

    def mark(self, stack: rest.Stack, name: str, **body: object) -> None:
        path = f"{stack.path}/resources/{name}"
        self.assertIsNone(self.client.ask("PATCH", path, body))

    def refused(
        self,
        function: typing.Callable[..., object],
        *given: object,
        **more: object,
    ) -> tuple[int, str]:
        """Return status and error type of a request that must fail."""
        error = self.assertRaises(rest.RefusedError, function, *given, **more)
        body = typing.cast(dict[str, dict[str, str]], error.body)
        return error.status, body["error"]["type"]

    def acts(self, *acts: str) -> list[str]:
        """Return the names of what these acts were called for, in order."""
        return [
            each.name
            for each in self.world.calls(self.name)
            if each.act in acts
        ]

    def resting(self) -> set[str]:
        return {
            each.name for each in self.world.things(self.name) if each.rests
        }

    def statuses(self, stack: rest.Stack) -> dict[str, object]:
        rows = self.client.resources(stack)
        return {name: row["resource_status"] for name, row in rows.items()}

    def told(
        self, stack: rest.Stack, after: str
    ) -> list[tuple[object, object]]:
        """Return name and status of each event after one of the stack's."""
        events = self.client.events(stack)
        told = [(e["resource_name"], e["resource_status"]) for e in events]
        return told[told.index((self.name, after)) + 1 :]

    def names(self) -> list[str]:
        """Return the names of the things that exist, sorted."""
        return sorted(each.name for each in self.world.things(self.name))

    def wait_for(self, act: str, name: str) -> None:
        limit = time.monotonic() + 10
        while name not in self.acts(act):
            self.assertLess(time.monotonic(), limit, f"no {act} of {name}")
            time.sleep(0.02)


class SuspendTests(ActionsTestCase):
    def test_dependents_go_to_rest_first_and_wake_last(self) -> None:
        stack = self.create()

        self.act(stack, "suspend")
        shown = self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(
            "Stack SUSPEND completed successfully",
            shown["stack_status_reason"],
        )
        self.assertEqual({"a", "b", "c"}, self.resting())
        self.assertEqual(
            dict.fromkeys("abc", "SUSPEND_COMPLETE"), self.statuses(stack)
        )

        self.act(stack, "resume", "")
        self.client.wait(stack, "RESUME_COMPLETE")

        self.assertEqual(set(), self.resting())
        self.assertEqual(["c", "b", "a"], self.acts("suspend"))
        self.assertEqual(["a", "b", "c"], self.acts("resume"))

    def test_its_story_is_told(self) -> None:
        stack = self.created(template(a=thing()))

        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(
            [
                (self.name, "SUSPEND_IN_PROGRESS"),
                ("a", "SUSPEND_IN_PROGRESS"),
                ("a", "SUSPEND_COMPLETE"),
                (self.name, "SUSPEND_COMPLETE"),
            ],
            self.told(stack, "CREATE_COMPLETE"),
        )

    def test_what_rests_is_not_put_to_rest_again(self) -> None:
        stack = self.create()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.act(stack, "suspend")

        self.assertEqual(
            "SUSPEND_COMPLETE", self.client.show(stack)["stack_status"]
        )
        self.assertEqual(
            1,
            self.told(stack, "CREATE_COMPLETE").count(
                (self.name, "SUSPEND_IN_PROGRESS")
            ),
        )

    def test_what_was_never_put_to_rest_is_not_woken(self) -> None:
        stack = self.create()

        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_COMPLETE")

        self.assertEqual([], self.acts("resume"))
        self.assertEqual(
            dict.fromkeys("abc", "CREATE_COMPLETE"), self.statuses(stack)
        )

    def test_what_was_checked_at_rest_is_woken(self) -> None:
        stack = self.create()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")

        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_COMPLETE")

        self.assertEqual(set(), self.resting())

    def test_after_a_failure_it_goes_on_with_the_rest(self) -> None:
        stack = self.create()
        self.world.order(
            self.name,
            "suspend",
            "b",
            how="permanent",
            moment="before",
            times=1,
        )

        self.act(stack, "suspend")
        shown = self.client.wait(stack, "SUSPEND_FAILED")
        self.assertIn("resources.b", str(shown["stack_status_reason"]))
        self.assertEqual({"c"}, self.resting())
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(["c", "b", "b", "a"], self.acts("suspend"))

    def test_a_failed_one_is_retried(self) -> None:
        stack = self.create()
        self.world.order(
            self.name,
            "suspend",
            "b",
            how="permanent",
            moment="before",
            times=1,
        )
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_FAILED")

        self.act(stack, "suspend", {"retry": True})
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(["c", "b", "b", "a"], self.acts("suspend"))

    def test_a_stack_at_rest_is_not_updated_but_can_go(self) -> None:
        stack = self.create()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")

        refused = self.refused(self.update, stack, self.chain("new"))

        self.assertEqual((400, "NotSupported"), refused)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.names())

    def test_it_does_not_cut_short_what_is_under_way(self) -> None:
        stack = self.create()
        self.world.order(self.name, "update", "a")
        self.update(stack, self.chain("new"))
        self.wait_for("updated", "a")

        for action in ("suspend", "resume", "check"):
            refused = self.refused(self.act, stack, action)
            self.assertEqual((409, "ActionInProgress"), refused)

        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

    def test_twice_it_is_one_suspension(self) -> None:
        stack = self.create()
        self.world.order(self.name, "suspend", "c")
        self.act(stack, "suspend")
        self.wait_for("suspend", "c")

        self.act(stack, "suspend")
        self.world.release(self.name)
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(
            1,
            self.told(stack, "CREATE_COMPLETE").count(
                (self.name, "SUSPEND_IN_PROGRESS")
            ),
        )

    def test_a_delete_takes_over(self) -> None:
        stack = self.create()
        self.world.order(self.name, "suspend", "c")
        self.act(stack, "suspend")
        self.wait_for("suspend", "c")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.names())
        self.assertEqual(["c"], self.acts("suspend"))

    def test_a_stack_that_is_gone_is_not_found(self) -> None:
        stack = self.create()
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        for gone in (stack, _MISSING):
            for action in (
                "suspend",
                "check",
                "cancel_update",
                "cancel_without_rollback",
            ):
                refused = self.refused(self.act, gone, action)
                self.assertEqual((404, "EntityNotFound"), refused)
            refused = self.refused(self.mark, gone, "a", mark_unhealthy=True)
            self.assertEqual((404, "EntityNotFound"), refused)


class CheckTests(ActionsTestCase):
    def test_what_is_well_stays_and_what_cannot_tell_says_so(self) -> None:
        stack = self.created(
            template(a=thing(), n={"type": "OS::Heat::RandomString"})
        )

        self.act(stack, "check", "")
        shown = self.client.wait(stack, "CHECK_COMPLETE")

        rows = self.client.resources(stack)
        self.assertEqual(["a"], self.acts("check"))
        self.assertEqual(
            dict.fromkeys("an", "CHECK_COMPLETE"), self.statuses(stack)
        )
        self.assertEqual("state changed", rows["a"]["resource_status_reason"])
        self.assertEqual(
            "CHECK not supported for OS::Heat::RandomString",
            rows["n"]["resource_status_reason"],
        )
        self.assertIn("as far as", str(shown["stack_status_reason"]))

    def test_where_all_types_can_tell_nothing_is_added(self) -> None:
        stack = self.create()

        self.act(stack, "check")

        shown = self.client.wait(stack, "CHECK_COMPLETE")
        self.assertEqual(
            "Stack CHECK completed successfully", shown["stack_status_reason"]
        )

    def test_what_is_amiss_is_found_all_at_once_and_then_replaced(
        self,
    ) -> None:
        stack = self.create()
        self.world.remove(self.name, "a")
        self.world.remove(self.name, "b")

        self.act(stack, "check")
        shown = self.client.wait(stack, "CHECK_FAILED")

        self.assertIn("resources.", str(shown["stack_status_reason"]))
        self.assertEqual(
            {"a": "CHECK_FAILED", "b": "CHECK_FAILED", "c": "CHECK_COMPLETE"},
            self.statuses(stack),
        )
        reason = self.client.resources(stack)["a"]["resource_status_reason"]
        self.assertEqual(
            "Permanent: resources.a: the thing is not there any more", reason
        )

        self.update(stack, self.chain())
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual(["a", "b", "c", "a", "b"], self.acts("made"))
        self.assertEqual([], self.world.doubles())

    def test_it_can_be_asked_for_again(self) -> None:
        stack = self.create()
        for _ in range(2):
            self.act(stack, "check")
            self.client.wait(stack, "CHECK_COMPLETE")
            self.update(stack, self.chain())
            self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(6, len(self.acts("check")))
        self.assertEqual(3, len(self.acts("made")))

    def test_no_answer_is_no_reason_to_replace(self) -> None:
        stack = self.create()
        self.world.order(self.name, "check", "b")
        self.act(stack, "check")
        self.wait_for("check", "b")

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "CHECK_FAILED")
        self.world.release(self.name)

        self.assertEqual("CHECK_FAILED", self.statuses(stack)["b"])
        self.update(stack, self.chain())
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(["a", "b", "c"], self.acts("made"))

    def test_a_reader_may_ask_for_it_and_for_nothing_else(self) -> None:
        stack = self.create()
        reader = {"X-Roles": "reader"}
        path = f"{self.client.endpoint}{stack.path}/actions"

        def ask(action: str) -> int:
            answer = requests.post(
                path, json={action: None}, headers=reader, timeout=30
            )
            return answer.status_code

        self.assertEqual(403, ask("suspend"))
        self.assertEqual(200, ask("check"))


class CancelTests(ActionsTestCase):
    def under_way(self, **body: object) -> rest.Stack:
        """Return a stack whose update hangs at the second of three."""
        stack = self.create("old", **body)
        self.world.order(self.name, "update", "b")
        self.update(stack, self.chain("new"))
        self.wait_for("updated", "b")
        return stack

    def labels(self) -> dict[str, str]:
        return {each.name: each.label for each in self.world.things(self.name)}

    def test_an_update_goes_back(self) -> None:
        stack = self.under_way()

        self.act(stack, "cancel_update")
        self.world.release(self.name)
        shown = self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "old"), self.labels())
        self.assertEqual(
            "Stack ROLLBACK completed successfully",
            shown["stack_status_reason"],
        )
        told = [
            each
            for each in self.told(stack, "CREATE_COMPLETE")
            if each[0] == self.name
        ]
        self.assertEqual(
            [
                (self.name, "UPDATE_IN_PROGRESS"),
                (self.name, "ROLLBACK_IN_PROGRESS"),
                (self.name, "ROLLBACK_COMPLETE"),
            ],
            told,
        )
        self.assertEqual(3, len(self.acts("made")))
        template_ = self.client.ask("GET", f"{stack.path}/template")
        self.assertEqual(
            "old", template_["resources"]["a"]["properties"]["label"]
        )

    def test_a_deletion_that_was_cancelled_is_asked_for_again(self) -> None:
        stack = self.create()
        self.world.order(self.name, "delete", "c", moment="after")
        self.client.delete(stack)
        self.wait_for("held-delete-after", "c")

        self.act(stack, "cancel_without_rollback")
        self.client.delete(stack)
        self.world.release(self.name)

        self.client.wait(stack, "DELETE_COMPLETE")

    def test_only_an_update_goes_back(self) -> None:
        stack = self.create()
        self.assertEqual(
            (400, "NotSupported"),
            self.refused(self.act, stack, "cancel_update"),
        )
        self.world.order(self.name, "suspend", "c")
        self.act(stack, "suspend")
        self.wait_for("suspend", "c")

        refused = self.refused(self.act, stack, "cancel_update")

        self.assertEqual((400, "NotSupported"), refused)

    def test_an_update_stops_where_it_stands_and_is_retried(self) -> None:
        stack = self.under_way(disable_rollback=False)

        self.act(stack, "cancel_without_rollback")
        shown = self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(
            "Stack UPDATE cancelled", shown["stack_status_reason"]
        )
        self.assertEqual(
            {
                "a": "UPDATE_COMPLETE",
                "b": "UPDATE_FAILED",
                "c": "CREATE_COMPLETE",
            },
            self.statuses(stack),
        )
        self.assertNotIn("c", self.acts("update"))
        self.assertEqual(
            (self.name, "UPDATE_FAILED"),
            self.told(stack, "CREATE_COMPLETE")[-1],
        )
        self.world.release(self.name)

        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "new"), self.labels())
        self.assertEqual(1, self.acts("update").count("a"))

    def test_a_creation_stops_and_is_not_rolled_back(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(
            self.name, self.chain(), disable_rollback=False
        )
        self.wait_for("held-create-watch", "b")

        self.act(stack, "cancel_without_rollback")
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Stack CREATE cancelled", shown["stack_status_reason"]
        )
        self.assertEqual(["a", "b"], self.names())
        self.world.release(self.name)
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual(1, self.acts("made").count("a"))

    def test_calls_under_way_may_answer(self) -> None:
        self.world.order(self.name, "create", "a", moment="after")
        stack = self.client.create(
            self.name, self.chain(), disable_rollback=False
        )
        self.wait_for("held-create-after", "a")

        self.act(stack, "cancel_without_rollback")
        time.sleep(0.3)
        self.assertEqual(
            "CREATE_IN_PROGRESS", self.client.show(stack)["stack_status"]
        )
        self.world.release(self.name)
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(["a"], self.names())
        self.assertEqual("CREATE_COMPLETE", self.statuses(stack)["a"])

    def test_a_failure_meanwhile_is_not_rolled_back(self) -> None:
        self.world.order(self.name, "create", "a", moment="after")
        self.world.order(
            self.name, "create", "a", moment="after", how="permanent", times=1
        )
        stack = self.client.create(
            self.name, self.chain(), disable_rollback=False
        )
        self.wait_for("held-create-after", "a")

        self.act(stack, "cancel_without_rollback")
        self.world.release(self.name)
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Stack CREATE cancelled", shown["stack_status_reason"]
        )
        time.sleep(0.5)
        self.assertEqual(
            "CREATE_FAILED", self.client.show(stack)["stack_status"]
        )

    def test_every_action_stops(self) -> None:
        stack = self.create()
        for action, act in (
            ("suspend", "suspend"),
            ("resume", "resume"),
            ("check", "check"),
        ):
            for name in "abc":
                self.world.order(self.name, act, name)
            self.act(stack, action)
            limit = time.monotonic() + 10
            while not self.acts(f"held-{act}-watch"):
                self.assertLess(time.monotonic(), limit)
                time.sleep(0.02)

            self.act(stack, "cancel_without_rollback")
            shown = self.client.wait(stack, f"{action.upper()}_FAILED")

            self.assertEqual(
                f"Stack {action.upper()} cancelled",
                shown["stack_status_reason"],
            )
            self.world.release(self.name)
            self.client.retry(stack)
            self.client.wait(stack, f"{action.upper()}_COMPLETE")

    def test_a_deletion_stops_and_goes_on_later(self) -> None:
        stack = self.create()
        self.world.order(self.name, "delete", "b")
        self.client.delete(stack)
        self.wait_for("delete", "b")

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "DELETE_FAILED")
        self.world.release(self.name)
        self.assertIn("a", self.names())
        self.client.delete(stack)

        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.names())

    def test_twice_it_is_cancelled_once(self) -> None:
        self.world.order(self.name, "create", "a", moment="after")
        stack = self.client.create(self.name, self.chain())
        self.wait_for("held-create-after", "a")

        self.act(stack, "cancel_without_rollback")
        self.act(stack, "cancel_without_rollback")
        self.world.release(self.name)
        self.client.wait(stack, "CREATE_FAILED")

        told = [
            each
            for each in self.client.events(stack)
            if each["resource_name"] == self.name
        ]
        self.assertEqual(2, len(told))

    def test_what_waits_for_a_worker_ends_too(self) -> None:
        stack = self.under_way()
        # It begins only when the first one, in a call, has ended.
        self.world.forgive(self.name)
        self.world.order(self.name, "update", "c", moment="before")
        self.wait_for("held-update-before", "c")
        self.update(stack, self.chain("newest"))

        self.act(stack, "cancel_without_rollback")
        self.world.release(self.name)
        shown = self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(
            "Stack UPDATE cancelled", shown["stack_status_reason"]
        )
        self.assertNotIn("newest", self.labels().values())

    def test_what_is_blocked_ends_at_once(self) -> None:
        self.world.order(
            self.name, "create", "b", how="quota", moment="before"
        )
        stack = self.client.create(self.name, self.chain())
        limit = time.monotonic() + 10
        while self.states(stack) != ["BLOCKED"]:
            self.assertLess(time.monotonic(), limit, "it is not blocked")
            time.sleep(0.02)

        self.act(stack, "cancel_without_rollback")
        shown = self.client.wait(stack, "CREATE_FAILED", timeout_s=5)

        self.assertEqual(
            "Stack CREATE cancelled", shown["stack_status_reason"]
        )
        self.assertEqual(["a"], self.names())

    def states(self, stack: rest.Stack) -> list[object]:
        """Return the states of the stack's operations."""
        found = self.client.get(f"{stack.path}/operations", "operations")
        assert isinstance(found, list)
        return [each["state"] for each in found]

    def test_a_newer_request_comes_before(self) -> None:
        self.world.order(self.name, "create", "a", moment="after")
        stack = self.client.create(self.name, self.chain("old"))
        self.wait_for("held-create-after", "a")
        self.act(stack, "cancel_without_rollback")

        self.update(stack, self.chain("new"))
        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "new"), self.labels())

    def test_what_has_ended_cannot_be_cancelled(self) -> None:
        stack = self.create()
        for action in ("cancel_update", "cancel_without_rollback"):
            refused = self.refused(self.act, stack, action)
            self.assertEqual((400, "NotSupported"), refused)


class MarkUnhealthyTests(ActionsTestCase):
    def test_what_is_marked_is_replaced_by_the_next_update(self) -> None:
        stack = self.create()
        before = self.client.resources(stack)["b"]["physical_resource_id"]

        self.mark(
            stack, "b", mark_unhealthy=True, resource_status_reason="mouldy"
        )

        row = self.client.resources(stack)["b"]
        self.assertEqual("CHECK_FAILED", row["resource_status"])
        self.assertEqual("mouldy", row["resource_status_reason"])
        self.assertEqual(
            "CREATE_COMPLETE", self.client.show(stack)["stack_status"]
        )
        newest = self.client.events(stack)[-1]
        self.assertEqual(
            ("b", "CHECK_FAILED", "mouldy"),
            (
                newest["resource_name"],
                newest["resource_status"],
                newest["resource_status_reason"],
            ),
        )
        self.update(stack, self.chain())
        self.client.wait(stack, "UPDATE_COMPLETE")
        row = self.client.resources(stack)["b"]
        self.assertNotEqual(before, row["physical_resource_id"])
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual(["a", "b", "c", "b"], self.acts("made"))

    def test_it_is_taken_back(self) -> None:
        stack = self.create()
        self.mark(stack, "b", mark_unhealthy="true")

        self.mark(stack, "b", mark_unhealthy="False")

        self.assertEqual("CHECK_COMPLETE", self.statuses(stack)["b"])
        self.assertEqual(
            ["CHECK_FAILED", "CHECK_COMPLETE"],
            [status for _, status in self.told(stack, "CREATE_COMPLETE")],
        )
        self.update(stack, self.chain())
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(3, len(self.acts("made")))

    def test_the_physical_id_names_it_too(self) -> None:
        stack = self.create()
        thing_id = self.client.resources(stack)["c"]["physical_resource_id"]

        self.mark(stack, str(thing_id), mark_unhealthy=True)

        self.assertEqual("CHECK_FAILED", self.statuses(stack)["c"])

    def test_what_changes_nothing_is_not_told(self) -> None:
        stack = self.create()
        self.mark(stack, "a", mark_unhealthy=False)
        self.mark(stack, "b", mark_unhealthy=True)

        self.mark(
            stack, "b", mark_unhealthy=True, resource_status_reason="still"
        )

        self.assertEqual(
            [("b", "CHECK_FAILED")], self.told(stack, "CREATE_COMPLETE")
        )
        row = self.client.resources(stack)["b"]
        self.assertEqual("still", row["resource_status_reason"])
        self.assertEqual("CREATE_COMPLETE", self.statuses(stack)["a"])

    def test_what_was_never_made_cannot_be_declared_well(self) -> None:
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before"
        )
        stack = self.client.create(self.name, self.chain())
        self.client.wait(stack, "CREATE_FAILED")

        for name in "bc":
            self.mark(stack, name, mark_unhealthy=True)
            self.mark(stack, name, mark_unhealthy=False)

        found = self.statuses(stack)
        self.assertEqual("CREATE_FAILED", found["b"])
        self.assertEqual("INIT_COMPLETE", found["c"])

    def test_while_the_stack_changes_it_is_refused(self) -> None:
        stack = self.create()
        self.world.order(self.name, "suspend", "c")
        self.act(stack, "suspend")
        self.wait_for("suspend", "c")

        refused = self.refused(self.mark, stack, "a", mark_unhealthy=True)

        self.assertEqual((409, "ActionInProgress"), refused)

    def test_what_the_stack_does_not_have_is_not_found(self) -> None:
        stack = self.create()

        refused = self.refused(self.mark, stack, "nope", mark_unhealthy=True)

        self.assertEqual((404, "ResourceNotFound"), refused)

    def test_other_bodies_are_refused(self) -> None:
        stack = self.create()
        bodies: tuple[Json, ...] = (
            {},
            {"mark_unhealthy": "yes"},
            {"mark_unhealthy": 1},
            {"mark_unhealthy": None},
            {"mark_unhealthy": True, "x": 1},
            {"resource_status_reason": "x"},
            {"mark_unhealthy": True, "resource_status_reason": 5},
        )
        for body in bodies:
            refused = self.refused(self.mark, stack, "a", **body)
            self.assertEqual((400, "HTTPBadRequest"), refused)
        self.assertEqual("CREATE_COMPLETE", self.statuses(stack)["a"])
