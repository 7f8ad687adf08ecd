"""Workflows: what of them is in their definition."""

import dataclasses
import typing

import yaml

from orch import errors
from orch.plugin import id_scopes
from orch.plugin import reality
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_NAME: typing.Final = "shop-thing-abcdefghijkl"
_ECHO: typing.Final = {"name": "one", "action": "std.echo output=1"}


class FakeMistral(clouds.Cloud):
    """Workflows by their names, which are created and changed by a text.

    It answers as the reference of the workflow API, version 2, has it.
    """

    def __init__(self) -> None:
        super().__init__(workflows=clouds.Collection("", "workflows"))
        self.rows = self.collections["/workflows"].rows

    def find_answer(
        self, method: str, path: str, body: object
    ) -> clouds.Answer:
        if method not in ("POST", "PUT"):
            return super().find_answer(method, path, body)
        if not isinstance(body, str) or path != "/workflows":
            return 400, {"faultstring": "no definition"}
        parsed = yaml.safe_load(body)
        assert parsed.pop("version") == "2.0"
        ((name, found),) = parsed.items()
        if (method == "POST") == (name in self.rows):
            return 409 if method == "POST" else 404, {"faultstring": name}
        self.rows[name] = {
            "id": name,
            "name": name,
            "definition": body,
            "input": ", ".join(found.get("input", ())),
            "tags": found.get("tags"),
            "scope": "private",
        }
        return 201, {"workflows": [self.rows[name]]}

    def definition(self, name: str) -> clouds.Body:
        """Return what the definition of a workflow says."""
        parsed = yaml.safe_load(self.rows[name]["definition"])
        return typing.cast(clouds.Body, parsed[name])


class WorkflowTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Mistral::Workflow")
    cloud: FakeMistral

    def setUp(self) -> None:
        super().setUp()
        self.use(FakeMistral())

    def test_its_definition_is_in_the_language_of_mistral(self) -> None:
        given = {
            "type": "direct",
            "description": "über alles",
            "input": {"b": 1, "a": None},
            "output": {"found": "<% $.found %>"},
            "tags": ["nightly"],
            "task_defaults": {"on_error": ["fail"], "retry": None},
            "tasks": [
                {
                    **_ECHO,
                    "workflow": None,
                    "on_success": ["two"],
                    "policies": {"wait_before": 3},
                    "publish": {"found": "<% 1 %>"},
                },
                {"name": "two", "workflow": "other", "join": "2"},
            ],
        }

        context = self.made(**given)

        self.assertEqual(_NAME, context.physical_id)
        self.assertEqual(_NAME, self.plugin.reference_id(context))
        self.assertEqual(
            {
                "type": "direct",
                "description": "über alles",
                "input": ["a", "b"],
                "output": {"found": "<% $.found %>"},
                "tags": ["nightly", f"orch:token:{context.token}"],
                "task-defaults": {"on-error": ["fail"]},
                "tasks": {
                    "one": {
                        "action": "std.echo output=1",
                        "on-success": ["two"],
                        "wait-before": 3,
                        "publish": {"found": "<% 1 %>"},
                    },
                    "two": {"workflow": "other", "join": 2},
                },
            },
            self.cloud.definition(_NAME),
        )
        self.assertEqual(["name"], self.differing(context, context.properties))
        self.assertEqual(
            {
                "data": {"name": _NAME, "input": given["input"]},
                "executions": [],
            },
            self.plugin.read_attributes(
                context, ["data", "executions", "alarm_url"]
            ),
        )

    def test_it_is_changed_in_place_and_others_may_change_it(self) -> None:
        context = self.made(type="direct", tasks=[_ECHO], name="backup")
        self.assertEqual("backup", context.physical_id)

        context = self.changed(
            context, tasks=[{**_ECHO, "timeout": 5}], description="daily"
        )

        found = self.cloud.definition("backup")
        self.assertEqual(5, found["tasks"]["one"]["timeout"])
        self.assertEqual("daily", found["description"])
        row = self.cloud.rows["backup"]
        for before, after, expected in (
            ("timeout: 5", "timeout: 6", ["tasks"]),
            ("daily", "hourly", ["description"]),
            ("backup:", "other:", ["description", "tasks", "type"]),
            ("version", "[", ["description", "tasks", "type"]),
        ):
            text = row["definition"]
            row["definition"] = text.replace(before, after)
            self.assertEqual(
                expected, self.differing(context, context.properties)
            )
            row["definition"] = text
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)

    def test_an_adopted_one_is_changed_under_its_own_name(self) -> None:
        context = self.made(type="direct", tasks=[_ECHO], name="backup")
        # The template that adopts it gives no name.
        context = dataclasses.replace(
            context, properties={**context.properties, "name": None}
        )

        self.changed(context, description="daily")

        self.assertEqual(["backup"], list(self.cloud.rows))
        found = self.cloud.definition("backup")
        self.assertEqual("daily", found["description"])

    def test_a_creation_that_came_late_is_looked_for_again(self) -> None:
        context = self.context(type="direct", tasks=[_ECHO])
        self.plugin.create(context)

        self.assertRaises(errors.Busy, self.plugin.create, context)

        self.assertEqual(_NAME, self.plugin.find(context))

    def test_what_a_lost_attempt_left_is_found_by_its_tag(self) -> None:
        context = self.made(type="direct", tasks=[_ECHO], name="backup")
        lost = dataclasses.replace(context, physical_id=None)

        self.assertEqual("backup", self.plugin.find(lost))
        self.assertEqual(["backup"], list(self.plugin.find_all(lost)))
        self.cloud.rows["backup"]["tags"] = None
        self.assertIsNone(self.plugin.find(lost))
        self.assertRaises(errors.Permanent, self.plugin.create, lost)
        del self.cloud.rows["backup"]
        self.assertIsNone(self.plugin.find(lost))
        account = id_scopes.Account("p", None)
        self.assertEqual("p", self.plugin.get_id_scope(account, {}))

    def test_what_mistral_cannot_run_is_refused(self) -> None:
        for kind, task, said in (
            ("reverse", _ECHO, "'task_name' is not assigned in 'params'"),
            ("direct", {**_ECHO, "workflow": "w"}, "at the same time"),
            (
                "direct",
                {"name": "a", "workflow": None, "action": None},
                "At least one of",
            ),
            ("direct", {**_ECHO, "requires": ["a"]}, "Only reverse workflows"),
            (
                "direct",
                {**_ECHO, "retry": {"count": 1}, "policies": {"retry": {}}},
                "policies and retry cannot be used both",
            ),
            (
                "direct",
                {**_ECHO, "concurrency": 1, "with_items": None},
                "concurrency cannot be specified without with_items",
            ),
        ):
            error = self.assertRaises(
                errors.Invalid,
                self.plugin.validate,
                {"type": kind, "params": None, "tasks": [task]},
            )
            self.assertIn(said, error.message)
        self.plugin.validate({"type": "reverse", "tasks": [{"name": "a"}]})
        self.plugin.validate(
            {
                "type": "reverse",
                "params": {"task_name": "a"},
                "tasks": [{**_ECHO, "requires": ["b"]}],
            }
        )
