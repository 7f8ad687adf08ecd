"""Check the settings of a plug-in, and report all errors at once."""

import collections.abc
import typing

import jsonschema

from orch import errors
from orch.plugin import lifecycle_operation

TEXT: typing.Final[dict[str, object]] = {"type": "string", "minLength": 1}
TEXTS: typing.Final[dict[str, object]] = {
    "oneOf": [
        TEXT,
        {"type": "array", "minItems": 1, "items": TEXT},
    ]
}
"""One text or several."""

REGEX: typing.Final[dict[str, object]] = {"type": "string", "format": "regex"}
COUNT: typing.Final[dict[str, object]] = {"type": "integer", "minimum": 0}
SECONDS: typing.Final[dict[str, object]] = {
    "type": "number",
    "exclusiveMinimum": 0,
}
VERBS: typing.Final[dict[str, object]] = {
    "type": "array",
    "minItems": 1,
    "items": {"enum": sorted(lifecycle_operation.VERBS)},
}
RULING: typing.Final[dict[str, object]] = {"enum": ["warn", "deny"]}

_MAX_PROBLEMS: typing.Final = 5


def mapping(
    properties: collections.abc.Mapping[str, object],
    required: collections.abc.Iterable[str] = (),
) -> dict[str, object]:
    """Return the schema of a mapping that has no other keys."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def check(
    given: object,
    schema: collections.abc.Mapping[str, object],
    named: str = "its settings",
) -> dict[str, typing.Any]:
    """Return the settings, which fit the schema of a mapping.

    :param named: what a problem of the whole is said of
    :raises orch.errors.Invalid: they do not; the text tells the places
    """
    validator = jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.FormatChecker(["regex"])
    )
    found = sorted(validator.iter_errors(given), key=lambda each: each.path)
    if found:
        told = [
            _describe_problem(each, named) for each in found[:_MAX_PROBLEMS]
        ]
        more = len(found) - len(told)
        raise errors.Invalid(
            "; ".join(told) + (f"; and {more} more" if more else "")
        )
    assert isinstance(given, dict)
    return given


def texts(given: object) -> tuple[str, ...]:
    """Return the texts of a value that is one or a list of them."""
    return (given,) if isinstance(given, str) else tuple(_list(given))


def _list(given: object) -> list[str]:
    assert isinstance(given, list)
    return given


def _describe_problem(error: jsonschema.ValidationError, named: str) -> str:
    place = ".".join(str(each) for each in error.absolute_path)
    message = error.message
    if len(message) > 200:
        message = f"{message[:200]}…"
    return f"{place or named}: {message}"
