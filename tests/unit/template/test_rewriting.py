"""Properties set in the text of a template."""

import json

import yaml

from orch.model import marked
from orch.template import rewriting
from orch.template.language import formats
from tests import base

_NAMES = {"one", "two", "empty", "text", "flow", "last", "new"}
_TEXT = """\
heat_template_version: 2021-04-16   # ours
resources:
  a:
    type: T
    properties:
      one: 1   # a number
      two: [x, y]
      empty:
      text: |
        first
        second

      flow: {a: 1, b: 2}
      last: "l"
  bare:
    type: T
  flowing: {type: T, properties: {one: 1}}
  shared: &shared
    type: T
    properties: &given
      one: 1
  user:
    type: T
    properties: *given
  made:
    type: T
    properties: {get_param: all}
outputs: {}
"""


class RewritingTests(base.TestCase):
    def set(
        self, name: str, value: object, resource: str = "a", text: str = _TEXT
    ) -> str:
        rewriting_ = rewriting.Rewriting(text, formats.HOT_2013)
        rewriting_.set(resource, name, value, _NAMES)
        return rewriting_.text

    def test_the_value_alone_changes(self) -> None:
        for name, value, old, new in (
            ("one", 2, "one: 1   # a", "one: 2   # a"),
            ("two", ["z"], "two: [x, y]", 'two: ["z"]'),
            ("empty", "e", "empty:\n", 'empty: "e"\n'),
            ("flow", {"c": None}, "{a: 1, b: 2}", '{"c": null}'),
            ("last", "yes", '"l"', '"yes"'),
            ("text", "short", "|\n        first\n        second", '"short"'),
            (
                "text",
                "other\n\nlines\n",
                "first\n        second",
                "other\n\n        lines",
            ),
        ):
            self.assertEqual(
                _TEXT.replace(old, new, 1), self.set(name, value), name
            )

    def test_what_was_not_given_is_added(self) -> None:
        for resource, old, new in (
            ("a", "      one: 1   #", '      new: "n"\n      one: 1   #'),
            (
                "bare",
                "  bare:\n    type",
                '  bare:\n    properties: {"new": "n"}\n    type',
            ),
            ("flowing", "{one: 1}}", '{"new": "n", one: 1}}'),
        ):
            self.assertEqual(
                _TEXT.replace(old, new, 1),
                self.set("new", "n", resource),
                resource,
            )

    def test_any_value_reads_back(self) -> None:
        for value in (
            "2021-04-16",
            "yes",
            "",
            " lead",
            "a: b # c",
            "tab\tand \\ and \" and '",
            "line\n  deeper\n",
            "trailing \n\n\n",
            "\u00e4\u20ac",
            "one\u2028two\u2029three\u0085four\x7f\x9b\ufeff\U0001f600",
            {"\u2028": ["\u0085"]},
            0,
            1.5,
            True,
            [],
            {},
            {"a": [{"b": "c"}]},
        ):
            for name in ("one", "text", "empty", "last", "new"):
                found = yaml.safe_load(self.set(name, value))
                self.assertEqual(
                    value, found["resources"]["a"]["properties"][name]
                )

    def test_json_stays_json(self) -> None:
        text = json.dumps(yaml.safe_load(_TEXT), indent=2, default=str)

        found = json.loads(self.set("one", "x", text=text))
        added = json.loads(self.set("new", ["x"], "bare", text=text))

        self.assertEqual("x", found["resources"]["a"]["properties"]["one"])
        self.assertEqual(
            {"new": ["x"]}, added["resources"]["bare"]["properties"]
        )

    def test_no_value_becomes_a_function_of_any_version(self) -> None:
        for name in (
            "get_param",
            "get_file",
            "str_replace_vstrict",
            "not",
            "Ref",
            "Fn::If",
            "Fn::Unheard",
        ):
            for value in (
                {name: "pw"},
                {"in": [{"deep": {name: ["pw"]}}]},
                [[{name: {}}]],
            ):
                made = rewriting.Rewriting(_TEXT, formats.HOT_2013)
                error = self.assertRaises(
                    rewriting.CannotSet, made.set, "a", "one", value, _NAMES
                )
                self.assertIn("as a function", error.message)
                self.assertEqual(_TEXT, made.text)

    def test_a_name_beside_others_is_no_function(self) -> None:
        value = {"get_param": "pw", "other": 1}

        found = yaml.safe_load(self.set("one", value))

        self.assertEqual(value, found["resources"]["a"]["properties"]["one"])

    def test_properties_do_not_become_a_function(self) -> None:
        names = {*_NAMES, "filter"}
        made = rewriting.Rewriting(_TEXT, formats.HOT_2013)

        self.assertRaises(
            rewriting.CannotSet, made.set, "bare", "filter", "x", names
        )
        self.assertEqual(_TEXT, made.text)
        made.set("a", "filter", "x", names)

    def test_half_a_character_cannot_be_set(self) -> None:
        self.assertRaises(rewriting.CannotSet, self.set, "one", "\ud83d")

    def test_several_values_one_after_the_other(self) -> None:
        made = rewriting.Rewriting(_TEXT, formats.HOT_2013)
        made.set("a", "one", "longer than before", _NAMES)
        made.set("a", "last", 3, _NAMES)

        self.assertEqual(
            _TEXT.replace(
                "one: 1   #", 'one: "longer than before"   #', 1
            ).replace('"l"', "3", 1),
            made.text,
        )

    def test_what_cannot_be_set_leaves_the_text(self) -> None:
        for resource, name in (
            ("odd", "one"),
            ("shared", "one"),
            ("user", "one"),
            ("made", "one"),
        ):
            made = rewriting.Rewriting(_TEXT, formats.HOT_2013)
            self.assertRaises(
                rewriting.CannotSet, made.set, resource, name, 2, _NAMES
            )
            self.assertEqual(_TEXT, made.text)


_SECRETS = """\
outputs:
  plain: {admin_pass: one}   # ours
  text:
    token: |
      first
      second

  last: {value: {a: [x, "two"]}}   # last
"""
_PATHS = (
    ("outputs", "plain", "admin_pass"),
    ("outputs", "text", "token"),
    ("outputs", "last", "value", "a", 1),
)


class RedactionTests(base.TestCase):
    def redact(self, text: str, paths: marked.Paths = _PATHS) -> str:
        made = rewriting.Rewriting(text, formats.HOT_2013)
        made.redact(yaml.safe_load(text), paths)
        return made.text

    def test_all_else_stays(self) -> None:
        expected = (
            _SECRETS.replace("one", '"******"')
            .replace("|\n      first\n      second", '"******"')
            .replace('"two"', '"******"')
        )

        self.assertEqual(expected, self.redact(_SECRETS))
        self.assertEqual(_SECRETS, self.redact(_SECRETS, ()))

    def test_a_text_that_is_written_in_another_way_becomes_json(self) -> None:
        for text, path in (
            ("a: &one {token: x}\nb: *one\n", ("a", "token")),
            ("a: &x {token: x}\nb: {<<: *x}\n", ("b", "token")),
            ("a: {token: &x secret}\nb: *x\n", ("a", "token")),
        ):
            found = self.redact(text, (path,))

            self.assertEqual(
                marked.redact(yaml.safe_load(text), (path,)),
                json.loads(found),
                text,
            )
            self.assertTrue(found.startswith("{\n"), text)
