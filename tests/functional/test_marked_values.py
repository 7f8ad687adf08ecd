"""Marks of sensitive values follow what templates say of parameters."""

import json
import typing

from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

Json = dict[str, typing.Any]

_WORD: typing.Final = "canary-5d1e9b"
_CHILD: typing.Final = """
heat_template_version: 2021-04-16
parameters:
  given: {type: string}
resources:
  deep:
    type: Test::World::Thing
    properties: {label: {digest: [md5, {get_param: given}]}}
"""


def _template(*, hidden: bool) -> Json:
    word = {"get_param": "word"}
    return {
        **world_templates.template(
            a=world_templates.declare_resource(label=word, value="plain"),
            low={"type": "child.yaml", "properties": {"given": word}},
            group={
                "type": "OS::Heat::ResourceGroup",
                "properties": {
                    "count": 1,
                    "resource_def": {
                        "type": "Test::World::Thing",
                        "properties": {
                            "label": {"digest": ["md5", word]},
                            "value": "plain",
                        },
                    },
                },
            },
        ),
        "parameters": {"word": {"type": "string", "hidden": hidden}},
    }


class MarkedValuesTest(nesting.NestedTestCase):
    def body(self, *, hidden: bool) -> Json:
        return {
            "template": _template(hidden=hidden),
            "files": {"child.yaml": _CHILD},
            "parameters": {"word": _WORD},
        }

    def update(self, stack: rest.Stack, *, hidden: bool) -> None:
        self.client.ask("PUT", stack.path, self.body(hidden=hidden))
        self.client.wait(stack, "UPDATE_COMPLETE")

    def properties(self, stack: rest.Stack, name: str) -> Json:
        """Return the properties in the last event of a resource."""
        found = self.client.get(
            f"{stack.path}/resources/{name}/events", "events"
        )
        last = typing.cast(list[Json], found)[-1]
        shown = self.client.get(
            f"{stack.path}/resources/{name}/events/{last['id']}", "event"
        )
        properties: Json = typing.cast(Json, shown)["resource_properties"]
        return properties

    def check_marks(self, stack: rest.Stack, *, hidden: bool) -> None:
        low, group = self.child_of(stack, "low"), self.child_of(stack, "group")
        shown = {
            "a": self.properties(stack, "a"),
            "deep": self.properties(low, "deep"),
            "0": self.properties(group, "0"),
        }

        self.assertEqual(
            dict.fromkeys(shown, hidden),
            {name: each["label"] == "******" for name, each in shown.items()},
        )
        self.assertEqual("plain", shown["a"]["value"])
        self.assertEqual("plain", shown["0"]["value"])
        template = self.client.ask("GET", f"{group.path}/template")
        self.assertEqual(hidden, "******" in json.dumps(template))
        low_parameters = self.client.show(low)["parameters"]
        self.assertEqual(
            "******" if hidden else _WORD, low_parameters["given"]
        )

    def test_a_parameter_that_is_hidden_later(self) -> None:
        """No resource is changed, and all of them are marked."""
        stack = self.client.create(self.name, **self.body(hidden=False))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.check_marks(stack, hidden=False)
        calls = len(self.world.calls())

        self.update(stack, hidden=True)

        self.check_marks(stack, hidden=True)
        self.assertEqual(calls, len(self.world.calls()))
        events = len(self.client.events(stack))
        self.update(stack, hidden=True)
        self.assertEqual(events + 2, len(self.client.events(stack)))

    def test_a_parameter_that_is_not_hidden_any_more(self) -> None:
        stack = self.client.create(self.name, **self.body(hidden=True))
        self.client.wait(stack, "CREATE_COMPLETE")
        self.check_marks(stack, hidden=True)

        self.update(stack, hidden=False)

        self.check_marks(stack, hidden=False)
