"""Literals under the names of secrets appear in no redacted output.

What the functions of the template language make of them, and the templates
themselves, are looked for in notifications, sinks, events, plans, search and
drift. The templates that users wrote are answered unchanged.
"""

import json
import typing

from tests.functional import canary_stacks
from tests.functional import observing
from tests.functional import test_canary_secrets
from tests.support import canaries
from tests.support import rest
from tests.support import world_templates

Json = canaries.Json

_NAMES: typing.Final = (
    *("argument", "variable", "merged", "joined", "chosen", "replaced"),
    *("default", "parameter", "output", "attribute", "given"),
)
_WORDS: typing.Final = {
    name: canaries.make_secret(f"{name}king", f"{name}fish") for name in _NAMES
}
_LOW: typing.Final[Json] = {
    "heat_template_version": canaries.HOT,
    "description": "the label of a port",
    "parameters": {"label": {"type": "string"}},
    "resources": {
        "deep": world_templates.declare_resource(
            label="label", value={"get_param": "label"}
        ),
    },
    "outputs": {
        "plain": {"value": "label"},
        "admin_pass": {"value": {"list_join": ["", [_WORDS["output"]]]}},
    },
}


def _upper(value: object) -> Json:
    return {"yaql": {"expression": "$.data.toUpper()", "data": value}}


def _find(value: object) -> Json:
    return {"yaql": {"expression": "$.data.admin_pass", "data": value}}


def _write_template() -> Json:
    carried = {"get_attr": ["attribute", "value"]}
    labels = {
        "found": _find({"admin_pass": _WORDS["argument"]}),
        "found_upper": _upper(_find({"admin_pass": _WORDS["argument"]})),
        "replaced": {
            "str_replace": {
                "template": "is $password",
                "params": {"$password": _WORDS["variable"]},
            }
        },
        "merged": {
            "list_join": [
                "-",
                {
                    "yaql": {
                        "expression": "$.data.values()",
                        "data": {
                            "map_merge": [
                                {"admin_pass": _WORDS["merged"]},
                                {"a": "b"},
                            ]
                        },
                    }
                },
            ]
        },
        "default": {"get_param": ["conf", "admin_pass"]},
        "default_upper": _upper({"get_param": ["conf", "admin_pass"]}),
        "parameter": {"get_param": "db_password"},
        "parameter_upper": _upper({"get_param": "db_password"}),
        "attribute_upper": _upper(_find(carried)),
        "output_upper": _upper({"get_attr": ["low", "admin_pass"]}),
    }
    named = {
        "attribute": _WORDS["attribute"],
        "joined": {"list_join": ["", [_WORDS["joined"], "x"]]},
        "chosen": {"if": ["yes", "chosen", _WORDS["chosen"]]},
        "template": {
            "str_replace": {"template": _WORDS["replaced"], "params": {}}
        },
    }
    return {
        "heat_template_version": canaries.HOT,
        "conditions": canaries.CONDITIONS,
        "parameters": {
            "conf": {
                "type": "json",
                "default": {"admin_pass": _WORDS["default"]},
            },
            "db_password": {"type": "string", "default": _WORDS["parameter"]},
            "word": {"type": "string", "hidden": True},
        },
        "resources": {
            **{
                name: world_templates.declare_resource(label=each)
                for name, each in labels.items()
            },
            **{
                name: canary_stacks.declare_value({"admin_pass": each})
                for name, each in named.items()
            },
            "compared": observing.single(),
            "low": {
                "type": "low.yaml",
                "properties": {"label": {"get_param": "word"}},
            },
        },
        "outputs": {
            "admin_pass": {"value": {"list_join": ["", [_WORDS["given"]]]}},
            "default": {"value": labels["default_upper"]},
        },
    }


class NamesTest(test_canary_secrets.CanaryTestCase):
    def test_names_in_templates_and_arguments(self) -> None:
        self.look_for([*_WORDS.values(), *map(str.upper, _WORDS.values())])
        template = _write_template()
        body = {
            **self.body(template, ""),
            "files": {"low.yaml": json.dumps(_LOW)},
        }
        # The child stack has this word in keys and texts of its template.
        body["environment"]["parameters"] = {"word": "label"}
        stack = self.client.create(self.name, **body)
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=90)
        body["environment"]["parameters"] = {"word": "later-label"}
        plan = self.client.ask(
            "POST", f"{stack.path}/plans", {"action": "update", **body}
        )
        plan_id = typing.cast(Json, plan)["plan"]["id"]
        self.client.ask("GET", f"{stack.path}/plans/{plan_id}")
        self.wait_until_drifted(stack, "compared")
        self.client.ask("GET", f"{stack.path}/drift/template")
        low_id = self.client.resources(stack)["low"]["physical_resource_id"]
        shown = typing.cast(
            Json, self.client.get(f"/stacks/{low_id}", "stack")
        )
        low = rest.Stack(str(shown["stack_name"]), str(low_id))
        self.client.ask("GET", f"{low.path}/drift/template")
        self.look_at_all(stack)
        self.wait_until_notified(stack, "CREATE_COMPLETE")
        self.check_redacted(stack)

        self.check_plain(stack, low, template)

    def check_plain(
        self, stack: rest.Stack, low: rest.Stack, template: Json
    ) -> None:
        """Check that what Heat answers in plain arrives unchanged."""
        for place, written in ((stack, template), (low, _LOW)):
            self.assertEqual(
                written, self.client.ask("GET", f"{place.path}/template")
            )
        self.assertEqual(
            {
                "admin_pass": _WORDS["given"],
                "default": _WORDS["default"].upper(),
            },
            self.client.outputs(stack),
        )
        self.assertEqual(
            {"plain": "label", "admin_pass": _WORDS["output"]},
            self.client.outputs(low),
        )
