"""Requests that may come again: ``ClientRequestToken``.

It only gets known here what a request asks for; workers keep its answer.
"""

import hashlib
import json
import re
import typing

from orch.api.cfn import errors
from orch.api.cfn import parameters
from orch.context import request

NAME: typing.Final = "ClientRequestToken"

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,127}")
_OF_SIGNATURE = (
    "AWSAccessKeyId",
    "Expires",
    "Signature",
    "SignatureMethod",
    "SignatureVersion",
    "Timestamp",
)
_PREFIX = "X-Amz-"


def attach_token(
    caller: request.RequestContext, given: parameters.Texts
) -> None:
    """Let the request be known by its token, if it has one.

    :raises orch.api.cfn.errors.InvalidValue: it is no token
    """
    token = given.get(NAME)
    if not token:
        return
    if not _TOKEN.fullmatch(token):
        raise errors.InvalidValue(
            f"{NAME} has up to 128 letters, digits and hyphens."
        )
    asked = {
        name: value
        for name, value in given.items()
        if name not in _OF_SIGNATURE and not name.startswith(_PREFIX)
    }
    said = json.dumps(["cfn", asked], sort_keys=True)
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass"))
    caller.repeat = request.IdempotencyKey(token, digest.hexdigest())
