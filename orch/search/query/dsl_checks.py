"""Checks the shapes in Searchlight's queries, with their places.

Every function takes the place in the request, dotted, and raises
:class:`orch.errors.Invalid` with it where the shape is another one.
"""

import collections.abc
import re
import typing

from orch import errors
from orch.search.query import language
from orch.search.query import values

Map: typing.TypeAlias = collections.abc.Mapping[str, object]

EVERYWHERE: typing.Final = frozenset({"_all", "*"})
WEIGHTS: typing.Final = frozenset({"boost", "_name"})
_MAX_NAME_LENGTH: typing.Final = 80
_MAX_NAMES: typing.Final = 20
"""Fields of one query: what is looked for is looked for in each."""
_WEIGHT = re.compile(r"\^[0-9.]{1,20}$")


def invalid(message: str, path: str, advice: str) -> errors.Invalid:
    """Return the error for a place in the query."""
    problem = errors.Problem(message, path, advice)
    return errors.Invalid(
        f"The query is wrong at {path}: {message}; {advice}.", (problem,)
    )


def mapping(value: object, path: str) -> Map:
    """Return it, if it is a map with texts as keys."""
    if isinstance(value, collections.abc.Mapping) and all(
        isinstance(each, str) for each in value
    ):
        return value
    raise invalid(f"{_named(value)} is here", path, "expected a map")


def sequence(value: object, path: str) -> collections.abc.Sequence[object]:
    """Return it, if it is a list."""
    if isinstance(value, (list, tuple)):
        return value
    raise invalid(f"{_named(value)} is here", path, "expected a list")


def scalar(value: object, path: str) -> str:
    """Return a text, number or truth value as text."""
    if not isinstance(value, (str, int, float)):
        raise invalid(
            f"{_named(value)} is here",
            path,
            "expected a text, a number or a truth value",
        )
    text = values.text_of(value)
    if len(text) > language.MAX_LENGTH:
        raise invalid(
            f"a text has {len(text)} characters",
            path,
            f"expected {language.MAX_LENGTH} at most",
        )
    return text


def _named(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, collections.abc.Mapping):
        return "a map"
    if isinstance(value, (list, tuple)):
        return "a list"
    return "a number or text"


def check_known(
    options: Map, path: str, known: collections.abc.Sequence[str]
) -> None:
    """Refuse options that are not known; weights are."""
    for name in options:
        if name not in known and name not in WEIGHTS:
            raise invalid(
                f"{name[:50]} is not known here",
                path,
                f"expected {', '.join(known)}" if known else "leave it out",
            )


def single_field(body: object, path: str) -> tuple[str, object, str]:
    """Return the only field, what is said of it, and the place of that."""
    options = {
        name: value
        for name, value in mapping(body, path).items()
        if name not in WEIGHTS
    }
    if len(options) != 1:
        raise invalid(f"{len(options)} fields are here", path, "expected one")
    ((name, found),) = options.items()
    return name, found, f"{path}.{name[:_MAX_NAME_LENGTH]}"


def read_options(
    value: object, path: str, main: str, known: collections.abc.Sequence[str]
) -> Map:
    """Return options in their long form; a value alone is the main one."""
    if not isinstance(value, collections.abc.Mapping):
        return {main: value}
    options = mapping(value, path)
    check_known(options, path, known)
    return options


def find_text(
    options: Map, names: collections.abc.Sequence[str], path: str
) -> str:
    """Return the one of these options that is there."""
    found = [options[name] for name in names if name in options]
    if len(found) != 1:
        raise invalid(f"there is no {names[0]}", path, f"expected {names[0]}")
    return scalar(found[0], path)


def find_bound(
    options: Map, names: collections.abc.Sequence[str], path: str
) -> str:
    """Return the one of these bounds that is there, or an empty text."""
    found = [name for name in names if options.get(name) is not None]
    if len(found) > 1:
        raise invalid(
            f"{' and '.join(found)} exclude each other", path, "expected one"
        )
    return scalar(options[found[0]], path) if found else ""


def is_all(options: Map, path: str, name: str = "operator") -> bool:
    """Return whether all words are wanted.

    :param name: of the option
    """
    return find_choice(options, path, name, ("or", "and")) == "and"


def find_choice(
    options: Map, path: str, name: str, known: collections.abc.Sequence[str]
) -> str:
    """Return an option that is one of a few words; the first without it."""
    found = str(options.get(name, known[0])).lower()
    if found not in known:
        raise invalid(
            f"the {name} is {found[:50]}",
            path,
            f"expected one of {', '.join(known)}",
        )
    return found


def field_names(options: Map, path: str) -> list[str]:
    """Return the fields to look in, without their weights."""
    if "default_field" in options:
        return [find_text(options, ("default_field",), path)]
    found = options.get("fields", ["_all"])
    listed = [found] if isinstance(found, str) else sequence(found, path)
    if len(listed) > _MAX_NAMES:
        raise invalid(
            f"{len(listed)} fields are here",
            path,
            f"expected {_MAX_NAMES} at most, or _all for all of them",
        )
    names = [_WEIGHT.sub("", scalar(each, path)) for each in listed]
    for name in names:
        if "*" in name and name not in EVERYWHERE:
            raise invalid(
                f"the field {name[:50]} has a wildcard",
                path,
                "expected names of fields, or _all",
            )
    return names or ["_all"]


def escape_wildcards(text: str) -> str:
    """Return the text with nothing in it that is a wildcard by itself."""
    return text.replace("*", "?")
