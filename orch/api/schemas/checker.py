"""Checks a value against a JSON schema, and reports all problems at once.

The schemas are those of the OpenAPI document. Some keywords are read as
clients of Heat need it:

- ``dependentSchemas``: a key that is null counts as one that is not given,
  and so does a needed key that is null or false, also as a text;
- ``properties``: an unknown key is ignored, unless it is a word of the API
  that means nothing there, or nearly one: so many unknown keys are
  compared as a body may have problems;
- ``pattern`` has to match the whole text, a newline at its end as well;
- ``uniqueItems`` compares texts only, in linear time.

``description`` says in an error what a value must be, and ``x-error-code``
which error it is.
"""

import collections.abc
import difflib
import functools
import itertools
import json
import re
import typing

import jsonschema
from jsonschema import exceptions
from jsonschema import validators

from orch import errors

MAX_PROBLEMS: typing.Final = 100
_MAX_VALUE_LENGTH = 50
_MAX_KEY_LENGTH = 80
_LIKENESS = 0.8
"""From here on one word is nearly another; 1 is the same."""

Schema = collections.abc.Mapping[str, object]
Words = frozenset[str]
_Misfits = collections.abc.Iterator[exceptions.ValidationError]
_Class = collections.abc.Callable[[Schema], typing.Any]
_Keyword = collections.abc.Callable[..., _Misfits]

_TEXTS: typing.Final = {
    "const": "must be {}",
    "enum": "must be one of {}",
    "maxItems": "must have at most {} items",
    "maxLength": "must have at most {} characters",
    "maxProperties": "must have at most {} keys",
    "maximum": "must be at most {}",
    "minItems": "must have at least {} items",
    "minLength": "must have at least {} characters",
    "minProperties": "must have at least {} keys",
    "minimum": "must be at least {}",
    "pattern": "must match {}",
    "type": "must be of JSON type {}",
    "not": "is not allowed here",
    "uniqueItems": "must have no item twice",
}


class Checker:
    """A schema, ready to check values."""

    def __init__(self, schema: Schema, own: Words = frozenset()) -> None:
        """Prepare the schema.

        :param own: keys that are refused where they mean nothing
        """
        self._validator = _validator_class(own)(schema)

    def check(self, value: object) -> None:
        """Raise Invalid unless a value fits the schema.

        :raises orch.errors.Invalid: or the error that the schema names; it
            has a problem for each misfit, :data:`MAX_PROBLEMS` at most
        """
        misfits = list(
            itertools.islice(self._validator.iter_errors(value), MAX_PROBLEMS)
        )
        if misfits:
            problems = [_problem(each) for each in misfits]
            codes = [_schema(each).get("x-error-code") for each in misfits]
            kind = errors.OrchError.by_code[
                next(filter(None, codes), errors.Invalid.code)
            ]
            raise kind(" ".join(each.message for each in problems), problems)


def _problem(misfit: exceptions.ValidationError) -> errors.Problem:
    path = ".".join(
        str(step)[:_MAX_KEY_LENGTH] for step in misfit.absolute_path
    )
    place = path or "The body"
    if list(misfit.absolute_schema_path)[-2:-1] == ["propertyNames"]:
        place = f"A key of {place}"
    text = f"{place} {_text(misfit)}"
    return errors.Problem(text if text.endswith("?") else f"{text}.", path)


def _text(misfit: exceptions.ValidationError) -> str:
    """Return what is wrong, with no value that may hold others."""
    keyword, wanted = str(misfit.validator), misfit.validator_value
    if keyword not in _TEXTS:
        return misfit.message
    described = _schema(misfit).get("description")
    text = _TEXTS[keyword].format(_listed(wanted))
    if described:
        text = f"must be {described}"
    value = misfit.instance
    if (
        not misfit.absolute_path
        or not isinstance(value, str | int | float)
        or (keyword == "type" and not described)
    ):
        return text
    shown = repr(value) if isinstance(value, str) else json.dumps(value)
    if isinstance(value, str) and len(value) > _MAX_VALUE_LENGTH:
        shown = f"{value[:_MAX_VALUE_LENGTH]!r}..."
    return f"{text}, not {shown[: 2 * _MAX_KEY_LENGTH]}"


def _schema(misfit: exceptions.ValidationError) -> dict[str, typing.Any]:
    return typing.cast(dict[str, typing.Any], misfit.schema)


def _listed(wanted: object) -> str:
    if isinstance(wanted, list):
        return ", ".join(map(_listed, wanted))
    is_word = isinstance(wanted, str) and wanted
    return str(wanted) if is_word else json.dumps(wanted, default=str)


@functools.cache
def _validator_class(own: Words) -> _Class:
    replaced: dict[str, _Keyword] = {
        "additionalProperties": _check_other_keys,
        "anyOf": _check_any,
        "dependentSchemas": _check_needs,
        "pattern": _check_pattern,
        "properties": functools.partial(_check_keys, own),
        "required": _check_required,
        "uniqueItems": _check_unique,
    }
    extend: collections.abc.Callable[..., _Class] = validators.extend
    return extend(jsonschema.Draft202012Validator, replaced)


def _check_keys(
    own: Words,
    validator: typing.Any,
    properties: dict[str, Schema],
    value: object,
    schema: Schema,
) -> _Misfits:
    if not isinstance(value, dict):
        return
    compared = 0
    for key, inner in value.items():
        if key in properties:
            yield from validator.descend(inner, properties[key], path=key)
        elif inner is None or "additionalProperties" in schema:
            continue
        elif key in own:
            yield _misfit(key, "means nothing in this request: leave it out")
        elif compared < MAX_PROBLEMS:
            compared += 1
            if meant := _find_meant(key, own):
                yield _misfit(key, f"is unknown: did you mean {meant}?")


def _check_other_keys(
    validator: typing.Any,
    allowed: bool | Schema,
    value: object,
    schema: dict[str, typing.Any],
) -> _Misfits:
    known = schema.get("properties", {})
    for key, inner in value.items() if isinstance(value, dict) else ():
        if key in known:
            continue
        if allowed is not False:
            yield from validator.descend(inner, allowed, path=key)
            continue
        meant = _find_meant(key, known)
        yield _misfit(
            key,
            f"is unknown: did you mean {meant}?"
            if meant
            else f"is unknown; known are {', '.join(sorted(known)) or 'none'}",
        )


def _check_required(
    validator: typing.Any, keys: list[str], value: object, schema: Schema
) -> _Misfits:
    if isinstance(value, dict):
        for key in keys:
            if key not in value:
                yield _misfit(key, "is missing: send it")


def _check_needs(
    validator: typing.Any,
    needs: dict[str, typing.Any],
    value: object,
    schema: Schema,
) -> _Misfits:
    if not isinstance(value, dict):
        return
    present = {key: each for key, each in value.items() if each is not None}
    active = {
        key: each for key, each in present.items() if not _is_false(each)
    }
    for key in needs:
        check = validator.evolve(schema=needs[key])
        if key in present and not check.is_valid(active):
            names = [each["required"][0] for each in needs[key]["anyOf"]]
            yield _misfit(key, f"means nothing without {' or '.join(names)}")


def _is_false(value: object) -> bool:
    return value is False or (
        isinstance(value, str) and value.lower() == "false"
    )


def _check_any(
    validator: typing.Any,
    alternatives: list[Schema],
    value: object,
    schema: Schema,
) -> _Misfits:
    """Return the misfits with the alternative that fits best."""
    misfits = (validator.descend(value, each) for each in alternatives)
    yield from min(
        (list(itertools.islice(each, MAX_PROBLEMS)) for each in misfits),
        key=len,
    )


def _check_pattern(
    validator: typing.Any, pattern: str, value: object, schema: Schema
) -> _Misfits:
    if isinstance(value, str) and not re.fullmatch(pattern, value):
        yield exceptions.ValidationError("")


def _check_unique(
    validator: typing.Any, is_unique: bool, value: object, schema: Schema
) -> _Misfits:
    if not is_unique or not isinstance(value, list):
        return
    texts = [each for each in value if isinstance(each, str)]
    if len(set(texts)) < len(texts):
        yield exceptions.ValidationError("")


def _misfit(key: str, text: str) -> exceptions.ValidationError:
    return exceptions.ValidationError(text, path=[key])


def _find_meant(key: str, words: collections.abc.Iterable[str]) -> str | None:
    near = difflib.get_close_matches(key, words, 1, _LIKENESS)
    return near[0] if near else None
