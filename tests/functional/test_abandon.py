"""Export and abandon: through REST, on ``orch-all``, with the world beside."""

import json
import time
import typing

import requests

from tests.functional import adopting
from tests.support import installations
from tests.support import rest
from tests.support import running

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template


class ExportTests(adopting.AdoptingTestCase):
    def test_a7_an_export_has_no_effect(self) -> None:
        stack = self.created(self.chain(), files={"f": "text"}, tags="x,y")
        before = self.mark()

        document = self.export(stack)

        entries = typing.cast(dict[str, Json], document.pop("resources"))
        environment = typing.cast(Json, document.pop("environment"))
        self.assertEqual({}, environment["parameters"])
        self.assertEqual(43, len(str(document.pop("announcement_key"))))
        self.assertEqual(
            {
                "document_format": 1,
                "name": self.name,
                "id": stack.id,
                "action": "CREATE",
                "status": "COMPLETE",
                "template": self.chain(),
                "files": {"f": "text"},
                "tags": ["x", "y"],
                "project_id": "demo",
                "stack_user_project_id": None,
            },
            document,
        )
        self.assertEqual(
            self.ids(self.here, stack),
            {name: each["resource_id"] for name, each in entries.items()},
        )
        made_at = entries["a"].pop("created_at")
        assert isinstance(made_at, float)
        self.assertLess(abs(time.time() - made_at), self.limit_s)
        self.assertEqual(
            {
                "name": "a",
                "resource_id": entries["a"]["resource_id"],
                "type": "Test::World::Thing",
                "action": "CREATE",
                "status": "COMPLETE",
                "metadata": {},
                "resource_data": {},
            },
            entries["a"],
        )
        self.assertEqual([], self.writes(before))
        shown = self.here.show(stack)
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])

    def test_a7_it_can_be_had_while_the_stack_is_used(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.here.create(self.name, self.chain())
        self.wait_for("held-create-watch", "b")

        document = self.export(stack)
        self.world.release(self.name)
        self.here.wait(stack, "CREATE_COMPLETE")

        self.assertEqual("IN_PROGRESS", document["status"])

    def test_a7_export_and_abandon_give_the_same(self) -> None:
        stack = self.created(self.chain())

        exported = self.export(stack)
        abandoned = self.abandon(stack)

        self.assertEqual(exported, abandoned)

    def test_hidden_parameters_are_in_clear_text(self) -> None:
        wanted = template(a=declare_resource(label={"get_param": "word"}))
        wanted["parameters"] = {"word": {"type": "string", "hidden": True}}
        stack = self.created(wanted, parameters={"word": "secretword"})

        environment = typing.cast(Json, self.export(stack)["environment"])

        self.assertEqual({"word": "secretword"}, environment["parameters"])

    def test_a_g10_types_are_those_that_clients_expect(self) -> None:
        document = self.export(self.created(self.chain(), files={"f": "t"}))

        files = typing.cast(Json, document["files"])
        self.assertEqual({"f": "t"}, files)
        self.assertEqual([], document["tags"])
        self.assertIsInstance(document["template"], dict)


class AbandonTests(adopting.AdoptingTestCase):
    def test_a6_the_record_goes_and_all_things_stay(self) -> None:
        stack = self.created(self.chain())
        before, ids = self.mark(), self.ids(self.here, stack)

        document = self.abandon(stack)
        self.wait_gone(stack)

        entries = typing.cast(dict[str, Json], document["resources"])
        self.assertEqual(
            ids, {name: each["resource_id"] for name, each in entries.items()}
        )
        self.assertEqual([], self.writes(before))
        self.assertEqual(["a", "b", "c"], self.existing_names())
        again = self.here.create(self.name, template())
        self.here.wait(again, "CREATE_COMPLETE")

    def test_a6_it_is_told_as_a_deletion(self) -> None:
        stack = self.created(template(a=declare_resource()))

        self.abandon(stack)
        self.wait_gone(stack)

        told = [
            (each["resource_name"], each["resource_status"])
            for each in self.here.events(stack)
        ]
        self.assertEqual(
            [
                (self.name, "DELETE_IN_PROGRESS"),
                ("a", "DELETE_IN_PROGRESS"),
                ("a", "DELETE_COMPLETE"),
                (self.name, "DELETE_COMPLETE"),
            ],
            told[-4:],
        )

    def test_a6_what_the_policy_keeps_a_snapshot_of_has_none(self) -> None:
        declared = {**declare_resource(), "deletion_policy": "Snapshot"}
        stack = self.created(template(a=declared))
        self.here.ask("POST", f"{stack.path}/snapshots", {"name": "s"})
        self.here.wait(stack, "SNAPSHOT_COMPLETE")
        kept, before = self.world.snapshots(self.name), self.mark()

        self.abandon(stack)
        self.wait_gone(stack)

        self.assertEqual(kept, self.world.snapshots(self.name))
        self.assertEqual(
            [], [each.act for each in self.world.calls(self.name, before)]
        )

    def test_a_g2_what_signals_need_of_the_things_stays(self) -> None:
        """Nothing is removed that a thing which stands on may refer to."""
        stack = self.created(
            template(a=declare_resource(), b=declare_resource("a"))
        )
        before = self.mark()

        self.abandon(stack)
        self.wait_gone(stack)

        self.assertEqual(
            [], [each.act for each in self.world.calls(self.name, before)]
        )

    def test_a_g3_what_runs_is_stopped_first(self) -> None:
        """What it made in between is in the document."""
        self.world.order(self.name, "create", "a", moment="after")
        stack = self.here.create(self.name, self.chain())
        self.wait_for("held-create-after", "a")

        refused = self.refused(self.abandon, stack)
        self.world.release(self.name)
        self.here.wait(stack, "CREATE_FAILED")
        document = self.abandon(stack)

        self.assertEqual((409, "ActionInProgress"), refused)
        entries = typing.cast(dict[str, Json], document["resources"])
        (made,) = self.world.physical_resources(self.name)
        self.assertEqual(
            {"a": made.id, "b": None, "c": None},
            {name: each["resource_id"] for name, each in entries.items()},
        )
        self.wait_gone(stack)
        self.assertEqual(["a"], self.existing_names())

    def test_a_g3_the_document_can_be_fetched_again(self) -> None:
        stack = self.created(self.chain())
        path = f"{stack.path}/abandon"
        early = self.refused(self.ask, self.here, "GET", path)

        first = self.abandon(stack)
        self.wait_gone(stack)

        self.assertEqual((404, "EntityNotFound"), early)
        self.assertEqual(first, self.ask(self.here, "GET", path))
        self.assertEqual(first, self.abandon(stack))

    def test_a_g3_it_is_not_shown_to_others(self) -> None:
        stack = self.created(self.chain())
        self.abandon(stack)
        address = self.here.endpoint.replace("demo", "other")

        answer = requests.get(
            f"{address}{stack.path}/abandon",
            headers={"X-Roles": "member"},
            timeout=30,
        )

        self.assertEqual(404, answer.status_code)
        self.assertNotIn("thing-", answer.text)

    def test_a_g3_in_two_steps(self) -> None:
        stack = self.created(self.chain())
        path = f"{stack.path}/abandon"

        prepared = typing.cast(
            Json,
            self.ask(self.here, "POST", path, {"prepare": None})[
                "abandonment"
            ],
        )
        shown = self.here.show(stack)
        committed = typing.cast(
            Json,
            self.ask(self.here, "POST", path, {"commit": prepared["token"]})[
                "abandonment"
            ],
        )
        self.wait_gone(stack)

        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])
        self.assertEqual(prepared, committed)
        self.assertEqual(
            prepared["document"], self.ask(self.here, "GET", path)
        )
        self.assertEqual(["a", "b", "c"], self.existing_names())

    def test_a_g3_a_stack_that_moved_on_is_prepared_again(self) -> None:
        stack = self.created(template(a=declare_resource()))
        path = f"{stack.path}/abandon"
        prepared = typing.cast(
            Json,
            self.ask(self.here, "POST", path, {"prepare": None})[
                "abandonment"
            ],
        )
        wanted = template(a=declare_resource(), b=declare_resource())
        self.here.ask("PUT", stack.path, {"template": wanted})
        self.here.wait(stack, "UPDATE_COMPLETE")

        refused = self.refused(
            self.ask, self.here, "POST", path, {"commit": prepared["token"]}
        )
        unknown = self.refused(
            self.ask, self.here, "POST", path, {"commit": stack.id}
        )
        wrong = self.refused(self.ask, self.here, "POST", path, {"go": None})

        self.assertEqual((409, "HTTPConflict"), refused)
        self.assertEqual((404, "EntityNotFound"), unknown)
        self.assertEqual(400, wrong[0])
        shown = self.here.show(stack)
        self.assertEqual("UPDATE_COMPLETE", shown["stack_status"])

    def test_a_delete_after_it_deletes_nothing(self) -> None:
        stack = self.created(template(a=declare_resource()))
        self.abandon(stack)

        self.here.delete(stack)
        self.wait_gone(stack)

        self.assertEqual(["a"], self.existing_names())

    def test_a_deletion_under_way_is_stopped(self) -> None:
        stack = self.created(
            template(a=declare_resource(), b=declare_resource("a"))
        )
        self.world.order(
            self.name, "delete", "b", how="permanent", moment="before"
        )
        self.here.delete(stack)
        self.here.wait(stack, "DELETE_FAILED")

        document = self.abandon(stack)
        self.wait_gone(stack)

        entries = typing.cast(dict[str, Json], document["resources"])
        self.assertEqual({"a", "b"}, set(entries))
        self.assertEqual(["a", "b"], self.existing_names())

    def test_what_was_replaced_and_stands_is_told(self) -> None:
        stack = self.created(template(a=declare_resource(value="1")))
        old = self.ids(self.here, stack)["a"]
        self.world.order(
            self.name, "delete", "a", how="permanent", moment="before"
        )
        wanted = template(a=declare_resource(value="2"))
        self.here.ask("PUT", stack.path, {"template": wanted})
        self.here.wait(stack, "UPDATE_FAILED")

        document = self.abandon(stack)

        left = typing.cast(list[Json], document["leftovers"])
        self.assertEqual([old], [each["resource_id"] for each in left])
        self.wait_gone(stack)
        self.assertEqual(["a", "a"], self.existing_names())

    def test_an_unknown_stack_is_not_found(self) -> None:
        nothing = rest.Stack("no", "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11")

        for ask in (self.abandon, self.export):
            self.assertEqual(
                (404, "EntityNotFound"), self.refused(ask, nothing)
            )


class SwitchTests(adopting.AdoptingTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.off = cls.use(
            running.Embedded(
                {
                    **installations.OPTIONS,
                    "DEFAULT": {
                        "enable_stack_adopt": False,
                        "enable_stack_abandon": False,
                    },
                },
                cls.world.environment,
            )
        ).system.client

    def test_a11_what_is_off_is_refused(self) -> None:
        stack = self.off.create(self.name, template())
        self.off.wait(stack, "CREATE_COMPLETE")
        document = {"template": template()}

        for method, path, body in (
            ("GET", f"{stack.path}/export", None),
            ("DELETE", f"{stack.path}/abandon", None),
            ("GET", f"{stack.path}/abandon", None),
            ("POST", f"{stack.path}/abandon", {"prepare": None}),
            (
                "POST",
                "/stacks",
                {
                    "stack_name": "n",
                    "adopt_stack_data": json.dumps(document),
                },
            ),
        ):
            refused = self.refused(self.ask, self.off, method, path, body)
            self.assertEqual((400, "NotSupported"), refused, path)
        shown = self.off.show(stack)
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])
