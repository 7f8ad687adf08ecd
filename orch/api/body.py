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
    :raises orch.errors.Invalid: it is missing, no JSON, or no object
    """
    text = _text(req, limit)
    if not text:
        raise errors.Invalid("The request has no body; send a JSON object.")
    value = codec.loads(text)
    if not isinstance(value, dict):
        raise errors.Invalid("The body of the request is no JSON object.")
    idempotency.attach_body(req, value)
    return typing.cast(dict[str, object], value)


def read_any(req: web.Request, limit: int) -> object:
    """Return the JSON value that the request carries; ``None`` for none.

    :param limit: bytes; -1 for no limit. A longer body is not read.
    :raises orch.errors.LimitExceeded: the body is too long
    :raises orch.errors.Invalid: it is no JSON
    """
    text = _text(req, limit)
    value = codec.loads(text) if text else None
    idempotency.attach_body(req, value)
    return value


def _text(req: web.Request, limit: int) -> bytes:
    size = req.content_length or 0
    if 0 <= limit < size:
        raise errors.LimitExceeded(
            f"Request limit exceeded: JSON body size ({size} bytes) exceeds "
            f"maximum allowed size ({limit} bytes)."
        )
    return req.bounded_stream.read()
