"""Each built-in function, in templates of the newest version."""

import json

from orch.template import errors
from orch.template import inputs
from orch.template import template
from orch.template.language import functions_of_version
from orch.template.language import versions
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes

GIVES = (
    ({"get_param": ["j", "a", 1]}, 2),
    ({"get_param": ["j", "nope"]}, ""),
    ({"get_file": "f"}, "text"),
    ({"digest": ["md5", "a"]}, "0cc175b9c0f1b6a831c399e269772661"),
    ({"list_join": ["-", ["a", None], ["b", {"k": 1}]]}, 'a--b-{"k": 1}'),
    ({"str_split": [",", "a,b", 1]}, "b"),
    ({"str_replace": {"template": "abcab", "params": {"ab": "x"}}}, "xcx"),
    (
        {"str_replace": {"template": "AB", "params": {"A": "B", "B": "C"}}},
        "BC",
    ),
    ({"list_concat": [[1], None, [1, 2]]}, [1, 1, 2]),
    ({"list_concat_unique": [[[1]], [[1], 2]]}, [[1], 2]),
    ({"filter": [["a", ["b"]], ["a", ["b"], "c"]]}, ["c"]),
    ({"contains": ["b", "abc"]}, True),
    ({"map_merge": [{"a": 1}, None, {"a": 2}]}, {"a": 2}),
    (
        {"map_replace": [{"a": "x"}, {"keys": {"a": "b"}}]},
        {"b": "x"},
    ),
    (
        {"repeat": {"for_each": {"%x%": {"k": 1}}, "template": ["%x%"]}},
        [["k"]],
    ),
    (
        {"make_url": {"scheme": "http", "host": "::1", "port": "80"}},
        "http://[::1]:80",
    ),
    ({"yaql": {"expression": "$.data.sum()", "data": [1, 2]}}, 3),
    ({"if": [{"equals": [1, 1]}, "yes", "no"]}, "yes"),
    ({"if": ["off_", "yes"]}, None),
    ({"list_join": ["-", ["a"], "", {}, 0, False]}, "a"),
    ({"str_split": [None, " a  b "]}, ["a", "b"]),
    (
        {"map_replace": [{"a": 1, "b": 2}, {"keys": {"a": 7, "b": True}}]},
        {"7": 1, "true": 2},
    ),
    ({"make_url": {"scheme": "http", "host": "a:b"}}, "http://[a:b]"),
    ({"make_url": {"scheme": "http", "host": "a b/c"}}, "http://a%20b%2Fc"),
    (
        {"make_url": {"scheme": "http", "host": "[fe80::1%e]"}},
        "http://[fe80::1%25e]",
    ),
    ({"make_url": {"host": "h", "port": 80.0}}, "//h:80.0"),
    ({"yaql": {"expression": "[].first()"}}, None),
    (
        {"yaql": {"expression": "{null => 1, true => 2}"}},
        {"null": 1, "true": 2},
    ),
    (
        {"yaql": {"expression": "[datetime(2020, 1, 2, 3, 4, 5, 6)]"}},
        ["2020-01-02T03:04:05.000006"],
    ),
    ({"if": [{"and": ["on_", {"not": "off_"}]}, 1, 2]}, 1),
    ({"if": [{"or": ["off_", {"contains": ["a", ["b"]]}]}, 1, 2]}, 2),
)
REFUSED_AT_ONCE = (
    {"get_attr": "x"},
    {"get_attr": []},
    {"get_resource": ["x"]},
    {"list_join": ["-"]},
    {"str_split": "x"},
    {"str_replace": {"template": "x"}},
    {"str_replace": {"template": "x", "params": []}},
    {"filter": [[]]},
    {"contains": "x"},
    {"repeat": []},
    {"repeat": {"for_each": []}},
    {"repeat": {"for_each": [], "template": 1}},
    {"repeat": {"for_each": {}, "template": 1, "permutations": "x"}},
    {"make_url": []},
    {"make_url": {"hostt": "x"}},
    {"make_url": {"port": "x"}},
    {"make_url": {"port": 70000}},
    {"yaql": {"data": 1}},
    {"yaql": {"expression": "$.("}},
    {"yaql": {"expression": "(" * 3000}},
    {"if": ["nope", 1, 2]},
    {"if": [{"list_join": ["", []]}, 1, 2]},
    {"resource_facade": "everything"},
    {"resource_facade": {"get_param": "word"}},
    {"make_url": {"get_param": "j"}},
    {"make_url": {"host": None}},
    {"make_url": {"query": None}},
    {"make_url": {"host": "h", "port": None}},
    {"make_url": {"host": "h", "port": ""}},
    {"Fn::Join": ["", []]},
)
FAILS = (
    {"get_param": "ghost"},
    {"get_param": {"a": "b"}},
    {"get_file": "ghost"},
    {"digest": ["crc", "a"]},
    {"digest": ["sha256", "\u20ac"]},
    {"list_join": ["-", [1]]},
    {"list_join": ["-", "a"]},
    {"str_split": [",", "a", 9]},
    {"str_split": [",", 5]},
    {"str_replace": {"template": 5, "params": {}}},
    {"str_replace": {"template": "a", "params": {"": "b"}}},
    {"str_replace_strict": {"template": "a", "params": {"b": "c"}}},
    {"str_replace_vstrict": {"template": "a", "params": {"a": ""}}},
    {"list_concat": ["a"]},
    {"filter": [["a"], 5]},
    {"filter": [["a"], "abc"]},
    {"filter": ["a", ["a"]]},
    {"list_join": ["-", ["a"], 1]},
    {"map_replace": [{"a": 1}, {"keys": {"a": ["b"]}}]},
    {"yaql": {"expression": "[1, 2].single()"}},
    {"get_resource": None},
    {"get_resource": 1},
    {"contains": ["a", 5]},
    {"contains": [5, "a"]},
    {"map_merge": ["a"]},
    {"map_replace": [{"a": 1, "b": 2}, {"keys": {"a": "b"}}]},
    {"map_replace": [{"a": 1}, {"kees": {}}]},
    {"repeat": {"for_each": {}, "template": "x"}},
    {"repeat": {"for_each": {"%x%": "abc"}, "template": "x"}},
    {"repeat": {"for_each": {"%x%": [1]}, "template": "x"}},
    {
        "repeat": {
            "for_each": {"%x%": ["a"], "%y%": []},
            "template": "x",
            "permutations": False,
        }
    },
    {"make_url": {"scheme": "http:", "host": "x"}},
    {"yaql": {"expression": "nope($.data)"}},
    {"yaql": {"expression": "range(300).toList()"}},
    {"yaql": {"expression": "'x' * 100000"}},
    {"resource_facade": "metadata"},
)
CFN_GIVES = (
    ({"Fn::Select": ["1", ["a", "b"]]}, "b"),
    ({"Fn::Select": ["k", '{"k": "v"}']}, "v"),
    ({"Fn::Split": [",", "a,b"]}, ["a", "b"]),
    ({"Fn::Join": ["-", ["a", "b"]]}, "a-b"),
    ({"Fn::Replace": [{"$a": 1}, "x$a"]}, "x1"),
    ({"Fn::Base64": "a"}, "a"),
    ({"Fn::FindInMap": ["M", "k", "v"]}, 7),
    ({"Fn::Select": ["7", {"7": "x"}]}, "x"),
    ({"Fn::Select": ["7", {}]}, ""),
    ({"Fn::MemberListToMap": ["Name", "Value", ""]}, {}),
    (
        {
            "Fn::MemberListToMap": [
                "Name",
                "Value",
                [".member.01.Name=a", ".member.1.Value=b", "x.1.Name=c", "="],
            ]
        },
        {"a": "b"},
    ),
    (
        {
            "Fn::MemberListToMap": [
                "Name",
                "Value",
                [
                    ".member.0.Name=a",
                    ".member.0.Value=b=c",
                    ".member.1.Name=d",
                ],
            ]
        },
        {"a": "b=c"},
    ),
    ({"Ref": "AWS::StackName"}, "name"),
    ({"Fn::If": ["Yes", 1, 2]}, 1),
    ({"Fn::If": [{"Fn::Not": ["Yes"]}, 1, 2]}, 2),
)


CFN_FAILS = (
    {"Fn::Split": [{"Fn::Join": ["", [","]]}, "a,b"]},
    {"Fn::MemberListToMap": ["Name", "Value", None]},
    {"Fn::MemberListToMap": ["Name", "Value", ["no pair"]]},
    {"Fn::FindInMap": ["M", "k", ""]},
    {"Fn::GetAZs": ""},
    {"Ref": "ghost"},
    {"Ref": 5},
)


def _load(written):
    return template.Template.load(
        inputs.Inputs(written, files={"f": "text"}),
        fakes.Types(),
        inputs.Identity("id", "name", "project"),
        inputs.Limits(),
    )


def _hot(value):
    return _load(
        {
            "heat_template_version": "2021-04-16",
            "parameters": {
                "j": {"type": "json", "default": {"a": [1, 2]}},
                "word": {"type": "string", "default": "metadata"},
            },
            "conditions": {"on_": True, "off_": False},
            "outputs": {"o": {"value": value}},
        }
    )


def _cfn(value):
    return _load(
        {
            "AWSTemplateFormatVersion": "2010-09-09",
            "Mappings": {"M": {"k": {"v": 7}}},
            "Conditions": {"Yes": True},
            "Outputs": {"o": {"Value": value}},
        }
    )


class FunctionsTest(base.TestCase):
    def output(self, loaded):
        loaded.validate(declaration.check_with_rows)
        (found,) = loaded.resolve_outputs(None)
        return found

    def test_functions_give_their_value(self) -> None:
        for written, wanted in GIVES:
            found = self.output(_hot(written))
            self.assertIsNone(found.error, written)
            self.assertEqual(wanted, found.value, written)

    def test_functions_of_cloudformation_give_their_value(self) -> None:
        for written, wanted in CFN_GIVES:
            found = self.output(_cfn(written))
            self.assertIsNone(found.error, written)
            self.assertEqual(wanted, found.value, written)

    def test_arguments_that_are_never_right_are_refused_at_once(self) -> None:
        for written in REFUSED_AT_ONCE:
            with self.subTest(json.dumps(written)[:80]):
                self.assertRaises(
                    errors.TemplateInvalid,
                    _hot(written).validate,
                    declaration.check_with_rows,
                )

    def test_values_that_turn_out_wrong_are_errors_of_the_output(self) -> None:
        for written in FAILS:
            found = self.output(_hot(written))
            self.assertIsNone(found.value, written)
            self.assertTrue(found.error, written)

    def test_wrong_values_of_cloudformation_are_errors_too(self) -> None:
        for written in CFN_FAILS:
            found = self.output(_cfn(written))
            self.assertIsNone(found.value, written)
            self.assertTrue(found.error, written)

    def test_ref_takes_no_function(self) -> None:
        nested = _cfn({"Ref": {"Fn::Join": ["", ["a"]]}})

        self.assertRaises(
            errors.TemplateInvalid,
            nested.validate,
            declaration.check_with_rows,
        )

    def test_every_function_of_every_version_is_installed(self) -> None:
        for version in versions.VERSIONS:
            self.assertEqual(
                set(version.functions),
                set(version.functions)
                & set(functions_of_version.functions_of_version(version)),
            )
            self.assertEqual(
                set(version.in_conditions),
                set(functions_of_version.functions_in_conditions(version)),
            )

    def test_every_function_says_what_it_does(self) -> None:
        for version in versions.VERSIONS:
            for one in functions_of_version.list_functions(
                version, with_conditions=True
            ):
                self.assertTrue(one["description"].endswith("."), one)
