"""What a request says when it asks to go on with a failed action."""

import typing

from orch import errors
from orch.api import query
from orch.api import web
from orch.api.schemas import stacks
from orch.rpc import contract

RULE: typing.Final = "actions:retry"
"""Takes the place of the rule of the request that is a retry.

Who may retry need not be allowed to do anything else, nor the other way round.
"""

_NAMES: typing.Final[
    tuple[typing.Literal["skip", "orphan", "replace"], ...]
] = ("skip", "orphan", "replace")
_VERIFY = "adopt_verify"
_OPTIONS = frozenset(
    {"keep_going", "timeout_mins", "converge", _VERIFY, *_NAMES}
)
_QUERY_NAMES = frozenset({"retry", "stack_name"})


def find_body_options(body: stacks.Body) -> contract.StackOptions | None:
    """Return how the retry runs that a body asks for, if it does.

    Its options stand beside ``retry: true``, or are the value of ``retry``.

    :returns: ``None`` for a body that asks for something else
    :raises orch.errors.Invalid: it brings more than a retry takes, or a
        value is wrong
    """
    value = body.get("retry")
    beside = {key: body[key] for key in body if key not in _QUERY_NAMES}
    if isinstance(value, dict):
        return _parse_options({**beside, **value})
    if value is None or not query.parse_boolean("retry", value):
        return None
    return _parse_options(beside)


def run_options_of(body: stacks.Body) -> contract.StackOptions:
    """Return how an operation runs that takes no other options, or its retry.

    :raises orch.errors.Invalid: a value is wrong, or it is more than a retry
        takes
    """
    return find_body_options(body) or stacks.options_of(
        {key: body.get(key) for key in ("keep_going", "timeout_mins")}
    )


def rule_of(body: stacks.Body, rule: str) -> str:
    """Return the rule of a body that may ask for a retry.

    :param rule: of a body that does not
    """
    value = body.get("retry")
    is_retry = isinstance(value, dict) or str(value).lower() == "true"
    return RULE if is_retry else rule


def find_query_options(req: web.Request) -> contract.StackOptions | None:
    """Return how the retry runs that a query string asks for, if it does.

    ``skip``, ``orphan`` and ``replace`` may be repeated, one name each.

    :raises orch.errors.Invalid: a value is wrong
    """
    if not query.get_boolean(req, "retry"):
        return None
    given: stacks.Body = {
        key: query.find_parameter(req, key)
        for key in _OPTIONS
        if key in req.params
    }
    given.update(
        {key: query.find_all(req, key) for key in _NAMES if key in req.params}
    )
    return _parse_options(given)


def options_of(value: object) -> contract.StackOptions:
    """Return how the retried operation runs; nothing given: as before.

    :param value: of the action ``retry``; what is no map says nothing
    :raises orch.errors.Invalid: it brings more than a retry takes, or a
        value in it is wrong
    """
    given: stacks.Body = value if isinstance(value, dict) else {}
    _check_keys(given)
    options = stacks.change_options_of(given)
    for key in _NAMES:
        if given.get(key):
            options[key] = given[key]
    if given.get(_VERIFY):
        options["adoption"] = {"verify": given[_VERIFY]}
    return options


def _parse_options(given: stacks.Body) -> contract.StackOptions:
    options = options_of(given)
    options["retry"] = True
    return options


def _check_keys(given: stacks.Body) -> None:
    """Refuse what a retry does not take; what is empty brings nothing."""
    brought = sorted(
        str(key)[:80]
        for key, value in given.items()
        if key not in _OPTIONS and value not in (None, "", {}, [])
    )
    if brought:
        raise errors.Invalid(
            "A retry goes on with what is stored: leave out"
            f" {', '.join(brought)}. It takes"
            f" {', '.join(sorted(_OPTIONS))}."
        )
