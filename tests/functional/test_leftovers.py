"""What stacks leave in place is listed, and can be removed or forgotten."""

import typing
import urllib.parse

from orch import ids
from tests.support import failing
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource
template = world_templates.template
chain = world_templates.chain

_EVER = 99


class LeftoverTestCase(failing.RetryTestCase):
    """Stacks that leave physical resources in place.

    Each test has a project of its own: what is left is listed by project.
    """

    def setUp(self) -> None:
        super().setUp()
        versioned = self.system.endpoint.rpartition("/")[0]
        self.client = rest.Client(f"{versioned}/{self.name}")
        self.addCleanup(self.client.close)

    def leftovers(self, **query: str) -> list[Json]:
        text = urllib.parse.urlencode(query)
        found = self.client.get(f"/leftovers?{text}", "leftovers")
        return typing.cast(list[Json], found)

    def deleted(self, how: str = "orphan") -> rest.Stack:
        """Return a stack whose deletion has left b in place."""
        stack = self.create()
        self.fail("delete", "b", times=_EVER)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        self.retry(stack, **{how: ["b"]})
        self.client.wait(stack, "DELETE_COMPLETE")
        return stack

    def sweep(self, left: Json) -> rest.Stack:
        """Ask for a sweep; return the stack that does it."""
        answer = self.client.ask("POST", f"/leftovers/{left['id']}/sweep", {})
        found = typing.cast(Json, answer)["leftover"]
        return self.swept_by(typing.cast(Json, found))

    def swept_by(self, left: Json) -> rest.Stack:
        sweep = typing.cast(Json, left["sweep"])
        return rest.Stack(str(sweep["stack_name"]), str(sweep["stack_id"]))


class ListTests(LeftoverTestCase):
    def test_an_orphan_of_a_deletion_outlives_its_stack(self) -> None:
        stack = self.deleted()

        (left,) = self.leftovers()

        (thing,) = self.world.physical_resources(self.name)
        self.assertEqual(
            {
                "stack_name": self.name,
                "stack_id": stack.id,
                "path": "b",
                "resource_name": "b",
                "resource_type": "Test::World::Thing",
                "physical_resource_id": thing.id,
                "is_outcome_unknown": False,
                "cause": "orphaned",
                "sweep": None,
            },
            {
                key: value
                for key, value in left.items()
                if key
                not in ("id", "links", "reason", "creation_time", "left_at")
            },
        )
        self.assertIn("resources.b", str(left["reason"]))
        shown = self.client.get(f"/leftovers/{left['id']}", "leftover")
        self.assertEqual(left, shown)

    def test_what_a_deletion_skips_is_left(self) -> None:
        self.deleted("skip")

        self.assertEqual(["skipped"], [x["cause"] for x in self.leftovers()])

    def test_an_orphan_of_an_update_is_left(self) -> None:
        stack = self.create()
        self.fail("update", "b", times=_EVER)
        self.update(stack, chain("new"))
        self.client.wait(stack, "UPDATE_FAILED")
        b = self.client.resources(stack)["b"]

        self.retry(stack, orphan=["b"])
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            [b["physical_resource_id"]],
            [each["physical_resource_id"] for each in self.leftovers()],
        )

    def test_what_is_retained_or_was_never_made_is_not_left(self) -> None:
        retained = {**declare_resource("a"), "deletion_policy": "Retain"}
        self.fail("create", "c", times=_EVER)
        stack = self.client.create(
            self.name,
            template(
                a=declare_resource(), b=retained, c=declare_resource("b")
            ),
        )
        self.client.wait(stack, "CREATE_FAILED")
        self.retry(stack, orphan=["c"])
        self.client.wait(stack, "CREATE_FAILED")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(["b"], self.names())
        self.assertEqual([], self.leftovers())

    def test_an_unknown_outcome_that_is_orphaned_is_left(self) -> None:
        self.world.order(self.name, "create", "b", moment="after")
        stack = self.client.create(self.name, template(b=declare_resource()))
        self.wait_for_act("held-create-after", "b")
        self.system.server.kill()
        self.world.order(
            *(self.name, "find", "b"), how="permanent", moment="before"
        )
        self.world.release(self.name)
        self.system.start()
        self.client.wait(stack, "CREATE_FAILED")
        self.client.ask("DELETE", stack.path)
        self.client.wait(stack, "DELETE_FAILED")
        self.retry(stack, orphan=["b"])
        self.client.wait(stack, "DELETE_COMPLETE")

        (left,) = self.leftovers()

        self.assertEqual(
            ("", True),
            (left["physical_resource_id"], left["is_outcome_unknown"]),
        )
        self.world.forgive(self.name)
        sweeping = self.sweep(left)
        self.client.wait(sweeping, "DELETE_COMPLETE")
        self.assertEqual([], self.names())
        self.assertEqual([], self.leftovers())

    def test_filters_and_pages(self) -> None:
        stack = self.create(
            template(a=declare_resource(), b=declare_resource())
        )
        for name in "ab":
            self.fail("delete", name, times=_EVER)
        self.client.ask("DELETE", f"{stack.path}?keep_going=true")
        self.client.wait(stack, "DELETE_FAILED")
        self.retry(stack, orphan=["a", "b"])
        self.client.wait(stack, "DELETE_COMPLETE")

        both = self.leftovers()
        (first,) = self.leftovers(limit="1")
        (second,) = self.leftovers(limit="1", marker=str(first["id"]))

        self.assertEqual(both, [first, second])
        self.assertEqual({"a", "b"}, {each["path"] for each in both})
        kind = "Test::World::Thing"
        for query, count in (
            ({"stack": self.name}, 2),
            ({"stack": stack.id}, 2),
            ({"stack": "t"}, 0),
            ({"type": kind}, 2),
            ({"type": "OS::Heat::Value"}, 0),
            ({"since": "2020-01-01T00:00:00Z"}, 2),
            ({"since": "2199-01-01T00:00:00Z"}, 0),
            ({"marker": ids.new()}, 2),
        ):
            found = self.leftovers(**typing.cast(dict[str, str], query))
            self.assertEqual(count, len(found), query)
        for query in ({"since": "yesterday"}, {"sort": "x"}, {"limit": "x"}):
            status, _, _ = self.refusal(self.leftovers_of, query)
            self.assertEqual(400, status, query)

    def leftovers_of(self, query: dict[str, str]) -> list[Json]:
        return self.leftovers(**query)


class ShownTests(LeftoverTestCase):
    """The stack and its last event say what was left out."""

    def test_what_was_skipped(self) -> None:
        stack = self.create()
        self.fail("update", "b", times=_EVER)
        self.update(stack, chain("new"))
        self.client.wait(stack, "UPDATE_FAILED")
        self.assertEqual([], self.client.show(stack)["omitted"])

        self.retry(stack, skip=["b"])
        shown = self.client.wait(stack, "UPDATE_COMPLETE")

        (left,) = typing.cast(list[Json], shown["omitted"])
        b = self.client.resources(stack)["b"]
        self.assertEqual(
            ("b", "skipped", b["physical_resource_id"], None),
            (
                left["resource_name"],
                left["how"],
                left["physical_resource_id"],
                left["leftover_id"],
            ),
        )
        self.assertEqual(b["resource_status_reason"], left["reason"])
        self.world.forgive(self.name)
        self.client.ask("PATCH", stack.path, {})
        shown = self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual([], shown["omitted"])

    def test_what_a_deletion_orphans(self) -> None:
        stack = self.deleted()

        shown = self.client.show(stack)

        (left,) = self.leftovers()
        (out,) = typing.cast(list[Json], shown["omitted"])
        self.assertEqual(
            ("b", "orphaned", left["id"], left["physical_resource_id"]),
            (
                out["resource_name"],
                out["how"],
                out["leftover_id"],
                out["physical_resource_id"],
            ),
        )
        reason = str(shown["stack_status_reason"])
        self.assertIn("b", reason)
        self.assertIn("orch leftover list", reason)
        told = list(self.client.events(stack))[-1]
        self.assertEqual(reason, told["resource_status_reason"])


class SweepTests(LeftoverTestCase):
    def test_it_is_removed_and_gone_from_the_list(self) -> None:
        self.deleted()
        self.world.forgive(self.name)
        (left,) = self.leftovers()
        before = self.last_call()

        sweeping = self.sweep(left)
        self.client.wait(sweeping, "DELETE_COMPLETE")

        self.assertEqual([("delete", "b")], self.calls(before))
        self.assertEqual([], self.names())
        self.assertEqual([], self.leftovers())
        for method, path in (
            ("GET", f"/leftovers/{left['id']}"),
            ("DELETE", f"/leftovers/{left['id']}"),
            ("POST", f"/leftovers/{left['id']}/sweep"),
        ):
            status, _, _ = self.refusal(self.client.ask, method, path)
            self.assertEqual(404, status, method)

    def test_one_that_fails_says_why_and_is_tried_again(self) -> None:
        self.deleted()
        (left,) = self.leftovers()

        sweeping = self.sweep(left)
        self.client.wait(sweeping, "DELETE_FAILED")

        (shown,) = self.leftovers()
        sweep = typing.cast(Json, shown["sweep"])
        self.assertEqual("FAILED", sweep["status"])
        self.assertIn("resources.b", str(sweep["reason"]))
        self.world.forgive(self.name)
        self.assertEqual(sweeping, self.sweep(left))
        self.client.wait(sweeping, "DELETE_COMPLETE")
        self.assertEqual([], self.names())
        self.assertEqual([], self.leftovers())

    def test_a_second_request_finds_the_first(self) -> None:
        self.deleted()
        self.world.forgive(self.name)
        (left,) = self.leftovers()
        self.world.order(self.name, "delete", "b", moment="before")

        first = self.sweep(left)
        self.wait_for_act("held-delete-before", "b")
        second = self.sweep(left)
        refused = self.refusal(
            self.client.ask, "DELETE", f"/leftovers/{left['id']}"
        )
        self.world.release(self.name)
        self.client.wait(first, "DELETE_COMPLETE")

        self.assertEqual(first, second)
        self.assertEqual((409, "ActionInProgress"), refused[:2])
        self.assertEqual([], self.leftovers())

    def test_it_outlives_a_worker(self) -> None:
        self.deleted()
        self.world.forgive(self.name)
        (left,) = self.leftovers()
        self.world.order(self.name, "delete", "b", moment="before")

        sweeping = self.sweep(left)
        self.wait_for_act("held-delete-before", "b")
        self.system.server.kill()
        self.world.release(self.name)
        self.system.start()
        self.client.wait(sweeping, "DELETE_COMPLETE")

        self.assertEqual([], self.names())
        self.assertEqual([], self.leftovers())

    def test_a_new_stack_may_have_the_name_meanwhile(self) -> None:
        self.deleted()
        (left,) = self.leftovers()
        sweeping = self.sweep(left)
        self.client.wait(sweeping, "DELETE_FAILED")

        stack = self.client.create(self.name, template(a=declare_resource()))
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "b"], self.names())

    def test_what_a_stack_owns_by_now_is_not_removed(self) -> None:
        self.deleted()
        (left,) = self.leftovers()
        stack = self.adopt(left, value="other", adopt_verify="refuse")
        self.client.wait(stack, "ADOPT_FAILED")
        before = self.last_call()

        status, _, text = self.refusal(
            self.client.ask, "POST", f"/leftovers/{left['id']}/sweep"
        )

        self.assertEqual(409, status)
        self.assertIn("A stack owns", text)
        self.assertEqual([left], self.leftovers())
        self.assertEqual([], self.calls(before))

    def adopt(self, left: Json, value: str = "", **body: object) -> rest.Stack:
        physical_id = left["physical_resource_id"]
        document = {
            "template": template(b=declare_resource(value=value)),
            "resources": {"b": {"resource_id": physical_id}},
        }
        return self.client.create("t", None, adopt_stack_data=document, **body)

    def test_an_adopted_one_is_no_longer_left(self) -> None:
        self.deleted()
        (left,) = self.leftovers()

        stack = self.adopt(left)
        self.client.wait(stack, "ADOPT_COMPLETE")

        self.assertEqual([], self.leftovers())
        self.assertEqual(["b"], self.names())

    def test_one_that_is_given_up_is_left_once_more(self) -> None:
        self.deleted()
        (left,) = self.leftovers()
        sweeping = self.sweep(left)
        self.client.wait(sweeping, "DELETE_FAILED")

        self.retry(sweeping, orphan=["b"])
        self.client.wait(sweeping, "DELETE_COMPLETE")

        (again,) = self.leftovers()
        self.assertEqual(left["id"], again["id"])
        self.assertEqual(left["left_at"], again["left_at"])
        self.assertIsNone(again["sweep"])


class ForgetTests(LeftoverTestCase):
    def test_nothing_is_removed(self) -> None:
        self.deleted()
        (left,) = self.leftovers()
        before = self.last_call()

        self.client.ask("DELETE", f"/leftovers/{left['id']}")

        self.assertEqual([], self.leftovers())
        self.assertEqual([], self.calls(before))
        self.assertEqual(["b"], self.names())

    def test_the_stack_of_a_failed_sweep_is_abandoned(self) -> None:
        self.deleted()
        (left,) = self.leftovers()
        sweeping = self.sweep(left)
        self.client.wait(sweeping, "DELETE_FAILED")

        self.client.ask("DELETE", f"/leftovers/{left['id']}")
        self.client.wait(sweeping, "DELETE_COMPLETE")

        self.assertEqual([], self.leftovers())
        self.assertEqual(["b"], self.names())
