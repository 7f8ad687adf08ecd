"""Reads the body of a request."""

import typing

from orch import errors
from orch.api import codec
from orch.api import idempotency
from orch.api import web


def read(req: web.Request, limit: int) -> dict[str, object]:
    """Return the JSON object that the request carries.

    :param limit: bytes; -1 for no limit. A longer body is not read.
    :raises orch.errors.LimitExceeded: the body is too long
    :raises orch.errors.Invalid: it is missing, no JSON, or no object, or has
        a key of ours that means nothing there
    """
    value = read_any(req, limit, is_needed=True)
    if not isinstance(value, dict):
        raise errors.Invalid("The body of the request is no JSON object.")
    req.check_keys(value)
    return typing.cast(dict[str, object], value)


def read_long(
    req: web.Request, limit: int, key: str, long_limit: int
) -> dict[str, object]:
    """Return the JSON object that the request carries.

    :param key: of what a body may be longer for
    :param long_limit: bytes of a body with that key
    :raises orch.errors.LimitExceeded: the body is too long
    :raises orch.errors.Invalid: it is missing, no JSON, or no object
    """
    value = read(req, long_limit)
    if not value.get(key):
        _check_size(req, limit)
    return value


def read_any(
    req: web.Request, limit: int, *, is_needed: bool = False
) -> object:
    """Return the JSON value that the request carries; ``None`` for none.

    :param limit: bytes; -1 for no limit. A longer body is not read.
    :param is_needed: refuse a request without a body
    :raises orch.errors.LimitExceeded: the body is too long
    :raises orch.errors.Invalid: it is no JSON, or missing
    """
    _check_size(req, limit)
    text = req.bounded_stream.read()
    if is_needed and not text:
        raise errors.Invalid("The request has no body; send a JSON object.")
    value = codec.loads(text) if text else None
    idempotency.attach_body(req, value)
    return value


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
