"""Which URLs the operator lets templates use."""

import collections.abc
import re
import typing
import urllib.parse

from orch import errors

_PORTS = {"http": 80, "https": 443}
_DOTS: typing.Final = frozenset({".", ".."})
_SEPARATOR: typing.Final = re.compile(r"[/\\]")


def check_url(url: str, allowed: collections.abc.Sequence[str]) -> None:
    """Return only if requests may go there.

    :param allowed: base URLs; empty allows all
    :raises orch.errors.Invalid: it is no URL of a service
    :raises orch.errors.Forbidden: it is not below any of them
    """
    place, steps = _parse(url)
    if not allowed:
        return
    for each in allowed:
        base_place, base_steps = _parse(each)
        if place == base_place and steps[: len(base_steps)] == base_steps:
            return
    raise errors.Forbidden(
        f"the operator does not allow requests to {place[0]}://{place[1]}"
        f"/{'/'.join(steps)}; allowed are: {', '.join(allowed)}"
    )


def normalise(url: str) -> str:
    """Return a URL in one spelling, without user, query and fragment.

    :raises orch.errors.Invalid: it is no URL of a service
    """
    (scheme, host, port), steps = _parse(url)
    path = "/".join(urllib.parse.quote(step, safe="") for step in steps)
    return f"{scheme}://{host}:{port}/{path}"


def _parse(url: str) -> tuple[tuple[str, str, int], tuple[str, ...]]:
    """Return scheme, host and port, and the steps of the path."""
    try:
        split = urllib.parse.urlsplit(url)
        port = split.port or _PORTS.get(split.scheme, 0)
    except ValueError as error:
        raise errors.Invalid(f"{url!r} is no URL: {error}") from error
    if not port or not split.hostname:
        raise errors.Invalid(
            f"{url!r} is no URL of a service; it should look like"
            " https://host/path"
        )
    if "\\" in url or any(ord(each) <= 32 for each in url):
        raise errors.Invalid(
            f"{url!r} holds a character that has to be percent-encoded"
        )
    steps = tuple(
        urllib.parse.unquote(step) for step in split.path.split("/") if step
    )
    # Some servers take an encoded separator for one, and cut off what a step
    # has behind a semicolon.
    parts = (part for step in steps for part in _SEPARATOR.split(step))
    if any(part.partition(";")[0] in _DOTS for part in parts):
        raise errors.Invalid(
            f"{url!r} holds a '.' or '..' step; write the path without it"
        )
    return (split.scheme, split.hostname, port), steps
