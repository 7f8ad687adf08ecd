"""YAQL's regular expressions: as in the library, and never without end."""

import time

import yaql

from orch.template import errors
from orch.template.functions import query
from tests import base

SAME = (
    "regex('a.c').matches('abc')",
    "regex('A.c').matches('abc')",
    "regex('A.c', ignoreCase => true).matches('abc')",
    "regex('^b$', multiLine => true).search('a\\nb')",
    "regex('a.b', dotAll => true).matches('a\\nb')",
    "abc.matches('a.c')",
    "'abc'.matches('a.c')",
    "'abc' =~ 'a.c'",
    "'abc' =~ regex('x')",
    "'abc' !~ 'a.c'",
    "'abc' !~ regex('x')",
    "regex('a(.)c').search('xabcabc')",
    "regex('a(.)c').search('xabc', $)",
    "regex('a(.)c').search('xabc', $2.value)",
    "regex('a.c').search('x')",
    "regex('a.').searchAll('abcadc')",
    "regex('a.').searchAll('abcadc', $.start)",
    "regex('a.').split('abcadc')",
    "regex('a.').split('abcadc', maxSplit => 1)",
    "'abcadc'.split(regex('a.'))",
    "'a,b'.split(',')",
    "regex('a.').replace('abcadc', 'xx')",
    "'abcadc'.replace(regex('a(.)'), '$1', 1)",
    "'abc'.replace('b', 'x')",
    "regex('a.c').replaceBy('abcadc', $.value.toUpper())",
    "'abcadc'.replaceBy(regex('a.'), 'z')",
    "isRegex(regex('a'))",
    "isRegex('a')",
    "escapeRegex('a.c')",
    "regex('(')",
    "'a'.matches(1)",
)
ENDLESS = (
    "regex('(a|a)+$').matches($.data)",
    "$.data.matches('(a|a)+$')",
    "$.data =~ '(a|a)+$'",
    "$.data !~ regex('(a|a)+$')",
    "regex('(a|a)+$').search($.data)",
    "regex('(a|a)+$').searchAll($.data).toList()",
    "regex('(a|a)+$').split($.data)",
    "$.data.replace(regex('(a|a)+$'), 'x')",
    "regex('(a|a)+$').replaceBy($.data, 'x')",
)


class _Scope:
    query_limits = (200, 10000)
    sensitive_reads = 0

    @property
    def argument_scope(self):
        return self

    def spend(self, work):
        pass

    def weigh(self, value):
        pass


def _ours(expression, data=None):
    written = {"expression": expression, "data": data}
    return query.Yaql("yaql", written).evaluate(_Scope())


def _outcome(evaluate, expression):
    try:
        return evaluate(expression)
    except Exception as error:
        return type(error)


class QueryPatternsTest(base.TestCase):
    def test_they_give_what_the_library_gives(self) -> None:
        library = yaql.create_context()
        engine = yaql.YaqlFactory().create(
            {
                "yaql.convertTuplesToLists": True,
                "yaql.convertSetsToLists": True,
                "yaql.limitIterators": 200,
            }
        )

        def theirs(expression):
            return engine(expression).evaluate(
                data={"data": None}, context=library.create_child_context()
            )

        for expression in SAME:
            wanted = _outcome(theirs, expression)
            found = _outcome(_ours, expression)
            if isinstance(wanted, type):
                self.assertTrue(isinstance(found, type), expression)
            else:
                self.assertEqual(wanted, found, expression)

    def test_an_expression_without_end_is_stopped(self) -> None:
        for expression in ENDLESS:
            begun = time.monotonic()
            self.assertRaises(
                errors.TooLarge, _ours, expression, "a" * 60 + "!"
            )
            self.assertLess(time.monotonic() - begun, 5)
