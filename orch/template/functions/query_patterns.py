"""YAQL's functions of regular expressions, with an end to each match.

The library's own would let one expression hold a worker for ever. Those of
them that only use an expression are taken as they are, over expressions of
:mod:`orch.template.patterns`; those that make one are ours.
"""

import collections.abc
import re
import typing

from yaql.language import contexts
from yaql.language import specs
from yaql.language import yaqltypes
from yaql.standard_library import regex as library

from orch.plugin import function
from orch.template import patterns

Callable = collections.abc.Callable[..., object]


class Metered(contexts.Context):
    """A context that counts the calls made in it and below it."""

    def __init__(
        self,
        parent_context: contexts.ContextBase,
        scope: function.Scope | None = None,
        **options: object,
    ) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            parent_context, **options
        )
        if scope is None:
            assert isinstance(parent_context, Metered)
            scope = parent_context.scope
        self.scope: function.Scope = scope

    def __call__(
        self, *args: object, **options: object
    ) -> collections.abc.Callable[..., object]:
        """Count one call, weighing what a call costs."""
        self.scope.spend(1000)
        return typing.cast(
            collections.abc.Callable[..., object],
            super().__call__(  # type: ignore[no-untyped-call]
                *args, **options
            ),
        )


_PATTERN = yaqltypes.PythonType(patterns.Pattern, False)


def register(context: contexts.ContextBase) -> None:
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
        context.register_function(_definition(context, of_library, ours))


def _definition(
    context: contexts.ContextBase,
    of_library: Callable,
    ours: Callable | None = None,
) -> specs.FunctionDefinition:
    """Return how YAQL calls one function of the library.

    :param ours: called in its place; it takes the context too, in front
    """
    found: specs.FunctionDefinition = specs.get_function_definition(
        of_library, convention=context.convention
    )
    for parameter in found.parameters.values():
        kind = parameter.value_type
        if isinstance(kind, yaqltypes.PythonType) and (
            kind.python_type is library.REGEX_TYPE
        ):
            parameter.value_type = yaqltypes.PythonType(
                patterns.Pattern, False
            )
        if ours is not None:
            parameter.position += 1
    if ours is not None:
        found.payload = ours
        found.set_parameter("context", yaqltypes.Context())
    return found


def _regex(
    context: Metered,
    pattern: str,
    ignore_case: bool = False,
    multi_line: bool = False,
    dot_all: bool = False,
) -> patterns.Pattern:
    flags = 0
    for flag, is_wanted in (
        (re.IGNORECASE, ignore_case),
        (re.MULTILINE, multi_line),
        (re.DOTALL, dot_all),
    ):
        if is_wanted:
            flags |= flag
    return patterns.Pattern(pattern, flags, context.scope.spend)


def _is_regex(context: Metered, value: object) -> bool:
    return isinstance(value, patterns.Pattern)


def _matches(context: Metered, string: str, regexp: str) -> bool:
    return _regex(context, regexp).search(string) is not None


def _operator_matches(context: Metered, string: str, pattern: str) -> bool:
    return _matches(context, string, pattern)


def _operator_does_not_match(
    context: Metered, string: str, pattern: str
) -> bool:
    return not _matches(context, string, pattern)
