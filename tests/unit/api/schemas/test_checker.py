"""All misfits of a body at once, each with its place."""

import difflib
from unittest import mock

from orch import errors
from orch.api.schemas import checker
from tests import base

_SCHEMA: checker.Schema = {
    "type": "object",
    "properties": {
        "things": {
            "type": "array",
            "items": {"type": "object", "required": ["type", "Id"]},
        },
        "name": {"type": "string", "maxLength": 3},
    },
    "required": ["Target"],
    "additionalProperties": False,
}


class CheckerTest(base.TestCase):
    def test_each_misfit_is_told_with_its_place(self) -> None:
        body = {"things": [{"type": 1}, 2], "name": "long", "x": 1}

        error = self.assertRaises(
            errors.Invalid, checker.Checker(_SCHEMA).check, body
        )

        self.assertEqual(
            {
                ("Target is missing: send it.", "Target"),
                ("x is unknown; known are name, things.", "x"),
                ("things.0.Id is missing: send it.", "things.0.Id"),
                ("things.1 must be of JSON type object.", "things.1"),
                (
                    "name must have at most 3 characters, not 'long'.",
                    "name",
                ),
            },
            {(each.message, each.path) for each in error.problems},
        )

    def test_a_long_value_is_cut_and_not_what_is_wrong_with_it(self) -> None:
        error = self.assertRaises(
            errors.Invalid,
            checker.Checker(_SCHEMA).check,
            {"name": "n" * 5000},
        )

        self.assertEqual(
            {
                f"name must have at most 3 characters, not '{'n' * 50}'....",
                "Target is missing: send it.",
            },
            {each.message for each in error.problems},
        )

    def test_there_are_a_hundred_problems_at_most(self) -> None:
        error = self.assertRaises(
            errors.Invalid,
            checker.Checker(_SCHEMA).check,
            {f"key{number}": 1 for number in range(500)},
        )

        self.assertEqual(checker.MAX_PROBLEMS, len(error.problems))

    def test_unique_items_are_compared_in_linear_time(self) -> None:
        class Text(str):
            compared = 0

            def __eq__(self, other: object) -> bool:
                Text.compared += 1
                return str.__eq__(self, other)

            __hash__ = str.__hash__

        schema: checker.Schema = {
            "properties": {"names": {"uniqueItems": True}}
        }
        check = checker.Checker(schema).check
        check({"names": [Text(number) for number in range(300)]})
        check({"names": [{Text("a"): number} for number in range(300)]})

        self.assertLess(Text.compared, 300)
        error = self.assertRaises(
            errors.Invalid, check, {"names": ["a", "b", "a"]}
        )
        self.assertEqual("names must have no item twice.", str(error))

    def test_few_unknown_keys_are_compared_with_known_ones(self) -> None:
        body = {f"key{number}": 1 for number in range(1000)}
        own: checker.Schema = {"properties": {"retry": {}}}
        either: checker.Schema = {
            "anyOf": [{**own, "additionalProperties": False}]
        }
        for schema, is_good in ((own, True), (either, False)):
            check = checker.Checker(schema, frozenset({"retry"})).check
            with mock.patch.object(
                difflib, "get_close_matches", return_value=[]
            ) as compare:
                if is_good:
                    check(body)
                else:
                    self.assertRaises(errors.Invalid, check, body)
            self.assertEqual(checker.MAX_PROBLEMS, compare.call_count)

    def test_no_value_that_may_be_secret_is_shown(self) -> None:
        check = checker.Checker(
            {
                "type": "object",
                "maxProperties": 1,
                "properties": {
                    "parameters": {"type": "object"},
                    "list": {"type": "array", "maxItems": 0},
                },
            }
        ).check
        for value in (
            "sesame",
            {"parameters": "sesame", "list": ["sesame"]},
            {"a": "sesame", "b": "sesame"},
        ):
            error = self.assertRaises(errors.Invalid, check, value)
            self.assertNotIn("sesame", str(error))

    def test_a_newline_at_the_end_is_part_of_a_text(self) -> None:
        check = checker.Checker({"pattern": "^a$"}).check

        check("a")
        self.assertRaises(errors.Invalid, check, "a\n")

    def test_a_word_of_ours_has_to_mean_something(self) -> None:
        schema: checker.Schema = {"properties": {"retry": {}}}
        check = checker.Checker(schema, frozenset({"retry", "skip"})).check
        for key, text in (
            ("skip", "skip means nothing in this request: leave it out."),
            ("retrry", "retrry is unknown: did you mean retry?"),
        ):
            error = self.assertRaises(errors.Invalid, check, {key: 1})
            self.assertEqual(text, str(error))
        for key in ("owner", "id", "tag", "step", "size", "file", "timeout"):
            check({key: 1})
        check({"skip": None})

    def test_a_key_that_is_wrong_is_told_apart_from_its_value(self) -> None:
        schema: checker.Schema = {
            "properties": {"names": {"propertyNames": {"minLength": 1}}}
        }

        error = self.assertRaises(
            errors.Invalid, checker.Checker(schema).check, {"names": {"": 1}}
        )

        self.assertEqual(
            "A key of names must have at least 1 characters, not ''.",
            str(error),
        )

    def test_values_are_spelt_as_in_json(self) -> None:
        for schema, value, text in (
            ({"const": False}, True, "must be false, not true"),
            (
                {"enum": ["a", None, ""]},
                1,
                'must be one of a, null, "", not 1',
            ),
        ):
            check = checker.Checker({"properties": {"x": schema}}).check
            error = self.assertRaises(errors.Invalid, check, {"x": value})
            self.assertEqual(f"x {text}.", str(error))

    def test_keys_that_need_others_come_in_the_order_of_the_schema(
        self,
    ) -> None:
        names = [f"key{number}" for number in range(20)]
        needs = {"anyOf": [{"required": ["retry"]}]}
        check = checker.Checker(
            {"dependentSchemas": dict.fromkeys(names, needs)}
        ).check
        for value in (None, False, "False"):
            error = self.assertRaises(
                errors.Invalid,
                check,
                {**dict.fromkeys(reversed(names), 1), "retry": value},
            )
            self.assertEqual(names, [each.path for each in error.problems])
        check({**dict.fromkeys(names, 1), "retry": "true"})
