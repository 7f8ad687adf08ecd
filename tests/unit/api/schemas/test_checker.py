"""All misfits of a body at once, each with its place."""

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
                ("Target is a required property.", ""),
                (
                    "Additional properties are not allowed"
                    " ('x' was unexpected).",
                    "",
                ),
                ("things.0: Id is a required property.", "things.0"),
                ("things.1 must be of type object.", "things.1"),
                ("name: 'long' is too long.", "name"),
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
                f"name: '{'n' * 50}'... is too long.",
                "Target is a required property.",
            },
            {each.message for each in error.problems},
        )
