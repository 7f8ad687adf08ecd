"""What has the name of a secret in a template, or is given to one."""

import json

from orch.model import marked
from orch.plugin import schema
from orch.template import inputs
from orch.template import template
from orch.template import world
from tests import base
from tests.unit.template import fakes

LITERAL = "canary-77"
HIDDEN = "******"
DEEP = schema.Property(
    "*",
    schema.Type.MAP,
    fields=(
        schema.Property("deep", schema.Type.STRING, is_sensitive=True),
        schema.Property("open", schema.Type.STRING),
    ),
)
PIN = fakes.kind(
    "T::Pin",
    (
        schema.Property(
            "pin",
            schema.Type.STRING,
            is_sensitive=True,
            former_names=("old_pin",),
        ),
        schema.Property("note", schema.Type.STRING),
        schema.Property("any", schema.Type.MAP),
        schema.Property("box", schema.Type.MAP, fields=DEEP.fields),
        schema.Property("maps", schema.Type.LIST, items=DEEP),
        schema.Property(
            "words",
            schema.Type.LIST,
            items=schema.Property("*", schema.Type.STRING, is_sensitive=True),
        ),
        schema.Property("by_name", schema.Type.MAP, items=DEEP),
    ),
)
THING = fakes.kind("T::Thing", (schema.Property("any", schema.Type.MAP),))
OWN_TYPE = fakes.kind(
    "T::Own", (schema.Property("pin", schema.Type.STRING, is_sensitive=True),)
)
TYPES = fakes.Types(PIN, THING, OWN_TYPE)
PARAMETERS = {
    "conf": {
        "type": "json",
        "default": {"admin_pass": LITERAL, "region": "r", "list": ["a", "b"]},
    },
    "db_password": {"type": "string", "default": LITERAL},
    "plain": {"type": "string", "default": "x"},
}
KID = {
    "heat_template_version": "2021-04-16",
    "parameters": {
        name: {"type": "string", "default": "x"}
        for name in ("given", "joined", "aliased", "open")
    },
    "resources": {
        "q": {
            "type": "T::Pin",
            "properties": {
                "pin": {"get_param": "given"},
                "box": {
                    "deep": {"list_join": ["", [{"get_param": ["joined"]}]]}
                },
                "note": {"get_param": "open"},
            },
        },
        "mapped": {
            "type": "My::Pin",
            "properties": {"pin": {"get_param": "aliased"}},
        },
        # A template may name itself, by whatever condition.
        "self": {"type": "kid.yaml", "properties": {"open": "x"}},
    },
}
TOP = {
    "heat_template_version": "2021-04-16",
    "parameters": {"outer": {"type": "string", "default": "x"}},
    "resources": {
        "kid": {
            "type": "kid.yaml",
            "properties": {"given": {"get_param": "outer"}},
        }
    },
}


OWN = {
    "heat_template_version": "2021-04-16",
    "parameters": {"pass_on": {"type": "string"}},
    "resources": {
        "r": {
            "type": "T::Own",
            "properties": {"pin": {"get_param": "pass_on"}},
        }
    },
}


def load(
    resources: dict[str, object] | None = None, **sections: object
) -> template.Template:
    return template.Template.load(
        inputs.Inputs(
            {
                "heat_template_version": "2021-04-16",
                "parameters": PARAMETERS,
                "conditions": {"always": True},
                "resources": resources or {},
                **sections,
            },
            environment={
                "resource_registry": {
                    "My::Pin": "T::Pin",
                    "My::Circle": "My::Other",
                    "My::Other": "My::Circle",
                    "My::Kid": "kid.yaml",
                    "T::Own": "own.yaml",
                    "resources": {
                        "r": {"My::Local": "T::Pin"},
                        "outer": {"r": {"My::Inner": "My::Pin"}},
                    },
                }
            },
            files={
                "kid.yaml": json.dumps(KID),
                "top.yaml": json.dumps(TOP),
                "own.yaml": json.dumps(OWN),
            },
        ),
        TYPES,
        inputs.Identity("id-1", "web", "demo"),
        inputs.Limits(),
    )


def marks(value: object) -> list[marked.Path]:
    """Return the paths that are sensitive in a value of a property."""
    loaded = load({"r": {"type": "T::Thing", "properties": {"any": value}}})
    found = loaded.resolve_properties("r", world.EmptyWorld())
    return sorted(marked.below(found.sensitive, "any"))


def count(value: object) -> dict[str, object]:
    return {"yaql": {"expression": "$.data.len()", "data": value}}


class _NamedWorld(world.EmptyWorld):
    def reference_id(self, name: str) -> object:
        return f"id-of-{name}"


class ReadNamesTest(base.TestCase):
    def test_each_pass_marks_what_is_in_a_list(self) -> None:
        written = {
            "str_replace": {
                "template": "p $password",
                "params": {"$password": LITERAL},
            }
        }
        loaded = load(
            {
                "other": {"type": "T::Thing"},
                "r": {
                    "type": "T::Thing",
                    "properties": {
                        "any": {
                            "many": ["a", written],
                            "later": {"get_resource": "other"},
                        }
                    },
                },
            }
        )

        for _ in range(3):
            found = loaded.resolve_properties("r", _NamedWorld())
            self.assertEqual((("any", "many", 1),), tuple(found.sensitive))

    def test_a_literal_argument_under_the_name_of_a_secret(self) -> None:
        for written in (
            count({"admin_pass": LITERAL}),
            {
                "str_replace": {
                    "template": "p $password",
                    "params": {"$password": LITERAL},
                }
            },
            {"map_merge": [{"a": [{"private_key": LITERAL}]}, {"b": "c"}]},
            count({"map_merge": [{"admin_pass": LITERAL}]}),
            {"list_join": ["", [[{"if": ["always", {"token": 1}, ""]}]]]},
        ):
            self.assertEqual([("x",)], marks({"x": written}), written)

    def test_other_literals_are_not_sensitive(self) -> None:
        for written in (
            LITERAL,
            count({"admin": LITERAL}),
            count({"admin_pass": None}),
            # The name is still there.
            {"admin_pass": LITERAL},
            {"if": ["always", {"admin_pass": LITERAL}, ""]},
            {"get_param": "conf"},
        ):
            self.assertEqual([], marks({"x": written}), written)

    def test_functions_beside_a_secret_are_not_sensitive(self) -> None:
        written = [count({"admin_pass": LITERAL}), count({"a": "b"})]

        self.assertEqual([("x", 0)], marks({"x": written}))

    def test_a_parameter_with_the_name_of_a_secret(self) -> None:
        read = {"get_param": "db_password"}

        self.assertEqual([("x",)], marks({"x": read}))
        self.assertEqual([("x",)], marks({"x": count(read)}))

    def test_a_step_of_a_path_with_the_name_of_a_secret(self) -> None:
        read = {"get_param": ["conf", "admin_pass"]}

        self.assertEqual([("x",)], marks({"x": read}))
        self.assertEqual([("x",)], marks({"x": count(read)}))

    def test_what_a_function_makes_of_a_value_with_such_a_name(self) -> None:
        self.assertEqual([("x",)], marks({"x": count({"get_param": "conf"})}))

    def test_other_parts_of_a_value_with_such_a_name(self) -> None:
        for path in (["region"], ["list", 1], ["list", "1"], ["list", "z"]):
            read = {"get_param": ["conf", *path]}
            self.assertEqual([], marks({"x": count(read)}), path)

    def test_parts_of_mappings(self) -> None:
        mapping = {"prod": {"admin_pass": LITERAL, "region": "r"}}

        def find(*path: str) -> object:
            return {"Fn::Join": ["", [{"Fn::FindInMap": list(path)}]]}

        loaded = template.Template.load(
            inputs.Inputs(
                {
                    "AWSTemplateFormatVersion": "2010-09-09",
                    "Mappings": {
                        "sites": mapping,
                        "db_password": {"a": {"b": "c"}},
                    },
                    "Resources": {
                        "r": {
                            "Type": "T::Thing",
                            "Properties": {
                                "any": {
                                    "secret": find(
                                        "sites", "prod", "admin_pass"
                                    ),
                                    "region": find("sites", "prod", "region"),
                                    "token": find("db_password", "a", "b"),
                                }
                            },
                        }
                    },
                }
            ),
            TYPES,
            inputs.Identity("id-1", "web", "demo"),
            inputs.Limits(),
        )

        found = loaded.resolve_properties("r", world.EmptyWorld())

        self.assertEqual(
            {("any", "secret"), ("any", "token")}, set(found.sensitive)
        )


class SchemaTest(base.TestCase):
    """Parts of properties that their type declares as sensitive."""

    def test_marks_at_any_depth(self) -> None:
        part = {"deep": "a", "open": "b"}
        properties = {
            "pin": "a",
            "note": "b",
            "box": part,
            "maps": [part, {"open": "b"}],
            "words": ["a", "b"],
            "by_name": {"k": part},
        }
        loaded = load({"r": {"type": "T::Pin", "properties": properties}})

        found = loaded.resolve_properties("r", world.EmptyWorld())

        redacted = {"deep": HIDDEN, "open": "b"}
        self.assertEqual(
            {
                "pin": HIDDEN,
                "note": "b",
                "any": None,
                "box": redacted,
                "maps": [redacted, {"deep": None, "open": "b"}],
                "words": [HIDDEN, HIDDEN],
                "by_name": {"k": redacted},
            },
            marked.redact(found, found.sensitive),
        )

    def test_what_a_template_gives_to_such_a_property(self) -> None:
        loaded = load(
            {
                "kid": {
                    "type": "kid.yaml",
                    "properties": {"given": "a", "joined": "b", "open": "c"},
                },
                "top": {"type": "top.yaml", "properties": {"outer": "a"}},
            }
        )

        for name, expected in (
            ("kid", {("given",), ("joined",), ("aliased",)}),
            ("top", {("outer",)}),
        ):
            found = loaded.resolve_properties(name, world.EmptyWorld())
            self.assertEqual(expected, set(found.sensitive))


class LiteralsTest(base.TestCase):
    """Literals of secrets are found in the text of a template."""

    def redacted(self, **sections: object) -> dict[str, object]:
        loaded = load(**sections)
        found = marked.redact(loaded.raw, loaded.secret_literals)
        assert isinstance(found, dict)
        return found

    def resource(self, type_name: str, **properties: object) -> object:
        """Return the properties of a resource as they are shown."""
        declared = {"type": type_name, "properties": properties}
        found = self.redacted(resources={"r": declared})["resources"]
        assert isinstance(found, dict)
        self.assertEqual(type_name, found["r"]["type"])
        return found["r"]["properties"]

    def test_expressions_under_the_name_of_a_secret(self) -> None:
        for written, expected in (
            (LITERAL, HIDDEN),
            (7, HIDDEN),
            (None, None),
            ([LITERAL], [HIDDEN]),
            (
                {"list_join": ["", [LITERAL, {"get_param": "plain"}]]},
                {"list_join": [HIDDEN, [HIDDEN, {"get_param": "plain"}]]},
            ),
            (
                {"if": ["always", LITERAL, {"get_file": "a"}]},
                {"if": [HIDDEN, HIDDEN, {"get_file": "a"}]},
            ),
            (
                {"str_replace": {"template": LITERAL, "params": {"x": "y"}}},
                {"str_replace": {"template": HIDDEN, "params": {"x": HIDDEN}}},
            ),
        ):
            self.assertEqual(
                {"any": {"admin_pass": expected, "user": "u"}},
                self.resource(
                    "T::Thing", any={"admin_pass": written, "user": "u"}
                ),
            )

    def test_names_of_what_is_declared_are_no_secrets(self) -> None:
        resources = {
            "admin_pass": {
                "type": "T::Thing",
                "properties": {"any": {"a": "b", "token": LITERAL}},
            }
        }

        found = self.redacted(
            resources=resources, conditions={"use_token": {"not": True}}
        )

        self.assertEqual(
            {
                "admin_pass": {
                    "type": "T::Thing",
                    "properties": {"any": {"a": "b", "token": HIDDEN}},
                }
            },
            found["resources"],
        )
        self.assertEqual({"use_token": {"not": True}}, found["conditions"])

    def test_outputs(self) -> None:
        found = self.redacted(
            outputs={
                "admin_pass": {
                    "description": "of all",
                    "value": {"list_join": ["", [LITERAL]]},
                },
                "other": {"value": {"a": "b", "token": LITERAL}},
            }
        )

        self.assertEqual(
            {
                "admin_pass": {
                    "description": "of all",
                    "value": {"list_join": [HIDDEN, [HIDDEN]]},
                },
                "other": {"value": {"a": "b", "token": HIDDEN}},
            },
            found["outputs"],
        )

    def test_a_parameter_without_a_default_has_no_literal(self) -> None:
        found = load(parameters={"admin_pass": {"type": "string"}})

        self.assertEqual((), tuple(found.secret_literals))

    def test_the_default_of_a_secret_has_one_path(self) -> None:
        default = {"admin_pass": LITERAL}
        declared = {"type": "json", "default": default}
        loaded = load(parameters={"db_password": declared})

        self.assertEqual(
            (("parameters", "db_password", "default"),),
            loaded.secret_literals,
        )

    def test_defaults_of_parameters(self) -> None:
        resources = {
            "r": {
                "type": "T::Pin",
                "properties": {"pin": {"get_param": "plain"}},
            }
        }

        found = self.redacted(resources=resources)["parameters"]

        assert isinstance(found, dict)
        self.assertEqual(HIDDEN, found["db_password"]["default"])
        self.assertEqual(HIDDEN, found["plain"]["default"])
        self.assertEqual(
            {"admin_pass": HIDDEN, "region": "r", "list": ["a", "b"]},
            found["conf"]["default"],
        )
        found = self.redacted()["parameters"]
        assert isinstance(found, dict)
        self.assertEqual(PARAMETERS["plain"], found["plain"])

    def test_sensitive_properties(self) -> None:
        # Which resource has what a group declares is not known.
        for type_name in ("T::Pin", "My::Pin", "My::Local", "My::Inner"):
            self.assertEqual(
                {
                    "pin": {"list_join": [HIDDEN, [HIDDEN]]},
                    "note": "n",
                    "box": {"deep": HIDDEN, "open": "o"},
                    "maps": [{"deep": {"if": [HIDDEN, HIDDEN, HIDDEN]}}],
                    "words": [HIDDEN],
                },
                self.resource(
                    type_name,
                    pin={"list_join": ["", [LITERAL]]},
                    note="n",
                    box={"deep": LITERAL, "open": "o"},
                    maps=[{"deep": {"if": ["always", LITERAL, LITERAL]}}],
                    words=[LITERAL],
                ),
            )
        self.assertEqual(
            {"old_pin": HIDDEN}, self.resource("T::Pin", old_pin=LITERAL)
        )

    def test_members_of_a_group(self) -> None:
        member = {"type": "T::Pin", "properties": {"pin": LITERAL, "note": ""}}

        self.assertEqual(
            {
                "any": {
                    "type": "T::Pin",
                    "properties": {"pin": HIDDEN, "note": ""},
                }
            },
            self.resource("T::Thing", any=member),
        )

    def test_what_a_child_stack_is_given(self) -> None:
        self.assertEqual(
            {"given": HIDDEN, "open": "o"},
            self.resource("kid.yaml", given=LITERAL, open="o"),
        )
        for type_name in ("kid.yaml", "My::Kid"):
            self.assertEqual(
                {"aliased": HIDDEN, "open": "o"},
                self.resource(type_name, aliased=LITERAL, open="o"),
            )
        self.assertEqual(
            {"pass_on": HIDDEN}, self.resource("T::Own", pass_on=LITERAL)
        )
        self.assertEqual(
            {"outer": HIDDEN}, self.resource("top.yaml", outer=LITERAL)
        )

    def test_types_that_do_not_exist_have_no_secrets(self) -> None:
        for type_name in ("T::None", "none.yaml", "My::Circle"):
            self.assertEqual(
                {"pin": LITERAL}, self.resource(type_name, pin=LITERAL)
            )
