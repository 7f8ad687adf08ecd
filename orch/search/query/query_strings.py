"""Query strings inside a Searchlight query, and their places."""

import functools

from orch import clock
from orch import errors
from orch.search.query import dsl_checks
from orch.search.query import fields
from orch.search.query import language
from orch.search.query import nodes

_KNOWN = (
    "query",
    "default_field",
    "fields",
    "default_operator",
    "analyze_wildcard",
    "allow_leading_wildcard",
    "lowercase_expanded_terms",
    "lenient",
    "flags",
)


def read_query_string(
    body: object,
    path: str,
    now: clock.Timestamp,
    *,
    is_simple: bool,
    known: fields.KnownNames,
    tally: language.Tally,
) -> nodes.Node:
    """Return the node of a ``query_string``.

    :param path: its place in the request
    :param is_simple: it is a ``simple_query_string``
    :param known: as for :func:`fields.resolve_field`
    :param tally: of the whole query; a condition counts once for each field
        that it is looked for in
    :raises orch.errors.Invalid: with where in the line it is wrong
    :raises fields.UnclearError: it names a field that there is not
    """
    options = dsl_checks.read_options(body, path, "query", _KNOWN)
    text = dsl_checks.find_text(options, ("query",), path)
    is_all = dsl_checks.is_all(options, path, "default_operator")
    parse = functools.partial(
        language.parse_loose,
        text,
        now,
        is_all=is_all,
        is_simple=is_simple,
        known=known,
        tally=tally,
    )
    names = dsl_checks.field_names(options, path)
    try:
        if dsl_checks.EVERYWHERE.intersection(names):
            return parse()
        if ":" in text:
            raise dsl_checks.invalid(
                "fields are given for a text that may name fields itself",
                path,
                "leave fields out, or the colon in the text",
            )
        return fields.any_of(
            [
                parse(field_name(name, known), is_checked=len(names) == 1)
                for name in names
            ]
        )
    except errors.Invalid as e:
        if any(each.column for each in e.problems):
            raise _placed(e, f"{path}.query") from e
        raise


def field_name(name: str, known: fields.KnownNames = fields.NO_NAMES) -> str:
    """Return the field that a name in a Searchlight request means.

    ``name.raw`` is ``name``.

    :raises fields.UnclearError: as :func:`fields.resolve_field` does
    """
    return fields.resolve_field(name.removesuffix(".raw"), known)


def _placed(error: errors.Invalid, path: str) -> errors.Invalid:
    """Return the error of a line with the place of the line."""
    return errors.Invalid(
        error.message,
        [
            errors.Problem(
                each.message,
                path,
                each.advice,
                line=each.line,
                column=each.column,
            )
            for each in error.problems
        ],
    )
