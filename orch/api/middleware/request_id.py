"""Gives each request an id, and says it in each answer."""

import falcon
from oslo_context import context

from orch.api import web


class RequestId:
    """Sets ``X-Openstack-Request-Id``, on errors too."""

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Make the id."""
        req.request_id = context.generate_request_id()

    def process_response(
        self,
        req: web.Request,
        resp: falcon.Response,
        resource: object,
        req_succeeded: bool,
    ) -> None:
        """Say the id."""
        resp.set_header("X-Openstack-Request-Id", req.request_id)
