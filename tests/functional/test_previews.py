"""What a request would do, told before it is done."""

import typing

from tests.functional import test_operations as base_case
from tests.support import rest
from tests.support import world_templates

Json = dict[str, typing.Any]
declare_resource = world_templates.declare_resource
template = world_templates.template

_SECRET = "correct horse battery"
_RESOURCE_KEYS = {
    "resource_name",
    "resource_type",
    "resource_action",
    "resource_status",
    "resource_status_reason",
    "physical_resource_id",
    "creation_time",
    "updated_time",
    "required_by",
    "description",
    "metadata",
    "attributes",
    "stack_name",
    "stack_identity",
    "resource_identity",
}


def get(function: str, *arguments: str) -> dict[str, object]:
    return {function: list(arguments)}


def hidden(**things: dict[str, object]) -> dict[str, object]:
    """Return a template with a hidden parameter ``word``."""
    return {
        **template(**things),
        "parameters": {"word": {"type": "string", "hidden": True}},
    }


class PreviewTests(base_case.OperationTestCase):
    def start(self, body: object, **more: object) -> rest.Stack:
        stack = self.client.create(self.name, body, **more)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def preview(
        self, stack: rest.Stack, body: Json, method: str = "PUT"
    ) -> Json:
        found = self.client.ask(method, f"{stack.path}/preview", body)
        return typing.cast(Json, found)

    def id_of_a(self) -> str:
        return self.world.physical_resources(self.name)[0].id

    def changes(self, stack: rest.Stack, wanted: object) -> dict[str, Json]:
        """Return the changes of a planned update by ``kind name``."""
        plan = self.preview(stack, {"template": wanted})["plan"]
        return {
            f"{each['kind']} {each['resource_name']}": each
            for each in plan["changes"]
        }

    def test_resources_stand_by_what_happens_to_them(self) -> None:
        stack = self.start(
            template(
                same=declare_resource(),
                moved=declare_resource(label="old"),
                made_anew=declare_resource(value="old"),
                follows=declare_resource(refs=[{"get_resource": "made_anew"}]),
                gone=declare_resource(),
            )
        )

        found = self.preview(
            stack,
            {
                "template": template(
                    same=declare_resource(),
                    moved=declare_resource(label="new"),
                    made_anew=declare_resource(value="new"),
                    follows=declare_resource(
                        refs=[{"get_resource": "made_anew"}]
                    ),
                    fresh=declare_resource(),
                )
            },
        )["resource_changes"]

        self.assertEqual(
            {
                "unchanged": ["same"],
                "updated": ["follows", "moved"],
                "replaced": ["made_anew"],
                "added": ["fresh"],
                "deleted": ["gone"],
            },
            {
                kind: sorted(each["resource_name"] for each in resources)
                for kind, resources in found.items()
            },
        )

    def test_a_resource_has_the_form_of_heat(self) -> None:
        stack = self.start(template(a=declare_resource(label="x")))

        found = self.preview(
            stack, {"template": template(a=declare_resource())}
        )

        (shown,) = found["resource_changes"]["updated"]
        self.assertEqual(_RESOURCE_KEYS, set(shown))
        self.assertEqual("CREATE", shown["resource_action"])
        self.assertEqual("COMPLETE", shown["resource_status"])
        self.assertEqual(self.id_of_a(), shown["physical_resource_id"])
        self.assertEqual("/resources/a", shown["resource_identity"]["path"])
        self.assertEqual(stack.id, shown["stack_identity"]["stack_id"])

    def test_nothing_of_it_happens(self) -> None:
        stack = self.start(template(a=declare_resource()))
        before = self.client.show(stack), self.client.events(stack)
        calls = self.world.calls(self.name)

        self.preview(stack, {"template": template(b=declare_resource())})

        after = self.client.show(stack), self.client.events(stack)
        self.assertEqual(before, after)
        self.assertEqual(calls, self.world.calls(self.name))

    def test_each_property_is_told_old_and_new(self) -> None:
        stack = self.start(
            template(a=declare_resource(label="old", value="kept"))
        )

        found = self.changes(
            stack, template(a=declare_resource(label="new", value="kept"))
        )

        change = found["update a"]
        self.assertEqual("label changed", change["reason"])
        self.assertEqual(
            {
                "label": {
                    "old": "old",
                    "new": "new",
                    "needs_replacement": False,
                }
            },
            change["properties"],
        )

    def test_why_a_resource_is_replaced(self) -> None:
        stack = self.start(
            template(a=declare_resource(label="x", value="old"))
        )

        found = self.changes(
            stack, template(a=declare_resource(label="y", value="new"))
        )

        change = found["create a"]
        self.assertEqual("value cannot be changed in place", change["reason"])
        self.assertEqual(self.id_of_a(), change["replaces"])
        self.assertEqual(
            {"label": False, "value": True},
            {
                name: each["needs_replacement"]
                for name, each in change["properties"].items()
            },
        )
        self.assertEqual("is replaced", found["delete a"]["reason"])

    def test_what_is_known_only_later_is_marked(self) -> None:
        old = template(
            a=declare_resource(value="old"),
            b=declare_resource(refs=[{"get_resource": "a"}]),
        )
        stack = self.start(old)

        found = self.changes(
            stack,
            template(
                a=declare_resource(value="new"),
                b=declare_resource(refs=[{"get_resource": "a"}]),
            ),
        )

        change = found["update b"]
        self.assertFalse(change["is_certain"])
        self.assertEqual(
            {
                "old": [self.id_of_a()],
                "new": [{"known_later": True}],
                "needs_replacement": False,
                "places": [
                    {
                        "place": "refs.0",
                        "kind": "changed",
                        "index": None,
                        "old": self.id_of_a(),
                        "new": {"known_later": True},
                    }
                ],
            },
            change["properties"]["refs"],
        )

    def test_a_map_that_is_known_later_has_no_places(self) -> None:
        stack = self.start(
            template(
                a=declare_resource(value="old"),
                b={
                    "type": "OS::Heat::Value",
                    "properties": {"value": {"k": "v"}},
                },
            )
        )

        found = self.changes(
            stack,
            template(
                a=declare_resource(value="new"),
                b={
                    "type": "OS::Heat::Value",
                    "properties": {"value": {"get_resource": "a"}},
                },
            ),
        )

        change = found["update b"]["properties"]["value"]
        self.assertEqual({"known_later": True}, change["new"])
        self.assertNotIn("places", change)

    def test_what_goes_is_told_with_what_it_was(self) -> None:
        stack = self.start(
            template(a=declare_resource(label="x"), b=declare_resource())
        )

        found = self.changes(stack, template(b=declare_resource()))

        self.assertEqual(
            {"old": "x", "needs_replacement": False},
            found["delete a"]["properties"]["label"],
        )

    def test_values_of_hidden_parameters_are_covered(self) -> None:
        word = {"get_param": "word"}
        body = hidden(
            a=declare_resource(label=word),
            b=declare_resource(label={"list_join": ["-", ["x", word]]}),
            c=declare_resource(reads=[get("get_attr", "a", "label")]),
        )
        stack = self.start(body, parameters={"word": _SECRET})

        found = self.preview(
            stack, {"template": body, "parameters": {"word": "another one"}}
        )

        text = repr(found)
        self.assertNotIn(_SECRET, text)
        self.assertNotIn("another one", text)
        changes = {
            each["resource_name"]: each for each in found["plan"]["changes"]
        }
        self.assertEqual(
            {"old": "******", "new": "******", "needs_replacement": False},
            changes["b"]["properties"]["label"],
        )

    def test_of_a_patch_only_what_it_names_is_different(self) -> None:
        body = {
            **template(
                a=declare_resource(label={"get_param": "p"}),
                b=declare_resource(),
            ),
            "parameters": {"p": {"type": "string", "default": "x"}},
        }
        stack = self.start(body)

        found = self.preview(stack, {"parameters": {"p": "y"}}, "PATCH")

        names = {
            kind: [each["resource_name"] for each in resources]
            for kind, resources in found["resource_changes"].items()
        }
        self.assertEqual(["a"], names["updated"])
        self.assertEqual(["b"], names["unchanged"])

    def test_what_update_refuses_is_refused(self) -> None:
        stack = self.start(template(a=declare_resource()))
        path = f"{stack.path}/preview"

        for method, place, body, refused in (
            ("PUT", path, {}, (400, "HTTPBadRequest")),
            (
                "PUT",
                path,
                {"template": template(a={"type": "No::Such::Type"})},
                (400, "StackValidationFailed"),
            ),
            (
                "PUT",
                f"{path}?show_nested=maybe",
                {"template": template()},
                (400, "HTTPBadRequest"),
            ),
            (
                "PUT",
                f"/stacks/other/{stack.id}/preview",
                {"template": template()},
                (404, "EntityNotFound"),
            ),
        ):
            found = self.refused(self.client.ask, method, place, body)
            self.assertEqual(refused, found, place)

    def test_a_creation_is_planned_too(self) -> None:
        word = {"get_param": "word"}
        found = self.client.ask(
            "POST",
            "/stacks/preview",
            {
                "stack_name": self.name,
                "template": hidden(
                    a=declare_resource(label=word),
                    b=declare_resource("a", refs=[{"get_resource": "a"}]),
                ),
                "parameters": {"word": _SECRET},
            },
        )

        plan = typing.cast(Json, found)["stack"]["plan"]
        self.assertEqual(
            "create a (is not there yet)\n"
            "create b (is not there yet) after create a",
            plan["text"],
        )
        first, second = plan["changes"]
        self.assertEqual("******", first["properties"]["label"]["new"])
        self.assertEqual([first["key"]], second["after"])
        self.assertEqual(
            [{"known_later": True}], second["properties"]["refs"]["new"]
        )
        listed = self.client.get(f"/stacks?name={self.name}", "stacks")
        self.assertEqual([], listed)
