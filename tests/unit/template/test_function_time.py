"""Tests of the processor time that functions take for one request."""

import time

from orch.context import deadline
from orch.context import function_time
from orch.template import errors
from orch.template import inputs
from orch.template.resources import declaration
from tests import base
from tests.unit.template import loading

_LIMIT_S = 0.3
_SLACK = 2.0
"""What a request may cost beside its functions, as a part of the limit."""


def yaql(expression: str) -> object:
    return {"yaql": {"expression": expression, "data": {"a": 1}}}


def resources(*values: object) -> dict[str, object]:
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            f"r{number}": {"type": "T::Thing", "properties": {"many": [one]}}
            for number, one in enumerate(values)
        },
    }


def _deep(levels: int) -> str:
    text = "1"
    for _ in range(levels):
        text = f"range(190).select({text})"
    return text


BOMBS = {
    "ranges in ranges": resources(yaql(_deep(4))),
    "sums that are compared": resources(
        yaql("range(190).select(range(190).orderBy(range(190).sum() + $))")
    ),
    "many that are moderate": resources(*[yaql(_deep(1))] * 900),
    "many that are long": resources(
        *[yaql(f"{number}{' + 1' * 4000}") for number in range(60)]
    ),
    "in conditions": {
        **resources(1),
        "conditions": {
            f"c{number}": {"equals": [yaql(_deep(2)), 1]}
            for number in range(30)
        },
        "outputs": {
            f"o{number}": {"condition": f"c{number}", "value": 1}
            for number in range(30)
        },
    },
}


def validate(document: object, cap: inputs.Limits) -> None:
    loading.load(document, cap=cap).validate(declaration.check_with_rows)


class FunctionTimeTest(base.TestCase):
    cap = inputs.Limits(function_s=_LIMIT_S)

    def setUp(self) -> None:
        super().setUp()
        # What is loaded once for the process is no work of a request.
        validate(resources(yaql("1")), inputs.Limits())

    def refuse(self, document: object) -> float:
        """Return the processor seconds until a template is refused."""
        begun = time.thread_time()
        with function_time.counted():
            error = self.assertRaises(
                errors.TooLarge, validate, document, self.cap
            )
        self.assertIn("take longer than they may", error.message)
        return time.thread_time() - begun

    def test_no_request_costs_much_more_than_the_limit(self) -> None:
        for name, document in BOMBS.items():
            with self.subTest(name):
                spent_s = self.refuse(document)
                self.assertLess(spent_s / _LIMIT_S, 1 + _SLACK)

    def test_all_templates_of_a_request_share_its_time(self) -> None:
        part = resources(yaql(_deep(1)))

        def validate_many() -> None:
            for _ in range(5000):
                validate(part, self.cap)

        with function_time.counted():
            self.assertRaises(errors.TooLarge, validate_many)
        with function_time.counted():
            validate(part, self.cap)

    def test_a_usual_template_is_far_from_the_limit(self) -> None:
        document = resources(
            *(
                {
                    "str_replace": {
                        "template": "n is $n",
                        "params": {"$n": str(number)},
                    }
                }
                for number in range(500)
            )
        )
        with function_time.counted():
            validate(document, inputs.Limits())
            self.assertLess(
                function_time.spent_s(), inputs.Limits().function_s / 5
            )

    def test_plain_values_are_no_functions(self) -> None:
        with function_time.counted():
            loading.load(resources(*range(500))).validate(
                declaration.check_with_rows
            )
            self.assertEqual(0.0, function_time.spent_s())

    def test_the_limit_can_be_lifted(self) -> None:
        with function_time.counted():
            validate(resources(yaql(_deep(2))), inputs.Limits(function_s=-1))

    def test_functions_end_with_the_request(self) -> None:
        for name, document in BOMBS.items():
            with (
                self.subTest(name),
                function_time.counted(),
                deadline.limited(0.0),
            ):
                self.assertRaises(
                    deadline.DeadlineExceeded,
                    validate,
                    document,
                    inputs.Limits(function_s=-1),
                )

    def test_a_thread_without_a_request_has_a_limit_too(self) -> None:
        self.assertRaises(
            errors.TooLarge,
            validate,
            BOMBS["ranges in ranges"],
            self.cap,
        )
        self.assertEqual(0.0, function_time.spent_s())
