"""Reads the query string: booleans, whole numbers, lists."""

import collections.abc
import typing
import urllib.parse

from orch import errors
from orch.api import links
from orch.api import web
from orch.rpc import contract

Parse = collections.abc.Callable[[typing.Any], object]

_BOOLEANS = {"true": True, "false": False}


def parse_boolean(name: str, value: object) -> bool:
    """Return a boolean that came as ``true`` or ``false`` in any case.

    :raises orch.errors.Invalid: it is neither
    """
    if isinstance(value, bool):
        return value
    found = _BOOLEANS.get(str(value).lower())
    if found is None:
        raise errors.Invalid(
            f"{name} must be true or false, not {str(value)[:80]!r}."
        )
    return found


def parse_converge(value: object) -> bool | str:
    """Return whether to converge: a boolean, or ``strict``.

    :raises orch.errors.Invalid: it is neither
    """
    if str(value).lower() == contract.CONVERGE_STRICT:
        return contract.CONVERGE_STRICT
    try:
        return parse_boolean("converge", value)
    except errors.Invalid:
        raise errors.Invalid(
            f"converge must be true, false or strict, not {str(value)[:80]!r}."
        ) from None


def parse_integer(name: str, value: object) -> int:
    """Return a whole number that came as digits or as a number.

    As in JSON Schema a fraction of zero makes no difference.

    :raises orch.errors.Invalid: it is none, or too large
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value)
    if isinstance(value, bool) or not text.isascii() or not text.isdigit():
        raise errors.Invalid(
            f"{name} must be a whole number, not {text[:80]!r}."
        )
    if len(text) > 18:
        raise errors.Invalid(f"{name} is out of bounds: {text[:80]}.")
    return int(text)


def parse_words(text: str) -> list[str]:
    """Return the words between commas, blanks around them dropped."""
    return [word.strip() for word in text.split(",") if word.strip()]


def parse_values(
    given: collections.abc.Mapping[str, object],
    known: collections.abc.Mapping[str, tuple[str, Parse]],
) -> dict[str, typing.Any]:
    """Return the known values of a body that are not null.

    :param known: what each is called then, and what parses it, by its key
    """
    return {
        name: parse(given[key])
        for key, (name, parse) in known.items()
        if given.get(key) is not None
    }


def find_parameter(req: web.Request, name: str) -> str | None:
    """Return the parameter, the last one where it is repeated."""
    found = req.params.get(name)
    return found[-1] if isinstance(found, list) else found


def check_single(
    req: web.Request, names: collections.abc.Iterable[str]
) -> None:
    """Return only if none of these parameters is repeated.

    For addresses where Orch alone defines what a second value means:
    to pass over one of two would answer another question than was asked.

    :raises orch.errors.Invalid: one is repeated
    """
    for name in names:
        count = len(find_all(req, name))
        if count > 1:
            message = f"{name} is given {count} times."
            advice = f"Give {name} once."
            raise errors.Invalid(
                f"{message} {advice}",
                [errors.Problem(message, path=name, advice=advice)],
            )


def find_all(req: web.Request, name: str) -> list[str]:
    """Return each value of a parameter that may be repeated."""
    found = req.params.get(name)
    if found is None:
        return []
    return found if isinstance(found, list) else [found]


def get_boolean(req: web.Request, name: str, default: bool = False) -> bool:
    """Return a boolean parameter.

    :raises orch.errors.Invalid: it is neither true nor false
    """
    value = find_parameter(req, name)
    return default if value is None else parse_boolean(name, value)


def find_integer(req: web.Request, name: str) -> int | None:
    """Return a whole number, ``None`` when it is not there.

    :raises orch.errors.Invalid: it is none
    """
    value = find_parameter(req, name)
    return None if value is None else parse_integer(name, value)


def list_words(req: web.Request, name: str) -> list[str]:
    """Return the words between commas, an empty list when there are none."""
    return parse_words(",".join(find_all(req, name)))


def page_limit(req: web.Request, maximum: int) -> int | None:
    """Return how many rows to answer, never more than the operator's limit.

    :param maximum: -1 for no limit
    """
    asked = find_integer(req, "limit")
    if maximum < 0:
        return asked
    return maximum if asked is None else min(asked, maximum)


def stack_url(req: web.Request) -> str:
    """Return the address of the stack that the request's path begins with."""
    return req.base_url + "/".join(req.path.split("/")[:6])


def paging(
    req: web.Request,
    maximum: int,
    sort_keys: collections.abc.Mapping[str, str],
) -> dict[str, typing.Any]:
    """Return ``limit``, ``marker``, ``sort_keys`` and ``sort_dir`` of a list.

    :param maximum: rows of an answer; -1 for no limit
    :param sort_keys: what workers call each key, once; others are ignored
    :returns: ``sort_dir``, ``asc`` or ``desc``, only where it is given
    :raises orch.errors.Invalid: a value is none of those allowed
    """
    direction = find_parameter(req, "sort_dir")
    if direction not in (None, "asc", "desc"):
        raise errors.Invalid(
            f"sort_dir must be asc or desc, not {direction!r}."
        )
    asked = dict.fromkeys(find_all(req, "sort_keys"))
    return {
        "limit": page_limit(req, maximum),
        "marker": find_parameter(req, "marker"),
        "sort_keys": [sort_keys[key] for key in asked if key in sort_keys],
        **({} if direction is None else {"sort_dir": direction}),
    }


def next_links(req: web.Request, marker: str) -> list[links.Link]:
    """Return the link to the page behind the marker.

    Searches know it as ``cursor`` too.
    """
    pairs = urllib.parse.parse_qsl(req.query_string, keep_blank_values=True)
    kept = [pair for pair in pairs if pair[0] not in ("marker", "cursor")]
    asked = urllib.parse.urlencode([*kept, ("marker", marker)])
    return [links.link("next", f"{req.base_url}{req.path}?{asked}")]
