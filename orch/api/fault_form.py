"""Which errors clients receive; the form differs by API.

What Orch knows, what falcon refuses and unexpected errors are distinguished
here, once for all APIs.
"""

import abc
import logging

import falcon

from orch import errors
from orch import project_slots
from orch.api import errors as api_errors
from orch.api import web

LOG = logging.getLogger(__name__)


class FaultForm(abc.ABC):
    """The form in which the clients of one API read errors."""

    @abc.abstractmethod
    def render_error(
        self, req: web.Request, resp: falcon.Response, error: errors.OrchError
    ) -> None:
        """Answer an error that Orch knows."""

    @abc.abstractmethod
    def render_client_error(
        self, req: web.Request, resp: falcon.Response, error: falcon.HTTPError
    ) -> None:
        """Answer what falcon refuses: unknown addresses, methods, headers."""

    @abc.abstractmethod
    def render_crash(
        self, req: web.Request, resp: falcon.Response, message: str
    ) -> None:
        """Answer an unexpected error.

        :param message: all that the caller may know of it
        """

    def add_to(self, app: "falcon.App[web.Request, falcon.Response]") -> None:
        """Have all that goes wrong in an application answered."""
        app.add_error_handler(Exception, self._on_crash)
        app.add_error_handler(falcon.HTTPError, self._on_http_error)
        app.add_error_handler(errors.OrchError, self._on_error)

    def _on_error(
        self,
        req: web.Request,
        resp: falcon.Response,
        error: errors.OrchError,
        params: dict[str, object],
    ) -> None:
        if error.code == errors.OrchError.code:
            self._on_crash(req, resp, error, params)
            return
        if isinstance(error, api_errors.WithHeaders):
            resp.set_headers(dict(error.headers))
        if isinstance(error, project_slots.SlotsTaken):
            resp.set_header("Retry-After", str(error.retry_after_s))
        self.render_error(req, resp, error)

    def _on_http_error(
        self,
        req: web.Request,
        resp: falcon.Response,
        error: falcon.HTTPError,
        params: dict[str, object],
    ) -> None:
        resp.set_headers(error.headers or {})
        self.render_client_error(req, resp, error)

    def _on_crash(
        self,
        req: web.Request,
        resp: falcon.Response,
        error: Exception,
        params: dict[str, object],
    ) -> None:
        """Tell the log all of it, and the caller where it stands there."""
        LOG.error(
            "%s %s failed (%s)",
            req.method,
            req.path,
            req.request_id,
            exc_info=error,
        )
        where = f"its log has the reason at {req.request_id}"
        self.render_crash(req, resp, f"The service failed; {where}.")
