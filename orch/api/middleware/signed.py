"""Finds out who has signed a request.

:data:`Identify` is how: ``ec2`` asks Keystone. :class:`Unproven` is for
servers that only the local user reaches: any signature in good form will do,
and its access key names the project.
"""

import typing

from orch import clock
from orch import errors
from orch.api import web
from orch.api.middleware import context
from orch.api.middleware import signatures
from orch.context import request


class Identify(typing.Protocol):
    """How who has signed is found out."""

    def __call__(
        self, req: web.Request, signable: signatures.SignableRequest
    ) -> request.RequestContext:
        """Return who asks.

        :raises orch.api.middleware.signatures.SignatureRefused: nobody knows
        """


class Unproven:
    """Accepts every signed request, without a check of the signature."""

    def __init__(self, time: clock.Clock) -> None:
        self._clock = time

    def __call__(
        self, req: web.Request, signable: signatures.SignableRequest
    ) -> request.RequestContext:
        """Return who asks: see :class:`Identify`.

        :raises orch.errors.Forbidden: a browser sends this for a web page
        """
        found = signatures.parse_signature(signable, self._clock.now())
        return context.from_headers(req, found.access)


def signable_request(
    req: web.Request,
    query: signatures.Texts,
    form: signatures.Texts,
    body: bytes,
    *,
    is_endless: bool = False,
) -> signatures.SignableRequest:
    """Return what of a request can be signed.

    :param is_endless: see
        :class:`orch.api.middleware.signatures.SignableRequest`
    :raises orch.errors.Invalid: it names no host
    """
    headers = {name.lower(): value for name, value in req.headers.items()}
    host = headers.get("host")
    if host is None:
        raise errors.Invalid("The request names no host.")
    return signatures.SignableRequest(
        req.method, host, req.path, query, form, headers, body, is_endless
    )
