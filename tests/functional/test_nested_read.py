"""What is told of stacks in stacks: lists, events, plans, previews."""

import typing

from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
child_resource = nesting.child_resource
declare_resource = world_templates.declare_resource
template = world_templates.template


class ReadTests(nesting.NestedTestCase):
    def test_lists_go_as_deep_as_they_are_asked(self) -> None:
        stack = self.make({"kid": child_resource(), "x": declare_resource()})
        kid = self.child_of(stack, "kid")

        flat = self.client.get(f"{stack.path}/resources", "resources")
        deep = self.client.get(
            f"{stack.path}/resources?nested_depth=1", "resources"
        )

        self.assertEqual(["kid", "x"], [e["resource_name"] for e in flat])
        self.assertEqual(
            [("kid", None), ("x", None), ("inner", "kid"), ("last", "kid")],
            [(e["resource_name"], e.get("parent_resource")) for e in deep],
        )
        nested = [
            link["href"].rsplit("/", 1)[1]
            for link in deep[0]["links"]
            if link["rel"] == "nested"
        ]
        self.assertEqual([kid.id], nested)

    def test_events_of_all_levels_come_in_their_order(self) -> None:
        stack = self.make({"kid": child_resource()})
        kid = self.child_of(stack, "kid")

        found = self.client.get(
            f"{stack.path}/events?nested_depth=2", "events"
        )

        told = [
            (e["resource_name"], e["resource_status"])
            for e in found
            if e["resource_status"] == "CREATE_COMPLETE"
        ]
        self.assertEqual(
            [
                ("inner", "CREATE_COMPLETE"),
                ("last", "CREATE_COMPLETE"),
                (kid.name, "CREATE_COMPLETE"),
                ("kid", "CREATE_COMPLETE"),
                (stack.name, "CREATE_COMPLETE"),
            ],
            told,
        )
        roots = {
            link["href"].rsplit("/", 1)[1]
            for e in found
            for link in e["links"]
            if link["rel"] == "root_stack"
        }
        self.assertEqual({stack.id}, roots)

    def test_inner_stacks_are_listed_on_request(self) -> None:
        stack = self.make({"kid": child_resource()})
        kid = self.child_of(stack, "kid")

        flat = self.client.get("/stacks", "stacks")
        deep = self.client.get("/stacks?show_nested=true", "stacks")

        self.assertNotIn(kid.id, [each["id"] for each in flat])
        parents = {each["id"]: each["parent"] for each in deep}
        self.assertEqual(stack.id, parents[kid.id])


class PlanTests(nesting.NestedTestCase):
    def plan(self, stack: rest.Stack, resources: Json) -> Json:
        found = self.client.ask(
            "PUT",
            f"{stack.path}/preview",
            {
                "template": template(**resources),
                "files": {"inner.yaml": nesting.INNER},
            },
        )
        return typing.cast(dict[str, Json], found)["plan"]

    def planned(self, plan: Json) -> list[tuple[object, ...]]:
        """Return kind and name of the changes, inner ones after theirs."""
        found: list[tuple[object, ...]] = []
        for each in typing.cast(list[Json], plan["changes"]):
            if each["kind"] == "clean-up":
                continue
            found.append((each["kind"], each["resource_name"]))
            if "child_plan" in each:
                found += self.planned(typing.cast(Json, each["child_plan"]))
        return found

    def test_it_shows_what_happens_inside(self) -> None:
        stack = self.make(
            {"kid": child_resource(label="old"), "x": declare_resource()}
        )

        plan = self.plan(
            stack, {"kid": child_resource(label="new"), "y": child_resource()}
        )

        self.assertEqual(
            [
                ("update", "kid"),
                ("update", "inner"),
                ("create", "y"),
                ("create", "inner"),
                ("create", "last"),
                ("delete", "x"),
            ],
            self.planned(plan),
        )
        changes = typing.cast(list[Json], plan["changes"])
        deep = typing.cast(typing.Any, changes[0])["child_plan"]["changes"][0]
        self.assertEqual(
            {"old": "old", "new": "new"},
            {key: deep["properties"]["label"][key] for key in ("old", "new")},
        )

    def test_a_plan_is_stale_once_an_inner_stack_has_moved(self) -> None:
        stack = self.make({"kid": child_resource(label="old")})
        kid = self.child_of(stack, "kid")
        kept = typing.cast(
            dict[str, Json],
            self.client.ask(
                "POST", f"{stack.path}/plans", {"action": "delete"}
            ),
        )
        self.act(kid, "check")
        self.client.wait(kid, "CHECK_COMPLETE")

        error = self.refused(
            self.client.ask,
            "POST",
            f"{stack.path}/plans/{kept['plan']['id']}/apply",
        )

        self.assertEqual(409, error[0])


class PreviewTests(nesting.NestedTestCase):
    def test_an_update_shows_inner_resources_where_asked(self) -> None:
        stack = self.make(
            {"kid": child_resource(label="old"), "x": declare_resource()}
        )
        body: Json = {
            "template": template(
                kid=child_resource(label="new"), y=child_resource()
            ),
            "files": {"inner.yaml": nesting.INNER},
        }

        def names(query: str) -> dict[str, list[str]]:
            found = self.client.ask(
                "PUT", f"{stack.path}/preview{query}", body
            )
            changes = typing.cast(typing.Any, found)["resource_changes"]
            return {
                kind: [each["resource_name"] for each in listed]
                for kind, listed in changes.items()
                if listed
            }

        self.assertEqual(
            {"updated": ["kid"], "added": ["y"], "deleted": ["x"]}, names("")
        )
        self.assertEqual(
            {
                "updated": ["kid", "inner"],
                "added": ["y", "inner", "last"],
                "deleted": ["x"],
                "unchanged": ["last"],
            },
            names("?show_nested=true"),
        )

    def test_a_creation_shows_stacks_as_lists(self) -> None:
        found = self.client.ask(
            "POST",
            "/stacks/preview",
            {
                "stack_name": self.name,
                "template": template(
                    kid=child_resource(label="new"), x=declare_resource()
                ),
                "files": {"inner.yaml": nesting.INNER},
            },
        )
        kid, plain = typing.cast(typing.Any, found)["stack"]["resources"]

        self.assertEqual("x", plain["resource_name"])
        self.assertEqual(
            [("inner", "kid", "new"), ("last", "kid", None)],
            [
                (
                    each["resource_name"],
                    each["parent_resource"],
                    each["properties"]["label"] or None,
                )
                for each in kid
            ],
        )
