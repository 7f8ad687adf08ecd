"""Gives each request an id, says it in each answer, and measures requests.

Whoever sends ``X-Openstack-Request-Id`` serves a request itself: its id goes
along as the *global* one, as in all of OpenStack, and stands in the logs
beside ours.
"""

import re
import time
import typing

import falcon
from oslo_context import context
from oslo_log import log

from orch.api import web
from orch.context import request
from orch.metrics import catalogue

LOG = log.getLogger(__name__)

_HEADER = "X-Openstack-Request-Id"
_ID = re.compile(r"req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_METHODS: typing.Final = frozenset(falcon.constants.HTTP_METHODS)
_OTHER: typing.Final = "other"


class RequestLog:
    """Sets ``X-Openstack-Request-Id``, on errors too, and counts requests.

    They are measured by URL template: no id, no name, no secret. The
    CloudFormation-compatible API, where all have one address, says in the
    request's context which ``action`` it is.
    """

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Make the id; keep the one that came, if it is one."""
        req.context.came_at = time.monotonic()
        req.request_id = context.generate_request_id()
        came = req.get_header(_HEADER, default="").strip()
        if _ID.fullmatch(came):
            req.global_request_id = came

    def process_response(
        self,
        req: web.Request,
        resp: falcon.Response,
        resource: object,
        req_succeeded: bool,
    ) -> None:
        """Say the id, and count the request; a stream before it is sent.

        The log of the thread has no request from here on.
        """
        resp.set_header(_HEADER, req.request_id)
        if hasattr(req, "caller"):
            # Other addresses may be secrets.
            LOG.info("%s %s %s", req.method, req.path, resp.status)
        request.end_logging()
        took_s = time.monotonic() - req.context.came_at
        method = req.method if req.method in _METHODS else _OTHER
        route = req.uri_template or _OTHER
        action = getattr(req.context, "action", None)
        if action and req.uri_template is not None:
            route = f"{route}?Action={action}"
        catalogue.REQUESTS.count(method, route, str(resp.status)[:3])
        catalogue.REQUEST_S.observe(took_s, method, route)
