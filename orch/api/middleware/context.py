"""Finds out who asks.

How is decided by one function, :data:`Identify`: :func:`from_headers`
believes what the request says of itself, for servers that only the local
user reaches; ``tokens`` and ``basic`` hold the others. What the headers
``X-Auth-User``, ``X-Auth-Key`` and ``X-Auth-Trust-Id`` say is of no use to
those.
"""

import collections.abc
import functools

import falcon

from orch import errors
from orch.api import web
from orch.context import request

Identify = collections.abc.Callable[[web.Request, str], request.RequestContext]
"""Takes the request and the project in its path."""

Holder = collections.abc.Callable[[web.Request], request.RequestContext]
"""Takes a request with no project in its path; its caller has one."""

IsAdmin = collections.abc.Callable[[request.RequestContext], bool]
"""Answers whether a caller runs the cloud: rule ``context_is_admin``."""

_ALL_ROLES = "admin,member,reader"
_PREFIX = "/v1/"
_SEALED = ("/v1/signal/arn:", "/v1/waitcondition/arn:")
"""Addresses that prove by themselves what they are good for."""
OWN = ("/v1/search", "/v1/search/facets", "/v1/search/plugins")
"""Addresses without a project, as Searchlight has them: its caller's counts.

None of them is an address of a project that is called ``search``.
"""
PROJECT = "X-Project-Id"
"""Names the project there, where the login does not."""
_ELSEWHERE = ("cross-site", "same-site")
_MAX_LENGTH = 255


class Context:
    """Sets the caller of each request below ``/v1/{project}``.

    What came to an address without a project goes on below the caller's.
    """

    def __init__(
        self, identify: Identify, holder: Holder, is_admin: IsAdmin
    ) -> None:
        self._identify = identify
        self._holder = holder
        self._is_admin = is_admin

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Set ``req.caller``."""
        if req.path.startswith(_SEALED):
            return
        if req.path in OWN:
            self._set_caller(req, self._holder(req))
            rest = req.path.removeprefix(_PREFIX)
            req.path = f"{_PREFIX}{req.caller.project_id}/{rest}"
        elif req.path.startswith(_PREFIX):
            project = req.path[len(_PREFIX) :].partition("/")[0]
            req.identify = functools.partial(self._identify_in, req, project)
            req.identify()
        else:
            return
        req.caller.waiting = request.CallWaiting()
        req.caller.begin_logging()

    def _identify_in(self, req: web.Request, project: str) -> None:
        self._set_caller(req, self._identify(req, project))

    def _set_caller(
        self, req: web.Request, found: request.RequestContext
    ) -> None:
        found.is_admin = self._is_admin(found)
        found.global_request_id = req.global_request_id
        req.caller = found


def from_headers(req: web.Request, project: str) -> request.RequestContext:
    """Return the caller that the headers describe, without any proof.

    ``X-Roles`` holds the roles, without it they are all there;
    ``X-User-Id`` and ``X-User-Name`` (or ``X-Auth-User``) say who it is.

    :raises orch.errors.Invalid: a name is none, or too long
    :raises orch.errors.Forbidden: a browser sends this for a web page, which
        may be any page that the local user looks at
    """
    if (
        req.get_header("Origin") is not None
        or req.get_header("Sec-Fetch-Site") in _ELSEWHERE
    ):
        raise errors.Forbidden(
            "Web pages may not use this API while it authenticates no caller"
            " (auth is none)."
        )
    told = req.get_header("X-Roles", default=_ALL_ROLES)
    roles = [role.strip() for role in told.split(",") if role.strip()]
    user_name = req.get_header("X-User-Name") or req.get_header("X-Auth-User")
    return request.RequestContext(
        project_id=named("project", project),
        user_id=named("X-User-Id", req.get_header("X-User-Id") or None),
        user_name=named("X-User-Name", user_name or None),
        roles=roles,
        request_id=req.request_id,
    )


def from_headers_alone(req: web.Request) -> request.RequestContext:
    """Return the caller that the headers describe, the project too.

    :raises orch.errors.Invalid: they name no project, or as of
        :func:`from_headers`
    :raises orch.errors.Forbidden: as of :func:`from_headers`
    """
    return from_headers(req, project_of(req))


def project_of(req: web.Request, only: str | None = None) -> str:
    """Return the project that a header names.

    :param only: that counts where no header does
    :raises orch.errors.Invalid: there is none, or it cannot be in a path
    """
    project = req.get_header(PROJECT) or only
    if not project:
        raise errors.Invalid(
            f"No project is named: give one in the header {PROJECT}, or use"
            " the address below /v1/PROJECT."
        )
    if "/" in project:
        raise errors.Invalid(
            f"{PROJECT}: {project[:40]!r} is no name of a project: it has a"
            " slash."
        )
    return project


def named(what: str, name: str | None) -> str | None:
    """Return the name of a project or user, which has to be storable.

    :param what: it names, for people
    :raises orch.errors.Invalid: it is none, or too long
    """
    if name is None or (
        name and len(name) <= _MAX_LENGTH and name.isprintable()
    ):
        return name
    raise errors.Invalid(
        f"{what}: {name[:40]!r} is no name: 1 to {_MAX_LENGTH}"
        " characters, all of them printable."
    )
