"""Gives each request an id, and says it in each answer.

Whoever sends ``X-Openstack-Request-Id`` serves a request itself: its id goes
along as the *global* one, as in all of OpenStack, and stands in the logs
beside ours.
"""

import re

import falcon
from oslo_context import context
from oslo_log import log

from orch.api import web
from orch.context import request

LOG = log.getLogger(__name__)

_HEADER = "X-Openstack-Request-Id"
_ID = re.compile(r"req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)


class RequestId:
    """Sets ``X-Openstack-Request-Id``, on errors too."""

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Make the id; keep the one that came, if it is one."""
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
        """Say the id; the thread's log is nobody's from here on."""
        resp.set_header(_HEADER, req.request_id)
        if hasattr(req, "caller"):
            # Other addresses may be secrets.
            LOG.info("%s %s %s", req.method, req.path, resp.status)
        request.end_logging()
