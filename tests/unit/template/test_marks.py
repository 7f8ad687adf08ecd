"""What is sensitive in resolved properties and outputs is marked."""

from orch.model import marked
from orch.plugin import nested_stack
from orch.plugin import schema
from orch.template import inputs
from orch.template import template
from orch.template import world
from orch.template.language import functions_of_version
from orch.template.language import versions
from tests import base
from tests.unit.template import fakes

SECRET = "s3cret"
PARAMETERS = {
    "p": {"type": "string", "hidden": True},
    "j": {"type": "json", "hidden": True},
    "plain": {"type": "string", "default": "x"},
    "sealed": {
        "type": "string",
        "default": "http://h/v1/signal/arn?Signature=pr00f",
    },
}
VALUES = {"p": SECRET, "j": {"a": SECRET, "b": ["c"]}}
P = {"get_param": "p"}
J = {"get_param": "j"}
PLAIN = {"get_param": "plain"}
FUNCTIONS = (
    P,
    {"get_param": ["j", "b", 0]},
    {"contains": ["s", P]},
    {"digest": ["sha256", P]},
    {"filter": [[P], [SECRET, "other"]]},
    {"if": ["always", P, "other"]},
    {"list_concat": [["a"], [P]]},
    {"list_concat_unique": [["a"], [P]]},
    {"list_join": ["-", ["a", P]]},
    {"make_url": {"scheme": "http", "host": "h", "password": P}},
    {"map_merge": [{"a": 1}, {"b": P}]},
    {"map_merge": [J, {"b": 1}]},
    {"map_replace": [{"a": "x"}, {"values": {"x": P}}]},
    {"repeat": {"for_each": {"%x%": [P]}, "template": {"k": "%x%"}}},
    {"str_replace": {"template": "a-b", "params": {"a": P}}},
    {"str_replace": {"template": P, "params": {"a": "b"}}},
    {"str_replace_strict": {"template": "a-b", "params": {"a": P}}},
    {"str_replace_vstrict": {"template": "a-b", "params": {"a": P}}},
    {"str_split": ["3", P]},
    {"str_split": ["3", P, 0]},
    {"yaql": {"expression": "$.data.len()", "data": P}},
    {"list_join": ["", [{"str_split": ["3", {"list_join": ["", [P]]}, 1]}]]},
)
CFN_FUNCTIONS = (
    {"Ref": "P"},
    {"Fn::Base64": {"Ref": "P"}},
    {"Fn::Join": ["-", ["a", {"Ref": "P"}]]},
    {"Fn::Select": ["0", [{"Ref": "P"}, "b"]]},
    {"Fn::Split": ["3", {"Ref": "P"}]},
    {"Fn::Replace": [{"a": {"Ref": "P"}}, "a-b"]},
    {
        "Fn::MemberListToMap": [
            "Name",
            "Value",
            [
                ".member.0.Name=k",
                {"Fn::Join": ["=", [".member.0.Value", {"Ref": "P"}]]},
            ],
        ]
    },
    {"Fn::If": ["Always", {"Ref": "P"}, "b"]},
    {"Fn::FindInMap": ["Sizes", "small", {"Ref": "P"}]},
    {"Fn::FindInMap": ["Sizes", "large", "admin_pass"]},
)
READS_NO_PARAMETER = {
    "Fn::GetAZs",
    "Fn::GetAtt",
    "Fn::ResourceFacade",
    "get_attr",
    "get_file",
    "get_resource",
    "resource_facade",
}

NESTED_THING = schema.Property(
    "nested",
    schema.Type.MAP,
    fields=(
        schema.Property(
            "new", schema.Type.STRING, former_names=("nested_old",)
        ),
    ),
)
THING = fakes.kind(
    "T::Thing",
    (
        schema.Property("text", schema.Type.STRING),
        schema.Property("many", schema.Type.LIST),
        schema.Property("map", schema.Type.MAP),
        schema.Property("new", schema.Type.STRING, former_names=("old",)),
        schema.Property("items", schema.Type.LIST, items=NESTED_THING),
    ),
    (schema.Attribute("out"), schema.Attribute("other")),
)
ALL = sorted((each.name,) for each in THING.properties)
KEY = fakes.kind(
    "T::Key",
    (
        schema.Property("text", schema.Type.STRING),
        schema.Property("material", schema.Type.STRING, is_sensitive=True),
    ),
    (schema.Attribute("out"),),
)
TYPES = fakes.Types(THING, KEY)
KID = (
    "heat_template_version: 2018-08-31\n"
    "parameters:\n"
    "  open: {type: string, default: x}\n"
    "  closed: {type: string, default: x, hidden: true}\n"
    "resources: {t: {type: T::Thing}}\n"
    "outputs: {o: {value: x}}\n"
)


class World(world.EmptyWorld):
    """Shows what is read, and calls some of it sensitive."""

    def __init__(self, *sensitive: tuple[str, str | None]) -> None:
        self.asked: list[object] = []
        self._sensitive = sensitive

    def reference_id(self, name):
        return f"id-of-{name}"

    def attribute(self, name, attribute):
        return {"a": [f"{attribute}-of-{name}"], "private_key": "k"}

    def is_sensitive(self, name, attribute, value):
        self.asked.append((name, attribute, value))
        return (name, attribute) in self._sensitive


def load(
    resources: dict[str, object],
    outputs: dict[str, object] | None = None,
    around: inputs.ParentContext | None = None,
    **more: object,
) -> template.Template:
    """Load a template in which ``p`` and ``j`` are hidden."""
    return template.Template.load(
        inputs.Inputs(
            {
                "heat_template_version": "2021-04-16",
                "parameters": PARAMETERS,
                "conditions": {"always": True},
                "resources": resources,
                "outputs": outputs or {},
            },
            parameters=VALUES,
            files={"kid.yaml": KID},
            around=around,
            **more,
        ),
        TYPES,
        inputs.Identity("id-1", "web", "demo"),
        inputs.Limits(),
    )


def declare(**properties: object) -> dict[str, object]:
    return {"type": "T::Thing", "properties": properties}


def marks(
    properties: object,
    view: world.World | None = None,
    around: inputs.ParentContext | None = None,
) -> list[marked.Path]:
    """Return what is marked in the properties of one resource."""
    loaded = load(
        {
            "r": {"type": "T::Thing", "properties": properties},
            "a": declare(),
        },
        around=around,
    )
    found = loaded.resolve_properties("r", view or World())
    return sorted(marked.paths_of(found), key=str)


class PropertiesTest(base.TestCase):
    def test_a_hidden_parameter_marks_the_property_it_is_in(self) -> None:
        self.assertEqual([("text",)], marks({"text": P, "many": [PLAIN]}))

    def test_only_its_place_in_maps_and_lists_is_marked(self) -> None:
        self.assertEqual(
            [("many", 1, "deep"), ("map", "a", "b", 0)],
            marks(
                {
                    "map": {"a": {"b": [P, "x"], "c": PLAIN}, "d": 1},
                    "many": ["x", {"deep": P, "plain": PLAIN}, PLAIN],
                }
            ),
        )

    def test_a_position_counts_what_is_there(self) -> None:
        self.assertEqual(
            [("many", 1)],
            marks({"many": [{"if": [{"not": "always"}, 1]}, "x", P]}),
        )

    def test_each_function_marks_what_it_returns(self) -> None:
        for written in FUNCTIONS:
            for name in ("many", "map"):
                place = 1 if name == "many" else "k"
                value = (
                    [PLAIN, written, "y"]
                    if name == "many"
                    else {"a": PLAIN, "k": written, "z": "y"}
                )

                self.assertEqual(
                    [(name, place)],
                    marks({name: value, "text": PLAIN}),
                    written,
                )

    def test_all_functions_have_been_tried(self) -> None:
        for version, tried in (
            (versions.VERSIONS[-1], FUNCTIONS),
            (versions.VERSIONS[0], CFN_FUNCTIONS),
        ):
            names = set(functions_of_version.functions_of_version(version))

            self.assertEqual(
                names & set(version.functions),
                {next(iter(each)) for each in tried}
                | READS_NO_PARAMETER & names,
            )

    def test_nothing_sensitive_makes_no_marks(self) -> None:
        found = marks(
            {
                "text": {"list_join": ["-", [PLAIN, {"get_resource": "a"}]]},
                "map": {"a": {"get_attr": ["a", "out"]}},
            }
        )

        self.assertEqual([], found)

    def test_properties_that_a_function_returns_are_marked_as_a_whole(
        self,
    ) -> None:
        self.assertEqual(
            ALL, marks({"map_merge": [{"text": P}, {"many": [1]}]})
        )
        self.assertEqual([], marks({"map_merge": [{"text": PLAIN}]}))

    def test_marks_have_the_present_names_of_properties(self) -> None:
        self.assertEqual(
            [("items", 0, "new"), ("new",)],
            marks({"old": P, "items": [{"nested_old": P}]}),
        )

    def test_a_property_that_is_a_secret_by_its_type_is_marked(self) -> None:
        loaded = load(
            {"k": {"type": "T::Key", "properties": {"material": "x"}}}
        )

        found = loaded.resolve_properties("k", World())

        self.assertEqual((("material",),), marked.paths_of(found))

    def test_what_is_resolved_again_has_the_same_marks(self) -> None:
        loaded = load(
            {
                "static": declare(
                    text=P, many=[{"digest": ["md5", P]}, {"a": PLAIN}]
                ),
                "live": declare(
                    text={"list_join": ["", [P, {"get_resource": "static"}]]},
                    map={"a": {"str_split": ["3", P]}},
                ),
                "open": declare(text=PLAIN),
            }
        )
        for _ in range(3):
            for name, expected in (
                ("static", (("text",), ("many", 0))),
                ("live", (("text",), ("map", "a"))),
                ("open", ()),
            ):
                found = loaded.resolve_properties(name, World())

                self.assertEqual(expected, marked.paths_of(found), name)

    def test_a_node_that_was_resolved_elsewhere_has_its_marks_too(
        self,
    ) -> None:
        loaded = load({"r": declare(text=P)}, {"o": {"value": [P]}})
        for _ in range(2):
            loaded.resolve_outputs(World())
            found = loaded.resolve_properties("r", World())
            (output,) = loaded.resolve_outputs(World())

            self.assertEqual((("text",),), marked.paths_of(found))
            self.assertEqual(((0,),), output.sensitive)

    def test_the_unknown_beside_it_takes_no_mark_away(self) -> None:
        loaded = load(
            {
                "a": declare(),
                "r": declare(
                    text={"list_join": ["", [P, {"get_attr": ["a", "out"]}]]},
                    many=[{"get_attr": ["a", "out"]}, P],
                ),
            }
        )

        found = loaded.resolve_properties(
            "r", world.EmptyWorld(), marks_unknown=True
        )

        self.assertIs(world.UNKNOWN, found["text"])
        self.assertEqual((("text",), ("many", 1)), marked.paths_of(found))


class MetadataTest(base.TestCase):
    def test_a_hidden_parameter_marks_the_path_it_is_in(self) -> None:
        metadata = {
            "told": {"a": P, "b": PLAIN, "many": ["x", {"k": P}]},
            "digest": {"digest": ["md5", P]},
            "plain": PLAIN,
        }
        loaded = load({"r": {"type": "T::Thing", "metadata": metadata}})
        for _ in range(2):
            found = loaded.resolve_metadata("r", World())

            self.assertIsInstance(found, marked.Marked)
            self.assertEqual(SECRET, found["told"]["a"])
            self.assertEqual(
                (("told", "a"), ("told", "many", 1, "k"), ("digest",)),
                marked.paths_of(found),
            )

    def test_a_sensitive_attribute_marks_the_path_it_is_in(self) -> None:
        loaded = load(
            {
                "a": declare(),
                "r": {
                    "type": "T::Thing",
                    "metadata": {
                        "read": {"get_attr": ["a", "out"]},
                        "other": {"get_attr": ["a", "other"]},
                    },
                },
            }
        )

        found = loaded.resolve_metadata("r", World(("a", "out")))

        self.assertEqual((("read",),), marked.paths_of(found))

    def test_metadata_that_a_function_returns_are_marked_as_a_whole(
        self,
    ) -> None:
        merged = {"map_merge": [{"a": P}, {"b": "c"}]}
        loaded = load({"r": {"type": "T::Thing", "metadata": merged}})

        found = loaded.resolve_metadata("r", World())

        self.assertEqual((("a",), ("b",)), marked.paths_of(found))

    def test_nothing_sensitive_makes_no_marks(self) -> None:
        loaded = load(
            {
                "r": {"type": "T::Thing", "metadata": {"a": PLAIN}},
                "none": declare(text=P),
            }
        )
        for name in ("r", "none"):
            found = loaded.resolve_metadata(name, World())

            self.assertEqual((), marked.paths_of(found), name)

    def test_parts_that_the_engine_has_marked_are_seen_from_there(
        self,
    ) -> None:
        path = ("resources", "r", "metadata")
        for parts, expected in (
            ([(*path, "a", "b")], (("a", "b"),)),
            ([path], (("a",), ("c",))),
            ([("resources", "r", "properties")], ()),
        ):
            around = inputs.ParentContext(1, {}, sensitive_parts=tuple(parts))
            metadata = {"a": {"b": "x"}, "c": "y"}
            loaded = load(
                {"r": {"type": "T::Thing", "metadata": metadata}},
                around=around,
            )

            found = loaded.resolve_metadata("r", World())

            self.assertEqual(expected, marked.paths_of(found), parts)


class WorldTest(base.TestCase):
    def test_attributes_that_the_world_calls_sensitive_are_marked(
        self,
    ) -> None:
        for written in (
            {"get_attr": ["a", "out"]},
            {"get_attr": ["a", "out", "a", 0]},
            {"list_join": ["-", {"get_attr": ["a", "out", "a"]}]},
        ):
            self.assertEqual(
                [("many", 0)],
                marks(
                    {"many": [written, {"get_attr": ["a", "other"]}]},
                    World(("a", "out")),
                ),
                written,
            )

    def test_the_world_is_asked_of_the_part_that_is_read(self) -> None:
        view = World()

        marks({"many": [{"get_attr": ["a", "out", "a", 0]}]}, view)

        self.assertEqual([("a", "out", "out-of-a")], view.asked)

    def test_a_sensitive_reference_is_marked(self) -> None:
        self.assertEqual(
            [("many", 1)],
            marks(
                {"many": [{"get_attr": ["a", "out"]}, {"get_resource": "a"}]},
                World(("a", None)),
            ),
        )

    def test_a_path_with_the_name_of_a_secret_is_marked(self) -> None:
        self.assertEqual(
            [("many", 0)],
            marks(
                {
                    "many": [
                        {"get_attr": ["a", "out", "private_key"]},
                        {"get_attr": ["a", "out", "a", 0]},
                    ]
                }
            ),
        )


class OutputsTest(base.TestCase):
    def outputs(
        self, around: inputs.ParentContext | None = None, **values: object
    ) -> dict[str, marked.Paths]:
        loaded = load(
            {"a": declare()},
            {key: {"value": value} for key, value in values.items()},
            around,
        )
        for _ in range(2):
            found = {
                one.key: one.sensitive
                for one in loaded.resolve_outputs(World(("a", "out")))
            }
        return found

    def test_each_output_has_marks_of_its_own(self) -> None:
        self.assertEqual(
            {
                "whole": marked.WHOLE,
                "digest": marked.WHOLE,
                "parts": (("a",), ("c", 1)),
                "read": ((0,),),
                "plain": (),
                "text": (),
            },
            self.outputs(
                whole=P,
                digest={"digest": ["md5", P]},
                parts={"a": P, "b": PLAIN, "c": ["x", {"get_param": "p"}]},
                read=[{"get_attr": ["a", "out"]}, {"get_resource": "a"}],
                plain={"list_join": ["", [PLAIN, "y"]]},
                text="x",
            ),
        )

    def test_an_error_of_something_sensitive_is_sensitive(self) -> None:
        self.assertEqual(
            {"hidden": marked.WHOLE, "list": marked.WHOLE, "open": ()},
            self.outputs(
                hidden={"list_concat": [P]},
                list=["x", {"list_concat": [P]}],
                open={"list_concat": [PLAIN]},
            ),
        )

    def test_an_error_leaves_no_marks_behind(self) -> None:
        found = self.outputs(
            a_hidden=[P, {"list_concat": [P]}], b_open={"a": PLAIN}
        )

        self.assertEqual({"a_hidden": marked.WHOLE, "b_open": ()}, found)

    def test_parts_that_the_engine_has_marked_are_seen_from_there(
        self,
    ) -> None:
        around = inputs.ParentContext(
            1,
            {},
            sensitive_parts=(
                ("outputs", "o", "value", "a"),
                ("outputs", "all", "value"),
            ),
        )

        self.assertEqual(
            {"o": (("a",),), "all": marked.WHOLE, "no": ()},
            self.outputs(
                around, o={"a": "x", "b": "y"}, all=["x"], no={"a": "x"}
            ),
        )


class ChildStackTest(base.TestCase):
    def test_parameters_that_were_given_secrets_are_sensitive(self) -> None:
        around = inputs.ParentContext(
            1, {}, sensitive_parameters=("plain", "gone")
        )

        self.assertEqual(
            [("many", 1), ("text",)],
            marks({"text": PLAIN, "many": ["x", P]}, around=around),
        )
        self.assertEqual([], marks({"text": PLAIN}))

    def test_parts_of_its_template_are_sensitive(self) -> None:
        path = ("resources", "r", "properties")
        for parts, expected in (
            ([(*path, "map", "a")], [("map", "a")]),
            ([(*path, "old")], [("new",)]),
            ([path], ALL),
            ([("resources",)], ALL),
            ([()], ALL),
            ([("resources", "a")], []),
        ):
            around = inputs.ParentContext(1, {}, sensitive_parts=tuple(parts))

            self.assertEqual(
                expected,
                marks({"map": {"a": "x", "b": "y"}, "old": "z"}, None, around),
                parts,
            )

    def test_what_holds_the_stack_is_sensitive_where_its_metadata_are(
        self,
    ) -> None:
        facade = {"resource_facade": "metadata"}
        for has_sensitive_facade in (True, False):
            around = inputs.ParentContext(
                1,
                {"metadata": {"told": SECRET}},
                has_sensitive_facade=has_sensitive_facade,
            )
            loaded = load(
                {
                    "r": {
                        "type": "T::Thing",
                        "properties": {"map": {"a": facade}, "text": PLAIN},
                        "metadata": {"passed_on": facade, "b": PLAIN},
                    }
                },
                {"o": {"value": [PLAIN, facade]}},
                around,
            )
            for _ in range(2):
                properties = loaded.resolve_properties("r", World())
                metadata = loaded.resolve_metadata("r", World())
                (output,) = loaded.resolve_outputs(World())

                self.assertEqual({"a": {"told": SECRET}}, properties["map"])
                for expected, paths in (
                    (("map", "a"), marked.paths_of(properties)),
                    (("passed_on",), marked.paths_of(metadata)),
                    ((1,), output.sensitive),
                ):
                    self.assertEqual(
                        (expected,) if has_sensitive_facade else (), paths
                    )

    def test_a_hidden_parameter_of_a_file_marks_the_property(self) -> None:
        loaded = load(
            {
                "kid": {
                    "type": "kid.yaml",
                    "properties": {"open": "a", "closed": "b"},
                }
            }
        )

        found = loaded.resolve_properties("kid", World())

        self.assertEqual({"open": "a", "closed": "b"}, found)
        self.assertEqual((("closed",),), marked.paths_of(found))

    def test_the_whole_path_of_an_output_of_a_stack_is_asked_for(
        self,
    ) -> None:
        key = nested_stack.path_key(("o", "a"))
        loaded = load(
            {
                "kid": {"type": "kid.yaml"},
                "r": declare(many=[{"get_attr": ["kid", "o", "a"]}]),
            }
        )

        found = loaded.resolve_properties("r", World(("kid", key)))

        self.assertEqual((("many", 0),), marked.paths_of(found))


class CloudFormationTest(base.TestCase):
    def marks(self, value: object) -> marked.Paths:
        loaded = template.Template.load(
            inputs.Inputs(
                {
                    "AWSTemplateFormatVersion": "2010-09-09",
                    "Parameters": {
                        "P": {"Type": "String", "NoEcho": "true"},
                        "Plain": {"Type": "String", "Default": "x"},
                    },
                    "Mappings": {
                        "Sizes": {
                            "small": {SECRET: "1"},
                            "large": {"admin_pass": "2", "x": "3"},
                        },
                        "Plain": {"a": {"b": "c"}},
                    },
                    "Conditions": {"Always": {"Fn::Equals": ["a", "a"]}},
                    "Resources": {
                        "r": {
                            "Type": "T::Thing",
                            "Properties": {
                                "many": [{"Ref": "Plain"}, value, "y"]
                            },
                        }
                    },
                },
                parameters={"P": SECRET},
            ),
            TYPES,
            inputs.Identity("id-1", "web", "demo"),
            inputs.Limits(),
        )
        first = loaded.resolve_properties("r", World())
        found = loaded.resolve_properties("r", World())
        self.assertEqual(marked.paths_of(first), marked.paths_of(found))
        return marked.paths_of(found)

    def test_each_function_marks_what_it_returns(self) -> None:
        for written in CFN_FUNCTIONS:
            self.assertEqual((("many", 1),), self.marks(written), written)

    def test_nothing_sensitive_makes_no_marks(self) -> None:
        for written in (
            {"Ref": "Plain"},
            {"Fn::Join": ["", ["a", {"Ref": "Plain"}]]},
            {"Fn::FindInMap": ["Plain", "a", "b"]},
            {"Ref": "AWS::StackName"},
        ):
            self.assertEqual((), self.marks(written), written)
