"""Counts requests, and how long they take, by the address they are of."""

import time
import typing

import falcon

from orch.api import web
from orch.metrics import catalogue

_METHODS: typing.Final = frozenset(falcon.constants.HTTP_METHODS)
_OTHER: typing.Final = "other"


class Measured:
    """Measures requests by URL template: no id, no name, no secret.

    The CloudFormation-compatible API, where all have one address, says in
    the request's context which ``action`` it is.
    """

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Know when it came."""
        req.context.came_at = time.monotonic()

    def process_response(
        self,
        req: web.Request,
        resp: falcon.Response,
        resource: object,
        req_succeeded: bool,
    ) -> None:
        """Count it; of a stream, before any of it is sent."""
        took_s = time.monotonic() - req.context.came_at
        method = req.method if req.method in _METHODS else _OTHER
        route = _route(req)
        catalogue.REQUESTS.count(method, route, str(resp.status)[:3])
        catalogue.REQUEST_S.observe(took_s, method, route)


def _route(req: web.Request) -> str:
    template = req.uri_template
    if template is None:
        return _OTHER
    action = getattr(req.context, "action", None)
    return f"{template}?Action={action}" if action else template
