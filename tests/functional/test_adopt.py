"""Adoption: through REST, between two ``orch-all``, with the world beside."""

import json
import typing

import yaml

from tests.functional import adopting
from tests.support import rest

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template


def labelled(label: str = "") -> Json:
    """Return a template that a parameter decides upon."""
    wanted = template(a=declare_resource(label={"get_param": "word"}))
    wanted["parameters"] = {"word": {"type": "string", "default": label}}
    wanted["outputs"] = {"word": {"value": {"get_param": "word"}}}
    return wanted


class AdoptTests(adopting.AdoptingTestCase):
    def test_a1_nothing_is_made(self) -> None:
        ids = self.make_resources("a", "b")
        before = self.mark()

        stack = self.adopt(
            {
                "template": template(
                    a=declare_resource(), b=declare_resource("a")
                ),
                "resources": ids,
            }
        )

        self.assertEqual(ids, self.ids(self.there, stack))
        self.assertEqual([], self.writes(before))
        self.assertEqual(
            {"a": "ADOPT_COMPLETE", "b": "ADOPT_COMPLETE"},
            self.statuses(stack),
        )

    def test_a1_data_and_metadata_are_taken(self) -> None:
        ids = self.make_resources("a")
        declared = {**declare_resource(), "metadata": {"of": "template"}}
        entry = {
            "resource_id": ids["a"],
            "resource_data": {"key": "secret"},
            "metadata": {"of": "document"},
        }

        stack = self.adopt(
            {"template": template(a=declared), "resources": {"a": entry}}
        )

        path = f"{stack.path}/resources/a/metadata"
        self.assertEqual(
            {"metadata": {"of": "document"}},
            self.ask(self.there, "GET", path),
        )
        found = self.ask(self.there, "GET", f"{stack.path}/export")
        entries = typing.cast(dict[str, Json], found["resources"])
        self.assertEqual({"key": "secret"}, entries["a"]["resource_data"])

    def test_a1_its_story_is_told(self) -> None:
        ids = self.make_resources("a")

        stack = self.adopt(
            {"template": template(a=declare_resource()), "resources": ids}
        )

        self.assertEqual(
            [
                (self.name, "ADOPT_IN_PROGRESS"),
                ("a", "ADOPT_IN_PROGRESS"),
                ("a", "ADOPT_COMPLETE"),
                (self.name, "ADOPT_COMPLETE"),
            ],
            [
                (each["resource_name"], each["resource_status"])
                for each in self.there.events(stack)
            ],
        )

    def test_a2_a_round_trip_changes_nothing(self) -> None:
        stack = self.created(self.chain("l"), tags="x,y")
        ids, outputs = self.ids(self.here, stack), self.here.outputs(stack)
        document = self.abandon(stack)
        self.wait_gone(stack)
        before = self.mark()

        adopted = self.adopt(document)

        self.assertEqual(ids, self.ids(self.there, adopted))
        self.assertEqual(outputs, self.there.outputs(adopted))
        self.assertEqual(["x", "y"], self.there.show(adopted)["tags"])
        self.assertEqual([], self.writes(before))

    def test_a2_then_it_lives_on_there(self) -> None:
        stack = self.created(self.chain("old"))
        ids = self.ids(self.here, stack)
        adopted = self.adopt(self.abandon(stack))

        before = self.mark()
        self.update(adopted, self.chain("old"))
        self.there.wait(adopted, "UPDATE_COMPLETE")
        self.assertEqual([], self.writes(before))
        self.update(adopted, self.chain("new"))
        self.there.wait(adopted, "UPDATE_COMPLETE")
        self.assertEqual(ids, self.ids(self.there, adopted))
        self.assertEqual("new", self.there.outputs(adopted)["label"])
        self.there.ask("POST", f"{adopted.path}/actions", {"check": None})
        self.there.wait(adopted, "CHECK_COMPLETE")
        self.there.delete(adopted)
        self.there.wait(adopted, "DELETE_COMPLETE")

        self.assertEqual([], self.existing_names())

    def test_a2_types_that_keep_what_they_made_round_trip(self) -> None:
        wanted = template(
            random={"type": "OS::Heat::RandomString"},
            value={
                "type": "OS::Heat::Value",
                "properties": {"value": {"get_attr": ["random", "value"]}},
            },
            none={"type": "OS::Heat::None"},
            test={"type": "OS::Heat::TestResource"},
        )
        wanted["outputs"] = {
            "random": {"value": {"get_attr": ["random", "value"]}},
            "value": {"value": {"get_attr": ["value", "value"]}},
        }
        stack = self.created(wanted)
        ids, outputs = self.ids(self.here, stack), self.here.outputs(stack)

        adopted = self.adopt(self.abandon(stack))

        self.assertEqual(ids, self.ids(self.there, adopted))
        self.assertEqual(outputs, self.there.outputs(adopted))
        self.update(adopted, wanted)
        self.there.wait(adopted, "UPDATE_COMPLETE")
        self.assertEqual(outputs, self.there.outputs(adopted))

    def test_a2_a_text_of_json_or_yaml_counts_as_well(self) -> None:
        document = {
            "template": template(a=declare_resource()),
            "resources": self.make_resources("a"),
        }
        for write in (json.dumps, yaml.safe_dump):
            stack = self.adopt(write(document), adopt_owned=True)
            self.assertEqual(
                document["resources"], self.ids(self.there, stack)
            )
            self.ask(self.there, "DELETE", f"{stack.path}/abandon")
            self.there.wait(stack, "DELETE_COMPLETE")

    def test_a2_a_template_beside_the_document_does_not_count(self) -> None:
        ids = self.make_resources("a")

        stack = self.adopt(
            {"template": template(a=declare_resource()), "resources": ids},
            template=template(other=declare_resource()),
        )

        self.assertEqual(ids, self.ids(self.there, stack))

    def test_a2_files_of_the_document_count_where_none_are_sent(self) -> None:
        wanted = template(a=declare_resource(label={"get_file": "f"}))
        stack = self.created(wanted, files={"f": "text"})

        adopted = self.adopt(self.abandon(stack))

        path = f"{adopted.path}/files"
        self.assertEqual({"f": "text"}, self.ask(self.there, "GET", path))

    def test_a3_only_template_and_ids_are_needed(self) -> None:
        ids = self.make_resources("a")
        entry = {"resource_id": ids["a"]}

        stack = self.adopt(
            {
                "template": template(a=declare_resource()),
                "resources": {"a": entry},
            }
        )

        self.assertEqual(ids, self.ids(self.there, stack))

    def test_a2_all_that_heat_writes_is_understood(self) -> None:
        """Heat's layout, with keys that say nothing to us."""
        ids = self.make_resources("a")
        document = {
            "name": "heats",
            "id": "0c2ebdcb-3d35-4d2a-9a5e-9f7f3a8b7d11",
            "action": "CREATE",
            "status": "COMPLETE",
            "project_id": "other",
            "stack_user_project_id": "other-users",
            "tags": None,
            "template": template(a=declare_resource(label="l")),
            "files": {},
            "environment": {
                "encrypted_param_names": [],
                "event_sinks": [],
                "parameter_defaults": {},
                "parameters": {},
                "resource_registry": {"resources": {}},
            },
            "resources": {
                "a": {
                    "name": "a",
                    "resource_id": ids["a"],
                    "type": "Test::World::Thing",
                    "action": "CREATE",
                    "status": "COMPLETE",
                    "metadata": {},
                    "resource_data": {"private_key": "in clear text"},
                },
                "gone": {},
            },
        }

        stack = self.adopt(json.dumps(document))

        self.assertEqual(ids, self.ids(self.there, stack))

    def test_a3_documents_laid_out_wrongly_are_refused(self) -> None:
        wanted = template(a=declare_resource())
        for data in (
            "neither: [json",
            "a text",
            ["list"],
            {"resources": {}},
            {"template": wanted, "resources": []},
            {"template": wanted, "resources": {"a": 1.5}},
            {"template": wanted, "resources": {"a": {"resource_id": {}}}},
            {"template": wanted, "resources": {"a": {"created_at": -1}}},
            {"template": wanted, "environment": "text"},
            {"template": wanted, "tags": "x"},
        ):
            status, _ = self.refused(self.begin_adopt, data)
            self.assertEqual(400, status, data)

    def test_a5_a_type_may_adopt_in_its_own_way(self) -> None:
        ids = self.make_resources("a")
        told = ids["a"].replace("thing-", "row-")
        declared = {**declare_resource(), "type": "Test::World::Keeper"}
        document = {
            "template": template(a=declared),
            "resources": {"a": told},
        }

        stack = self.adopt(document, adopt_verify="take")

        self.assertEqual(ids, self.ids(self.there, stack))
        found = self.ask(self.there, "GET", f"{stack.path}/export")
        entries = typing.cast(dict[str, Json], found["resources"])
        self.assertEqual({"told": told}, entries["a"]["resource_data"])
        self.assertEqual({"kept": True}, entries["a"]["metadata"])

    def test_a5_what_a_type_refuses_is_not_adopted(self) -> None:
        declared = {**declare_resource(), "type": "Test::World::Keeper"}
        document = {
            "template": template(a=declared),
            "resources": {"a": "else"},
        }

        stack = self.adopt(document, "ADOPT_FAILED")

        shown = self.there.show(stack)
        self.assertIn(
            "else is no id of a keeper", str(shown["stack_status_reason"])
        )

    def test_a9_parameters_of_the_document_are_used(self) -> None:
        stack = self.created(labelled(), parameters={"word": "old"})

        adopted = self.adopt(self.abandon(stack))

        self.assertEqual({"word": "old"}, self.there.outputs(adopted))

    def test_a9_those_of_the_request_override_them(self) -> None:
        stack = self.created(labelled(), parameters={"word": "old"})
        document = self.abandon(stack)

        adopted = self.adopt(document, parameters={"word": "new"})

        self.assertEqual({"word": "new"}, self.there.outputs(adopted))

    def test_a9_an_environment_beside_the_document_counts_too(self) -> None:
        stack = self.created(labelled(), parameters={"word": "old"})
        document = self.abandon(stack)

        adopted = self.adopt(
            document, environment={"parameters": {"word": "new"}}
        )

        self.assertEqual({"word": "new"}, self.there.outputs(adopted))


class FailedTests(adopting.AdoptingTestCase):
    """Things stand whatever becomes of an adoption."""

    def fail(self, **body: object) -> tuple[rest.Stack, dict[str, str]]:
        """Adopt two things, of which the second one lacks an id."""
        ids = self.make_resources("a")
        wanted = template(a=declare_resource(), b=declare_resource("a"))
        stack = self.begin_adopt(
            {"template": wanted, "resources": ids}, **body
        )
        return stack, ids

    def test_a8_it_is_failed_and_nothing_is_deleted(self) -> None:
        stack, _ = self.fail()
        before = self.mark()

        shown = self.there.wait(stack, "ADOPT_FAILED")

        self.assertEqual(
            "Resource ADOPT failed: Permanent: resources.b: Resource ID was"
            " not provided.",
            str(shown["stack_status_reason"]),
        )
        self.assertEqual([], self.writes(before))
        self.assertEqual(["a"], self.existing_names())

    def test_a_g1_a_rollback_removes_the_record_and_no_thing(self) -> None:
        """Heat deletes what it had adopted."""
        stack, ids = self.fail(disable_rollback=False)
        before = self.mark()

        self.there.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual([], self.writes(before))
        self.assertEqual(["a"], self.existing_names())
        self.assertEqual({}, self.there.resources(stack))
        listed = typing.cast(
            list[Json], self.ask(self.there, "GET", "/stacks")["stacks"]
        )
        self.assertNotIn(stack.id, [each["id"] for each in listed])
        again = self.begin_adopt(
            {"template": template(a=declare_resource()), "resources": ids}
        )
        self.there.wait(again, "ADOPT_COMPLETE")

    def test_a8_a_delete_spares_what_was_never_adopted(self) -> None:
        ids = self.make_resources("a")
        stack = self.adopt(
            {
                "template": template(a=declare_resource(label="other")),
                "resources": ids,
            },
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )
        before = self.mark()

        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.writes(before))
        self.assertEqual(["a"], self.existing_names())

    def test_a8_an_update_that_drops_or_replaces_it_spares_it(self) -> None:
        ids = self.make_resources("a", "b")
        stack = self.adopt(
            {
                "template": template(
                    a=declare_resource(label="other"),
                    b=declare_resource(label="other"),
                ),
                "resources": ids,
            },
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )
        before = self.mark()

        other = {**declare_resource(), "type": "Test::World::Other"}
        self.update(stack, template(a=other))
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([("create", "a"), ("made", "a")], self.writes(before))
        self.assertEqual(["a", "a", "b"], self.existing_names())

    def test_a8_it_is_retried(self) -> None:
        ids = self.make_resources("a", "b")
        self.world.order(
            self.name, "check", "b", how="permanent", moment="before", times=1
        )
        stack = self.adopt(
            {
                "template": template(
                    a=declare_resource(), b=declare_resource("a")
                ),
                "resources": ids,
            },
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )
        before = self.mark()

        self.there.retry(stack)
        self.there.wait(stack, "ADOPT_COMPLETE")

        self.assertEqual(
            [("check", "b")],
            [
                (each.act, each.name)
                for each in self.world.calls(self.name, before)
            ],
        )
        self.assertEqual(ids, self.ids(self.there, stack))

    def test_a8_the_request_that_adopts_may_retry(self) -> None:
        stack, _ = self.fail()
        self.there.wait(stack, "ADOPT_FAILED")
        before = len(self.there.events(stack))

        self.ask(
            self.there,
            "POST",
            "/stacks",
            {"stack_name": self.name, "retry": True},
        )
        self.there.wait(stack, "ADOPT_FAILED")

        told = [each["resource_status"] for each in self.there.events(stack)][
            before:
        ]
        self.assertEqual("ADOPT_IN_PROGRESS", told[0])

    def test_a8_an_update_goes_on_with_it_and_makes_the_rest(self) -> None:
        stack, ids = self.fail()
        self.there.wait(stack, "ADOPT_FAILED")
        before = self.mark()

        self.update(
            stack, template(a=declare_resource(), b=declare_resource("a"))
        )
        self.there.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([("create", "b"), ("made", "b")], self.writes(before))
        self.assertEqual(ids["a"], self.ids(self.there, stack)["a"])

    def test_a8_cancelled_it_leaves_all_as_it_was(self) -> None:
        ids = self.make_resources("a", "b")
        self.world.order(self.name, "check", "a")
        stack = self.begin_adopt(
            {
                "template": template(
                    a=declare_resource(), b=declare_resource("a")
                ),
                "resources": ids,
            }
        )
        self.wait_for("held-check-watch", "a")

        self.there.ask(
            "POST", f"{stack.path}/actions", {"cancel_without_rollback": None}
        )
        self.there.wait(stack, "ADOPT_FAILED")
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(["a", "b"], self.existing_names())
