"""Snapshots of stacks: through REST, on ``orch-all``, and looked up in the
world that the plug-in acts on. Going back to them is in ``test_restore``.
"""

import typing
from concurrent import futures

from tests.functional import acting
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource
template = world_templates.template

_UNKNOWN = "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"


class SnapshotsTestCase(acting.ActionsTestCase):
    """Snapshots of the stacks of a test."""

    def take(
        self, stack: rest.Stack, name: str = "first", **body: object
    ) -> Json:
        """Ask for a snapshot, and wait until it is taken."""
        begun = self.begin(stack, name=name, **body)
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        return begun

    def begin(self, stack: rest.Stack, **body: object) -> Json:
        found = self.client.ask("POST", f"{stack.path}/snapshots", body)
        return typing.cast(Json, found)

    def restore(self, stack: rest.Stack, taken: Json) -> None:
        path = f"{stack.path}/snapshots/{taken['id']}/restore"
        self.client.ask("POST", path)

    def retry(self, stack: rest.Stack, taken: Json) -> None:
        path = f"{stack.path}/snapshots/{taken['id']}/restore"
        self.client.ask("POST", path, {"retry": True})

    def listed(self, stack: rest.Stack) -> list[Json]:
        found = self.client.ask("GET", f"{stack.path}/snapshots")
        return typing.cast(dict[str, list[Json]], found)["snapshots"]

    def shown(self, stack: rest.Stack, taken: Json) -> Json:
        path = f"{stack.path}/snapshots/{taken['id']}"
        found = self.client.ask("GET", path)
        return typing.cast(dict[str, Json], found)["snapshot"]

    def remove(self, stack: rest.Stack, taken: Json) -> None:
        path = f"{stack.path}/snapshots/{taken['id']}"
        self.client.ask("DELETE", path)

    def fail(  # type: ignore[override]
        self, act: str, name: str, moment: str = "before"
    ) -> None:
        self.world.order(
            self.name, act, name, how="permanent", moment=moment, times=1
        )


class TakeTests(SnapshotsTestCase):
    def test_it_is_shown_from_its_beginning_to_its_end(self) -> None:
        stack = self.create("old", tags="x,y")
        self.world.order(self.name, "snapshot", "b")

        begun = self.begin(stack, name="first")
        self.wait_for_act("held-snapshot-watch", "b")
        meanwhile = self.shown(stack, begun)
        self.world.forgive(self.name)
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        taken = self.shown(stack, begun)

        self.assertEqual("IN_PROGRESS", begun["status"])
        self.assertEqual(
            ("IN_PROGRESS", None),
            (meanwhile["status"], meanwhile["status_reason"]),
        )
        self.assertEqual(
            ("first", "CREATE", "COMPLETE"),
            (taken["name"], taken["action"], taken["status"]),
        )
        self.assertEqual(
            "Stack SNAPSHOT completed successfully", taken["status_reason"]
        )
        self.assertEqual([taken], self.listed(stack))
        self.assertIn(begun["id"], self.world.snapshots())

    def test_its_data_are_the_stack_of_that_time(self) -> None:
        stack = self.create("old", tags="x,y", files={"f": "text"})
        taken = self.take(stack)
        self.update(stack, template(), files={})
        self.client.wait(stack, "UPDATE_COMPLETE")

        data = typing.cast(Json, self.shown(stack, taken)["data"])

        resources = typing.cast(dict[str, Json], data.pop("resources"))
        self.assertEqual(world_templates.chain("old"), data.pop("template"))
        environment = typing.cast(Json, data.pop("environment"))
        self.assertEqual({}, environment["parameters"])
        self.assertEqual(
            {
                "name": self.name,
                "id": stack.id,
                "action": "SNAPSHOT",
                "status": "COMPLETE",
                "files": {"f": "text"},
                "tags": ["x", "y"],
                "project_id": "default",
                "stack_user_project_id": None,
            },
            {**data, "project_id": "default"},
        )
        self.assertEqual({"a", "b", "c"}, set(resources))
        entry = resources["a"]
        self.assertTrue(str(entry.pop("resource_id")).startswith("thing-"))
        self.assertEqual(
            {
                "name": "a",
                "type": "Test::World::Thing",
                "action": "SNAPSHOT",
                "status": "COMPLETE",
                "metadata": {},
                "resource_data": {"id": taken["id"], "label": "old"},
            },
            entry,
        )

    def test_its_story_is_told(self) -> None:
        stack = self.created(template(a=declare_resource()))

        self.take(stack)

        self.assertEqual(
            [
                (self.name, "SNAPSHOT_IN_PROGRESS"),
                ("a", "SNAPSHOT_IN_PROGRESS"),
                ("a", "SNAPSHOT_COMPLETE"),
                (self.name, "SNAPSHOT_COMPLETE"),
            ],
            self.events_after(stack, "CREATE_COMPLETE"),
        )

    def test_hidden_parameters_are_covered(self) -> None:
        wanted = template(a=declare_resource(label={"get_param": "word"}))
        wanted["parameters"] = {"word": {"type": "string", "hidden": True}}
        stack = self.created(wanted, parameters={"word": "secretword"})

        taken = self.take(stack)

        self.assertNotIn("secretword", str(taken))
        self.assertNotIn("secretword", str(self.shown(stack, taken)))
        self.assertNotIn("secretword", str(self.listed(stack)))
        data = typing.cast(dict[str, Json], self.shown(stack, taken)["data"])
        self.assertEqual({"word": "******"}, data["environment"]["parameters"])

    def test_a_failed_one_tells_why_and_is_retried(self) -> None:
        stack = self.create()
        self.fail("snapshot", "b")

        begun = self.begin(stack, name="first")
        self.client.wait(stack, "SNAPSHOT_FAILED")
        failed = self.shown(stack, begun)
        again = self.begin(stack, retry=True)
        self.client.wait(stack, "SNAPSHOT_COMPLETE")

        self.assertEqual("FAILED", failed["status"])
        self.assertIn("resources.b", str(failed["status_reason"]))
        self.assertEqual(begun["id"], again["id"])
        self.assertEqual("IN_PROGRESS", again["status"])
        self.assertEqual("COMPLETE", self.shown(stack, begun)["status"])
        self.assertEqual(["a", "b", "b", "c"], sorted(self.acts("snapshot")))

    def test_one_that_was_deleted_is_not_gone_on_with(self) -> None:
        stack = self.create()
        self.fail("snapshot", "b")
        begun = self.begin(stack, name="first")
        self.client.wait(stack, "SNAPSHOT_FAILED")
        self.remove(stack, begun)

        refused = self.refused(self.client.retry, stack)

        self.assertEqual((409, "HTTPConflict"), refused)
        self.assertNotIn(begun["id"], self.world.snapshots())

    def test_a_failed_one_is_not_restored_but_leaves_nothing(self) -> None:
        stack = self.create()
        self.fail("snapshot", "b", "watch")
        begun = self.begin(stack, name="first")
        self.client.wait(stack, "SNAPSHOT_FAILED")
        self.assertIn(begun["id"], self.world.snapshots())

        refused = self.refused(self.restore, stack, begun)
        self.remove(stack, begun)

        self.assertEqual((409, "HTTPConflict"), refused)
        self.assertNotIn(begun["id"], self.world.snapshots())

    def test_it_cuts_nothing_short(self) -> None:
        stack = self.create()
        self.world.order(self.name, "snapshot", "a")
        begun = self.begin(stack, name="first")

        self.assertEqual(
            (409, "ActionInProgress"), self.refused(self.begin, stack)
        )
        self.assertEqual(
            (400, "NotSupported"), self.refused(self.remove, stack, begun)
        )

    def test_an_update_cuts_it_short(self) -> None:
        stack = self.create("old")
        self.world.order(self.name, "snapshot", "a")
        begun = self.begin(stack, name="first")
        self.wait_for_act("held-snapshot-watch", "a")

        self.update(stack, world_templates.chain("new"))
        self.world.forgive(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual("FAILED", self.shown(stack, begun)["status"])
        self.remove(stack, begun)
        self.assertNotIn(begun["id"], self.world.snapshots())

    def test_names_may_be_missing_and_bodies_may_not(self) -> None:
        stack = self.created(template())

        self.assertIsNone(self.take(stack, None)["name"])  # type: ignore
        self.assertEqual("5", self.take(stack, 5)["name"])  # type: ignore
        path = f"{stack.path}/snapshots"
        for body in (None, {"name": []}, {"name": "x" * 256}):
            self.assertEqual(
                400, self.refused(self.client.ask, "POST", path, body)[0]
            )

    def test_a_stack_has_no_more_than_are_allowed(self) -> None:
        stack = self.created(template())
        for _ in range(32):
            self.take(stack)

        self.assertEqual(
            (400, "RequestLimitExceeded"), self.refused(self.begin, stack)
        )
        self.assertEqual(32, len(self.listed(stack)))


class FindTests(SnapshotsTestCase):
    def test_one_that_is_not_there_is_not_found(self) -> None:
        stack = self.created(template())

        for missing in (_UNKNOWN, "nosuch"):
            for act in (self.shown, self.remove, self.restore):
                self.assertEqual(
                    (404, "NotFound"),
                    self.refused(act, stack, {"id": missing}),
                )

    def test_one_of_another_stack_is_not_found(self) -> None:
        stack = self.created(template())
        taken = self.take(stack)
        self.name += "b"
        other = self.created(template())

        for act in (self.shown, self.remove, self.restore):
            self.assertEqual(
                (404, "SnapshotNotFound"), self.refused(act, other, taken)
            )

    def test_a_name_alone_finds_no_snapshots(self) -> None:
        self.created(template())

        self.assertEqual(
            404,
            self.refused(
                self.client.ask, "GET", f"/stacks/{self.name}/snapshots"
            )[0],
        )


class DeleteTests(SnapshotsTestCase):
    def test_nothing_of_it_is_left_and_the_stack_stays_as_it_is(self) -> None:
        stack = self.create()
        first, second = self.take(stack), self.take(stack, "second")

        self.remove(stack, first)

        self.assertEqual(
            [second["id"]], [each["id"] for each in self.listed(stack)]
        )
        self.assertNotIn(first["id"], self.world.snapshots())
        self.assertIn(second["id"], self.world.snapshots())
        self.assertEqual(
            "SNAPSHOT_COMPLETE", self.client.show(stack)["stack_status"]
        )
        self.assertEqual(
            (404, "NotFound"), self.refused(self.remove, stack, first)
        )

    def test_its_things_may_be_gone_already(self) -> None:
        stack = self.create()
        taken = self.take(stack)
        self.update(stack, template())
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.remove(stack, taken)

        self.assertNotIn(taken["id"], self.world.snapshots())

    def test_a_failed_deletion_is_repeated(self) -> None:
        stack = self.create()
        taken = self.take(stack)
        self.fail("delete_snapshot", "b")

        refused = self.refused(self.remove, stack, taken)
        half = self.shown(stack, taken)
        restored = self.refused(self.restore, stack, taken)
        self.remove(stack, taken)

        self.assertEqual(503, refused[0])
        self.assertEqual("FAILED", half["status"])
        self.assertEqual(409, restored[0])
        self.assertEqual([], self.listed(stack))
        self.assertNotIn(taken["id"], self.world.snapshots())

    def test_whoever_asks_meanwhile_waits_for_the_same_deletion(self) -> None:
        stack = self.create()
        taken = self.take(stack)
        self.world.order(self.name, "delete_snapshot", "b", moment="before")

        with futures.ThreadPoolExecutor(2) as pool:
            first = pool.submit(self.remove, stack, taken)
            self.wait_for_act("held-delete_snapshot-before", "b")
            second = pool.submit(self.remove, stack, taken)
            waiting.wait_for(second.running, "the second request")
            self.world.forgive(self.name)
            first.result()
            # It may have come when nothing was left.
            self.assertIn(
                getattr(second.exception(), "status", None), (None, 404)
            )

        self.assertEqual(["a", "b", "c"], sorted(self.acts("delete_snapshot")))
        self.assertEqual([], self.listed(stack))

    def test_the_snapshots_go_with_the_stack(self) -> None:
        stack = self.create()
        taken = [self.take(stack), self.take(stack, "second")]

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.listed(stack))
        left = set(self.world.snapshots())
        self.assertEqual(set(), left & {each["id"] for each in taken})

    def test_a_stack_that_cannot_forget_one_says_so_and_goes_on(self) -> None:
        stack = self.create()
        taken = self.take(stack)
        self.fail("delete_snapshot", "b")

        self.client.delete(stack)
        shown = self.client.wait(stack, "DELETE_FAILED")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertIn(str(taken["id"]), str(shown["stack_status_reason"]))
        self.assertNotIn(taken["id"], self.world.snapshots())


class PolicyTests(SnapshotsTestCase):
    """``deletion_policy: Snapshot``."""

    def with_snapshot(self, label: str = "old", *needed: str) -> Json:
        declared = declare_resource(*needed, label=label)
        declared["deletion_policy"] = "Snapshot"
        return declared

    def test_the_thing_is_stored_before_it_is_removed(self) -> None:
        stack = self.created(
            template(a=self.with_snapshot(), b=declare_resource("a"))
        )
        token = self.world.physical_resources(self.name)[0].token

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        calls = [
            (each.act, each.name)
            for each in self.world.calls(self.name)
            if each.act in ("snapshot", "delete")
        ]
        self.assertEqual(
            [("delete", "b"), ("snapshot", "a"), ("delete", "a")], calls
        )
        self.assertIn(token, self.world.snapshots())
        reasons = [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
            if each["resource_status"] == "SNAPSHOT_COMPLETE"
        ]
        self.assertEqual(1, len(reasons))
        self.assertIn(token, reasons[0])

    def test_an_update_stores_what_it_removes_and_replaces(self) -> None:
        stack = self.created(
            template(a=self.with_snapshot(), b=self.with_snapshot())
        )
        tokens = {
            each.token for each in self.world.physical_resources(self.name)
        }
        other = self.with_snapshot()
        typing.cast(Json, other["properties"])["value"] = "other"

        self.update(stack, template(a=other))
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"a"}, set(self.names()))
        self.assertEqual(tokens, tokens.intersection(self.world.snapshots()))

    def test_only_what_turns_out_to_be_replaced_is_stored(self) -> None:
        for attribute, stored in (("value", []), ("label", ["k"])):
            self.name += attribute[0]
            dependent = self.with_snapshot()
            properties = typing.cast(Json, dependent["properties"])
            properties["value"] = {"get_attr": ["a", attribute]}
            stack = self.created(
                template(a=declare_resource(label="old"), k=dependent)
            )

            self.update(
                stack, template(a=declare_resource(label="new"), k=dependent)
            )
            self.client.wait(stack, "UPDATE_COMPLETE")

            self.assertEqual(stored, self.acts("snapshot"), attribute)
            self.assertEqual(stored, self.acts("delete"), attribute)

    def test_a_rollback_stores_what_it_removes(self) -> None:
        stack = self.created(template(), disable_rollback=False)
        self.fail("create", "b", "watch")

        self.update(
            stack, template(a=self.with_snapshot(), b=declare_resource("a"))
        )
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(["a"], self.acts("snapshot"))
        self.assertEqual([], self.names())

    def test_what_was_never_made_is_not_stored(self) -> None:
        self.fail("create", "a", "watch")
        stack = self.client.create(self.name, template(a=self.with_snapshot()))
        self.client.wait(stack, "CREATE_FAILED")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.acts("snapshot"))
        self.assertEqual([], self.names())

    def test_a_thing_that_cannot_be_stored_stays(self) -> None:
        stack = self.created(template(a=self.with_snapshot()))
        self.fail("snapshot", "a")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        self.assertEqual(["a"], self.names())
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.names())
        self.assertEqual(["a", "a"], self.acts("snapshot"))

    def test_a_failed_removal_stores_nothing_twice(self) -> None:
        stack = self.created(template(a=self.with_snapshot()))
        self.fail("delete", "a", "after")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        self.act(stack, "retry", {})
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(["a"], self.acts("snapshot"))

    def test_a_type_that_stores_nothing_refuses_it(self) -> None:
        declared = {
            "type": "OS::Heat::RandomString",
            "deletion_policy": "Snapshot",
        }

        self.assertEqual(
            (400, "StackValidationFailed"),
            self.refused(self.client.create, self.name, template(a=declared)),
        )
