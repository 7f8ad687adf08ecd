"""Reads the body of a request."""

import collections.abc
import typing

from orch import errors
from orch.api import codec
from orch.api import idempotency
from orch.api import web

RuleOf = collections.abc.Callable[[web.Body], str | None]
"""Returns the rule that decides who may send a body; it is not checked yet."""

LimitOf = collections.abc.Callable[[web.Body], int]
"""Returns how many bytes a body may have; it is not checked yet."""


def read(
    req: web.Request, limit: int, rule_of: RuleOf | None = None
) -> web.Body:
    """Return the JSON object that the request carries.

    :param limit: bytes; -1 for no limit. A longer body is not read.
    :param rule_of: checked before what is wrong with the body is reported
    :raises orch.errors.LimitExceeded: the body is too long
    :raises orch.errors.Forbidden: the rule says no
    :raises orch.errors.Invalid: it is missing, no JSON, or not what the
        OpenAPI document says
    """
    value = read_any(req, limit, rule_of, is_needed=True)
    return typing.cast(web.Body, value)


def read_long(
    req: web.Request,
    limit: int,
    key: str,
    long_limit: int,
    rule_of: RuleOf | None = None,
) -> web.Body:
    """Return the JSON object that the request carries, as :func:`read` does.

    :param key: of what a body may be longer for
    :param long_limit: bytes of a body with that key
    """
    value = read_any(
        req,
        long_limit,
        rule_of,
        is_needed=True,
        limit_of=lambda body: long_limit if body.get(key) else limit,
    )
    return typing.cast(web.Body, value)


def read_any(
    req: web.Request,
    limit: int,
    rule_of: RuleOf | None = None,
    *,
    is_needed: bool = False,
    limit_of: LimitOf | None = None,
) -> object:
    """Return the JSON value that the request carries; ``None`` for none.

    :param is_needed: refuse a request without a body
    :param limit_of: checked before the body is compared with its schema
    :raises orch.errors.OrchError: see :func:`read`
    """
    _check_size(req, limit)
    text = req.bounded_stream.read()
    try:
        value = codec.loads(text) if text else None
    except errors.Invalid:
        _check_rule(req, rule_of, {})
        raise
    idempotency.attach_body(req, value)
    body = value if isinstance(value, dict) else {}
    _check_rule(req, rule_of, body)
    if limit_of is not None:
        _check_size(req, limit_of(body))
    if is_needed and not text:
        raise errors.Invalid("The request has no body; send a JSON object.")
    if text and req.check_body is not None:
        req.check_body(value)
    return value


def _check_rule(
    req: web.Request, rule_of: RuleOf | None, body: web.Body
) -> None:
    """Raise Forbidden if the rule of a body says no.

    :param body: empty for one that cannot be read
    :raises orch.errors.Forbidden: it does
    """
    rule = rule_of(body) if rule_of is not None else None
    if rule is not None:
        req.check_rule(rule)


def _check_size(req: web.Request, limit: int) -> None:
    """Raise LimitExceeded if the body of a request is too long.

    :raises orch.errors.LimitExceeded: it is
    """
    size = req.content_length or 0
    if 0 <= limit < size:
        raise errors.LimitExceeded(
            f"Request limit exceeded: JSON body size ({size} bytes) exceeds "
            f"maximum allowed size ({limit} bytes)."
        )
