"""Finds out who asks.

How is decided by one function, :data:`Identify`: :func:`from_headers`
believes what the request says of itself, for servers that only the local
user reaches. A check of tokens is another such function.
"""

import collections.abc

import falcon

from orch import errors
from orch.api import web
from orch.context import request

Identify = collections.abc.Callable[[web.Request, str], request.RequestContext]
"""Takes the request and the project in its path."""

_ALL_ROLES = "admin,member,reader"
_PREFIX = "/v1/"
_SEALED = ("/v1/signal/arn:", "/v1/waitcondition/arn:")
"""Addresses that prove by themselves what they are good for."""
_ELSEWHERE = ("cross-site", "same-site")
_MOST_CHARACTERS = 255


class Context:
    """Sets the caller of each request below ``/v1/{project}``."""

    def __init__(self, identify: Identify) -> None:
        self._identify = identify

    def process_request(self, req: web.Request, resp: falcon.Response) -> None:
        """Set ``req.caller``."""
        if req.path.startswith(_SEALED):
            return
        if req.path.startswith(_PREFIX):
            project = req.path[len(_PREFIX) :].partition("/")[0]
            req.caller = self._identify(req, project)


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
            "Web pages may not use this API while it asks nobody who they "
            "are (auth is none)."
        )
    named = req.get_header("X-Roles", default=_ALL_ROLES)
    roles = [role.strip() for role in named.split(",") if role.strip()]
    user_name = req.get_header("X-User-Name") or req.get_header("X-Auth-User")
    return request.RequestContext(
        project_id=_name("project", project),
        user_id=_name("X-User-Id", req.get_header("X-User-Id") or None),
        user_name=_name("X-User-Name", user_name or None),
        roles=roles,
        is_admin="admin" in (role.lower() for role in roles),
        request_id=req.request_id,
    )


def _name(what: str, name: str | None) -> str | None:
    """Return the name of a project or user, which has to be storable."""
    if name is None or (
        name and len(name) <= _MOST_CHARACTERS and name.isprintable()
    ):
        return name
    raise errors.Invalid(
        f"{what}: {name[:40]!r} is no name: 1 to {_MOST_CHARACTERS}"
        " characters, all of them printable."
    )
