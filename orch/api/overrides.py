"""Reads the ``Lifecycle-Override`` of a request.

It overrides denials of soft-mandatory lifecycle plug-ins; its value is the
reason, in UTF-8, percent-encoded where it has characters beyond ASCII.
"""

import typing
import urllib.parse

from orch.api import errors
from orch.api import web
from orch.policies import enforcer

_HEADER: typing.Final = "Lifecycle-Override"
_METHODS: typing.Final = ("POST", "PUT", "PATCH", "DELETE")
_MAX_LENGTH: typing.Final = 255
_RULE: typing.Final = "lifecycle:override"


def attach_override(req: web.Request, rules: enforcer.Enforcer) -> None:
    """Let the request override denials, if it gives a reason.

    :raises orch.errors.Forbidden: its caller may not
    :raises orch.api.errors.BadOverride: the reason is empty, or cannot be
        stored
    """
    given = req.get_header(_HEADER)
    if given is None or req.method not in _METHODS:
        return
    rules.check(req.caller, _RULE)
    reason = urllib.parse.unquote(given).strip()
    if not 0 < len(reason) <= _MAX_LENGTH or not reason.isprintable():
        raise errors.BadOverride(
            f"{_HEADER}: give the reason in 1 to {_MAX_LENGTH} printable"
            " characters, percent-encoded where they are not ASCII."
        )
    req.caller.override_reason = reason
