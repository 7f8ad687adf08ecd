"""YAQL's functions of regular expressions, with an end to each match.

The library's own would let one expression hold a worker for ever. Those of
them that only use an expression are taken as they are, over expressions of
:mod:`orch.template.text.regex`; those that make one are ours.
"""

import collections.abc
import re

from yaql.language import contexts
from yaql.language import specs
from yaql.language import yaqltypes
from yaql.standard_library import regex as library

from orch.template.functions import query_costs
from orch.template.text import regex

Callable = collections.abc.Callable[..., object]


_PATTERN = yaqltypes.PythonType(regex.Pattern, False)


def register_patterns(context: contexts.ContextBase) -> None:
    """Add the functions to a context that has none of these."""
    for taken in (
        library.matches,
        library.matches_operator_regex,
        library.not_matches_operator_regex,
        library.search,
        library.search_all,
        library.split,
        library.split_string,
        library.replace,
        library.replace_string,
        library.replace_by,
        library.replace_by_string,
        library.escape_regex,
    ):
        context.register_function(_definition(context, taken))
    for of_library, ours in (
        (library.regex, _regex),
        (library.is_regex, _is_regex),
        (library.matches_, _matches),
        (library.matches_operator_string, _operator_matches),
        (library.not_matches_operator_string, _operator_does_not_match),
    ):
        context.register_function(
            query_costs.library_definition(context, of_library, ours)
        )


def _definition(
    context: contexts.ContextBase, of_library: Callable
) -> specs.FunctionDefinition:
    """Return how YAQL calls a function of the library, for our patterns."""
    found: specs.FunctionDefinition = specs.get_function_definition(
        of_library, convention=context.convention
    )
    for parameter in found.parameters.values():
        kind = parameter.value_type
        if isinstance(kind, yaqltypes.PythonType) and (
            kind.python_type is library.REGEX_TYPE
        ):
            parameter.value_type = _PATTERN
    return found


def _regex(
    context: query_costs.Metered,
    pattern: str,
    ignore_case: bool = False,
    multi_line: bool = False,
    dot_all: bool = False,
) -> regex.Pattern:
    flags = 0
    for flag, is_wanted in (
        (re.IGNORECASE, ignore_case),
        (re.MULTILINE, multi_line),
        (re.DOTALL, dot_all),
    ):
        if is_wanted:
            flags |= flag
    return regex.Pattern(pattern, flags, context.scope.spend)


def _is_regex(context: query_costs.Metered, value: object) -> bool:
    return isinstance(value, regex.Pattern)


def _matches(context: query_costs.Metered, string: str, regexp: str) -> bool:
    return _regex(context, regexp).search(string) is not None


def _operator_matches(
    context: query_costs.Metered, string: str, pattern: str
) -> bool:
    return _matches(context, string, pattern)


def _operator_does_not_match(
    context: query_costs.Metered, string: str, pattern: str
) -> bool:
    return not _matches(context, string, pattern)
