"""Reads the ``Idempotency-Key`` of a request, and digests what it says.

The workers store the answers.
"""

import hashlib
import json

from orch.api import errors
from orch.api import web
from orch.context import request

_HEADER = "Idempotency-Key"
_MAX_LENGTH = 255
_METHODS = ("POST", "PUT", "PATCH", "DELETE")


def attach_key(req: web.Request) -> None:
    """Let the request be known by its key, if it has one.

    :raises orch.api.errors.BadKey: the key cannot be stored
    """
    key = req.get_header(_HEADER)
    if key is None or req.method not in _METHODS:
        return
    key = key.strip()
    if len(key) > 1 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not 0 < len(key) <= _MAX_LENGTH or not key.isprintable():
        raise errors.BadKey(
            f"{_HEADER}: give 1 to {_MAX_LENGTH} characters, all printable,"
            " such as a UUID."
        )
    said = f"{req.method} {req.path}?{req.query_string}"
    if req.caller.override_reason is not None:
        said += f" overriding: {req.caller.override_reason}"
    req.caller.repeat = request.IdempotencyKey(key, _digest(said))


def attach_body(req: web.Request, body: object) -> None:
    """Let the body count as what the request says, too.

    :param body: parsed, so that order and blanks do not count
    """
    caller = getattr(req, "caller", None)
    if caller is None or caller.repeat is None:
        return
    said = json.dumps(body, sort_keys=True)
    caller.repeat = request.IdempotencyKey(
        caller.repeat.key, _digest(caller.repeat.digest + said)
    )


def _digest(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
