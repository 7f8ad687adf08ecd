"""What an adoption would do is shown before, and nothing of it stays."""

import typing

from tests.functional import adopting
from tests.functional import test_adopt_groups
from tests.support import rest

Json = adopting.Json
Changes = dict[str, Json]
declare_resource = adopting.declare_resource
template = adopting.template


def changes_of(plan: object) -> Changes:
    """Return the changes of a plan by the names of their resources."""
    listed = typing.cast(dict[str, list[Json]], plan)["changes"]
    return {str(each["resource_name"]): each for each in listed}


class PreviewTests(adopting.AdoptingTestCase):
    def preview(self, data: object, **body: object) -> Json:
        """Preview an adoption; nothing of it may stay."""
        request = {"stack_name": self.name, "adopt_stack_data": data, **body}
        before = self.mark()
        answer = self.ask(self.there, "POST", "/stacks/preview", request)
        self.assertEqual([], self.writes(before))
        listed = typing.cast(
            list[Json], self.ask(self.there, "GET", "/stacks")["stacks"]
        )
        names = [each["stack_name"] for each in listed]
        self.assertNotIn(self.name, names)
        return typing.cast(Json, answer["stack"])

    def there_is(self) -> rest.Stack:
        stack = self.there.create(self.name, template(own=declare_resource()))
        self.there.wait(stack, "CREATE_COMPLETE")
        return stack

    def test_a_g4_a_preview_tells_what_differs(self) -> None:
        ids = self.make_resources("a", "b", label="old", value="v")
        wanted = template(
            a=declare_resource(label="new", value="other"),
            b=declare_resource("a", label="old", value="v"),
        )

        stack = self.preview({"template": wanted, "resources": ids})

        self.assertEqual("ADOPT", typing.cast(Json, stack["plan"])["action"])
        changes = changes_of(stack["plan"])
        self.assertEqual(
            {"a": "adopt", "b": "adopt"},
            {name: each["kind"] for name, each in changes.items()},
        )
        self.assertEqual(
            ids,
            {n: each["physical_resource_id"] for n, each in changes.items()},
        )
        self.assertEqual(
            {
                "label": {
                    "old": "old",
                    "new": "new",
                    "needs_replacement": False,
                },
                "value": {
                    "old": "v",
                    "new": "other",
                    "needs_replacement": True,
                },
            },
            changes["a"]["properties"],
        )
        self.assertEqual({}, changes["b"]["properties"])

    def test_a_g4_a_preview_tells_what_is_not_there(self) -> None:
        document = {
            "template": template(a=declare_resource()),
            "resources": {"a": "thing-999999"},
        }

        looked = changes_of(self.preview(document)["plan"])
        taken = changes_of(self.preview(document, adopt_verify="take")["plan"])

        self.assertIn("is not there any more", str(looked["a"]["reason"]))
        self.assertEqual("exists already", taken["a"]["reason"])

    def test_a_g5_a_preview_tells_what_is_made(self) -> None:
        ids = self.make_resources("a")
        document = {
            "template": template(
                a=declare_resource(), b=declare_resource("a")
            ),
            "resources": ids,
        }

        stack = self.preview(document, adopt_missing="create")

        kinds = {
            name: each["kind"]
            for name, each in changes_of(stack["plan"]).items()
        }
        self.assertEqual({"a": "adopt", "b": "create"}, kinds)

    def test_a4_a_preview_looks_into_groups(self) -> None:
        stack = self.created(test_adopt_groups.scaling_template())
        document = self.abandon(stack)
        self.wait_gone(stack)
        entries = typing.cast(
            dict[str, dict[str, Json]], document["resources"]
        )
        members = entries["g"]["resources"]

        plan = changes_of(self.preview(document)["plan"])

        inner = changes_of(plan["g"]["child_plan"])
        self.assertEqual(set(members), set(inner))
        self.assertEqual(
            [("adopt", {})] * 2,
            [(each["kind"], each["properties"]) for each in inner.values()],
        )

    def test_a_g4_what_is_refused_is_refused_in_a_preview(self) -> None:
        stack = self.there_is()
        document = self.ask(self.there, "GET", f"{stack.path}/export")
        other = f"{self.name}-2"

        owned = self.refused(self.preview, document, stack_name=other)
        wrong = self.refused(self.preview, {"resources": {}})

        self.assertEqual((409, "HTTPConflict"), owned)
        self.assertEqual(400, wrong[0])

    def test_a_g5_an_update_that_takes_over_is_previewed(self) -> None:
        ids = self.make_resources("a", label="old")
        stack = self.there_is()
        wanted = template(
            own=declare_resource(), a=declare_resource(label="new")
        )
        path = f"{stack.path}/preview"
        body: Json = {"template": wanted, "external_ids": ids}

        answer = self.ask(self.there, "PUT", path, body)

        change = changes_of(answer["plan"])["a"]
        self.assertEqual("adopt", change["kind"])
        self.assertEqual(ids["a"], change["physical_resource_id"])
        self.assertEqual(
            {"label"}, set(typing.cast(Json, change["properties"]))
        )
        self.assertEqual({"own"}, set(self.there.resources(stack)))

    def test_a_g5_an_update_that_takes_over_is_planned_and_run(self) -> None:
        ids = self.make_resources("a", label="old")
        stack = self.there_is()
        wanted = template(
            own=declare_resource(), a=declare_resource(label="new")
        )
        body: Json = {
            "action": "update",
            "template": wanted,
            "external_ids": ids,
        }
        before = self.mark()

        answer = self.ask(self.there, "POST", f"{stack.path}/plans", body)
        plan = typing.cast(dict[str, object], answer["plan"])
        self.assertEqual({"own"}, set(self.there.resources(stack)))
        self.ask(
            self.there, "POST", f"{stack.path}/plans/{plan['id']}/apply", {}
        )
        self.there.wait(stack, "UPDATE_COMPLETE")

        change = changes_of(plan)["a"]
        self.assertEqual(
            {"label"}, set(typing.cast(Json, change["properties"]))
        )
        self.assertEqual(ids["a"], self.ids(self.there, stack)["a"])
        self.assertEqual([], self.writes(before))
