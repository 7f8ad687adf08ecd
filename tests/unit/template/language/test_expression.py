"""Parsing parts of a template; functions of third parties."""

import typing

from orch import json_depth
from orch.plugin import function
from orch.template import errors
from orch.template import problems
from orch.template.language import expression
from tests import base


class Shout(function.Function):
    """Says it louder."""

    __slots__ = ()

    calls = 0

    def check(self) -> None:
        if self.arguments == "quiet":
            raise ValueError("louder please")

    def evaluate(self, scope: function.Scope) -> object:
        type(self).calls += 1
        return str(self.resolved(scope)).upper()


class Wild(function.Function):
    """Raises what nobody expects."""

    __slots__ = ()

    is_pure = False

    def evaluate(self, scope: function.Scope) -> object:
        raise ZeroDivisionError("wild")


class Gone(function.Macro):
    """Stands for nothing."""

    @classmethod
    def expand(cls, name, arguments, parser):
        return function.OMITTED


class _Scope:
    marks_unknown = False
    sensitive_reads = 0

    @property
    def argument_scope(self) -> "_Scope":
        return self

    def weigh(self, value: object) -> None:
        pass


PARSER = expression.Parser(
    expression.Dialect(
        {"shout": Shout, "wild": Wild, "gone": Gone},
        removed=frozenset({"old"}),
    )
)


def parse(value: object) -> expression.Expression:
    return PARSER.expression(value, ("here",))


class ExpressionTest(base.TestCase):
    def test_a_part_without_functions_is_kept_as_it_is(self) -> None:
        written = {"a": [1, {"b": None, "shout": 1}], "c": {}}

        self.assertIs(written, parse(written).value)

    def test_functions_are_resolved_wherever_they_stand(self) -> None:
        parsed = parse({"a": [{"shout": "x"}, 1], "b": {"shout": ["y"]}})

        self.assertEqual(
            {"a": ["X", 1], "b": "['Y']"}, parsed.resolve(_Scope())
        )

    def test_values_as_deep_as_a_document_may_be_are_resolved(self) -> None:
        value: object = {"shout": "x"}
        for _ in range(json_depth.MAX_DEPTH // 2):
            value = [{"a": value}]

        found = parse(value).resolve(_Scope())

        for _ in range(json_depth.MAX_DEPTH // 2):
            (inner,) = typing.cast(list[dict[str, object]], found)
            found = inner["a"]
        self.assertEqual("X", found)

    def test_a_function_that_reads_no_resource_works_once(self) -> None:
        parsed = parse([{"shout": "once"}])
        Shout.calls = 0

        first = parsed.resolve(_Scope())

        self.assertIs(first, parsed.resolve(_Scope()))
        self.assertEqual(1, Shout.calls)

    def test_what_stands_above_a_reader_is_worked_out_again(self) -> None:
        parsed = parse({"shout": {"wild": 1}})

        self.assertFalse(parsed.is_static)

    def test_what_is_omitted_leaves_its_list_and_map(self) -> None:
        parsed = parse({"a": [1, {"gone": 0}, 2], "b": {"gone": 0}})

        self.assertEqual({"a": [1, 2]}, parsed.resolve(_Scope()))

    def test_wrong_arguments_are_told_with_their_place(self) -> None:
        fault = self.assertRaises(
            problems.Fault, parse, {"a": [0, {"shout": "quiet"}]}
        )

        self.assertEqual(("here", "a", 1, "shout"), fault.path)
        self.assertEqual("louder please", fault.message)

    def test_removed_functions_are_refused(self) -> None:
        fault = self.assertRaises(problems.Fault, parse, {"old": 1})

        self.assertIn("not supported in this version", fault.message)

    def test_whatever_a_function_raises_becomes_our_error(self) -> None:
        error = self.assertRaises(
            errors.FunctionFailed, parse({"wild": 1}).resolve, _Scope()
        )

        self.assertEqual("wild", error.message)
