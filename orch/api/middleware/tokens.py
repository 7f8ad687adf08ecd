"""Asks Keystone who asks, by the token of each request.

keystonemiddleware does it; what it finds out, it writes into the environment
of a request. Nothing of it is loaded unless tokens are asked for.
"""

import collections.abc
import datetime
import io
import typing
import wsgiref.types

import keystoneauth1.exceptions
from keystonemiddleware import auth_token
from oslo_config import cfg
from oslo_log import log

from orch import clock
from orch import errors
from orch.api import errors as api_errors
from orch.api import web
from orch.api.middleware import context
from orch.context import request
from orch.policies import enforcer

LOG = log.getLogger(__name__)

ORCHESTRATION: typing.Final = "orchestration"
_FOUND = "orch.identified"
_OK = "200 OK"
_UNAUTHORIZED = "401"
_GROUP = "keystone_authtoken"
_TIMEOUT_S = 10
_RECHECK_S = 60.0


class Tokens:
    """Finds out who asks; see :data:`orch.api.middleware.context.Identify`."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        is_admin: context.IsAdmin,
        time: clock.Clock,
        service_type: str = ORCHESTRATION,
    ) -> None:
        """Read group ``[keystone_authtoken]``; nothing is asked yet.

        Without a limit of the operator's, Keystone has
        :data:`_TIMEOUT_S` seconds for each answer: one that hangs would
        hold every thread of the API for ever.

        :param is_admin: whether the caller administers the cloud
        :param service_type: what access rules of application credentials
            must name to be good here, unless the operator says otherwise
        """
        for group, options in auth_token.list_opts():
            conf.register_opts(options, group)
        conf.set_default("http_connect_timeout", _TIMEOUT_S, _GROUP)
        self._guard: wsgiref.types.WSGIApplication = auth_token.AuthProtocol(
            _note,
            {
                "oslo_config_config": conf,
                # Who gets no further gets an answer of ours.
                "delay_auth_decision": False,
                # One process may serve several types.
                "service_type": conf[_GROUP].service_type or service_type,
            },
        )
        self._is_admin = is_admin
        self._clock = time

    def __call__(
        self, req: web.Request, project: str
    ) -> request.RequestContext:
        """Return whom the token of the request belongs to.

        Who asks below another project is refused; an administrator of the
        cloud is heard as of the token's project, as in Heat. A token for the
        whole system has no project: it is heard below each, and the rules say
        what for.

        :raises orch.api.errors.Unauthenticated: there is no good token
        :raises orch.errors.Forbidden: it is for another project, or for none
            and not for the system
        :raises orch.errors.Unavailable: Keystone gives no answer
        """
        found = self._holder(req)
        if found.system_scope:
            return found
        self._check_project(found)
        if found.project_id != project and not self._is_admin(found):
            raise errors.Forbidden(
                f"The token is for the project {found.project_id}, and not"
                f" for {project[:80]}."
            )
        return found

    def holder(self, req: web.Request) -> request.RequestContext:
        """Return whom the token belongs to, whatever project it is for.

        :raises orch.api.errors.Unauthenticated: there is no good token
        :raises orch.errors.Forbidden: it is for no project
        :raises orch.errors.Unavailable: Keystone gives no answer
        """
        found = self._holder(req)
        self._check_project(found)
        return found

    def _check_project(self, found: request.RequestContext) -> None:
        if not found.project_id:
            raise enforcer.no_project(found)

    def _holder(self, req: web.Request) -> request.RequestContext:
        environ = self._identified(req.env)
        found = request.RequestContext.from_environ(
            environ, request_id=req.request_id
        )
        found.trust = _trust(environ)
        req.identity_ttl_s = self._ttl_s(environ)
        return found

    def _ttl_s(self, environ: wsgiref.types.WSGIEnvironment) -> float:
        """Return for how many seconds Keystone need not be asked again."""
        told = environ.get("keystone.token_info") or {}
        ends = told.get("token", {}).get("expires_at")
        if not ends:
            return 0.0
        ends_at = datetime.datetime.fromisoformat(ends).timestamp()
        return min(_RECHECK_S, ends_at - self._clock.now())

    def _identified(
        self, environ: dict[str, object]
    ) -> wsgiref.types.WSGIEnvironment:
        """Return the environment with all that Keystone says."""
        asked: wsgiref.types.WSGIEnvironment = {
            **environ,
            "wsgi.input": io.BytesIO(),
            "CONTENT_LENGTH": "0",
        }
        answer = _Answer()
        try:
            for _ in self._guard(asked, answer.start):
                pass
        except keystoneauth1.exceptions.ClientException as error:
            LOG.error("Keystone cannot validate a token: %s", error)
            raise _unavailable() from error
        if answer.status == _OK and _FOUND in asked:
            return asked
        if answer.status.startswith(_UNAUTHORIZED):
            raise api_errors.Unauthenticated(
                "The request you have made requires authentication.",
                answer.headers.get("www-authenticate", "Keystone"),
            )
        raise _unavailable()


def _trust(
    environ: wsgiref.types.WSGIEnvironment,
) -> dict[str, str] | None:
    """Return by which trust a token was got; ``None`` for most."""
    told = environ.get("keystone.token_info") or {}
    found = told.get("token", {}).get("OS-TRUST:trust")
    if not found:
        return None
    return {"id": found["id"], "trustee_id": found["trustee_user"]["id"]}


def _unavailable() -> errors.Unavailable:
    return errors.Unavailable(
        "The caller cannot be authenticated now: Keystone gives no answer."
    )


class _Answer:
    """What the guard has answered."""

    def __init__(self) -> None:
        self.status = ""
        self.headers: dict[str, str] = {}

    def start(
        self,
        status: str,
        headers: list[tuple[str, str]],
        exc_info: object = None,
        /,
    ) -> collections.abc.Callable[[bytes], object]:
        """Take status and headers; the body is of no use."""
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        return bytes


def _note(
    environ: wsgiref.types.WSGIEnvironment,
    start_response: wsgiref.types.StartResponse,
) -> list[bytes]:
    """Be the application that the guard lets good requests through to."""
    environ[_FOUND] = True
    start_response(_OK, [])
    return [b""]
