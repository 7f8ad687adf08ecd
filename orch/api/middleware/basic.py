"""Knows users by name and password, for an installation without Keystone.

The passwords stand in a file as Apache's ``htpasswd -B`` writes it; what a
user may do where is an option. Reading the file is oslo.middleware's.
"""

import dataclasses
import hashlib
import hmac
import pathlib
import secrets
import threading
import typing

import cachetools
import webob.exc
from oslo_middleware import basic_auth

from orch import clock
from orch import errors
from orch.api import errors as api_errors
from orch.api import web
from orch.api.middleware import context
from orch.api.middleware import login_throttle
from orch.context import request

CHALLENGE: typing.Final = 'Basic realm="Orch", charset="UTF-8"'
_ADMIN = "admin"
_ALL = "*"
_CACHE_S = 60.0
_MAX_CACHED = 1024
_GRANT_PARTS = 3
_MAX_PASSWORD_LENGTH = 72
"""Bytes that bcrypt looks at; ``htpasswd`` hashes no more of them."""


class BadGrant(errors.OrchError):
    """What users may do is not written as it should be."""

    code = "orch.api.bad_grant"


@dataclasses.dataclass(frozen=True, slots=True)
class Grant:
    """The roles of one user in one project; ``*`` means every project."""

    user: str
    project: str
    roles: tuple[str, ...]


def grant_of(text: str) -> Grant:
    """Return what ``USER PROJECT ROLE[,ROLE]`` says.

    :raises BadGrant: it says nothing
    """
    parts = text.split()
    if len(parts) != _GRANT_PARTS:
        raise BadGrant(
            f"{text[:80]!r} in [api] basic_grants is no grant: write USER"
            " PROJECT ROLE,ROLE, blanks between the three."
        )
    roles = tuple(each for each in parts[2].split(",") if each)
    return Grant(parts[0], parts[1], roles)


class Basic:
    """Finds out who asks; see :data:`orch.api.middleware.context.Identify`.

    To check a password takes a tenth of a second, on purpose. What was right
    is therefore remembered for :data:`_CACHE_S` seconds, while the file stays
    as it is; a change of it counts at once.
    """

    def __init__(
        self,
        user_file: str,
        grants: typing.Iterable[Grant],
        counted: login_throttle.LoginThrottle,
        time: clock.Clock,
    ) -> None:
        """Read the file once, to see that it can be read.

        :param counted: how often passwords were wrong
        :raises BadGrant: it cannot, or a line of it is wrong
        """
        self._file = pathlib.Path(user_file)
        self._grants = tuple(grants)
        self._throttle = counted
        self._salt = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._right: cachetools.TTLCache[bytes, bool] = cachetools.TTLCache(
            _MAX_CACHED, _CACHE_S, time.monotonic
        )
        try:
            basic_auth.validate_auth_file(user_file)
        except Exception as error:
            raise BadGrant(
                f"user_file in [api] cannot be used: {error}"
            ) from error

    def __call__(
        self, req: web.Request, project: str
    ) -> request.RequestContext:
        """Return the user whose password the request bears.

        :raises orch.api.errors.Unauthenticated: it bears none that is right
        :raises orch.api.errors.TooManyFailedLogins: too many were wrong
        :raises orch.errors.Forbidden: the user has no role in that project
        :raises orch.errors.Invalid: that is no name of a project
        :raises orch.errors.Unavailable: the file cannot be read
        """
        return self._in_project(req, self._user_of(req), project)

    def holder(self, req: web.Request) -> request.RequestContext:
        """Return the user, in the project that a header names.

        Without a header it is the only one that the user has a role in.

        :raises orch.errors.Invalid: there are several, or none by its name
        """
        user = self._user_of(req)
        known = {
            grant.project
            for grant in self._grants
            if grant.user == user and grant.project != _ALL
        }
        only = known.pop() if len(known) == 1 else None
        return self._in_project(req, user, context.project_of(req, only))

    def _in_project(
        self, req: web.Request, user: str, project: str
    ) -> request.RequestContext:
        granted = [
            grant
            for grant in self._grants
            if grant.user == user and grant.project in (project, _ALL)
        ]
        roles = [role for grant in granted for role in grant.roles]
        if not roles:
            raise errors.Forbidden(
                f"You have no role in the project {project[:80]}."
            )
        return request.RequestContext(
            project_id=context.named("project", project),
            user_id=user,
            user_name=user,
            roles=roles,
            # What rules ask who is to run the cloud: by a grant for all.
            is_admin_project=any(
                grant.project == _ALL
                and _ADMIN in (role.lower() for role in grant.roles)
                for grant in granted
            ),
            request_id=req.request_id,
        )

    def _user_of(self, req: web.Request) -> str:
        given = req.get_header("Authorization")
        try:
            token = basic_auth.parse_header(
                {"HTTP_AUTHORIZATION": given or ""}
            )
            name, password = basic_auth.parse_token(token)
            self._check(req, name, password[:_MAX_PASSWORD_LENGTH])
        except webob.exc.HTTPException:
            raise api_errors.Unauthenticated(
                "The request you have made requires authentication: a name"
                " and a password that are right.",
                CHALLENGE,
            ) from None
        return name

    def _check(self, req: web.Request, name: str, password: bytes) -> None:
        """Return only if the password is right.

        :raises webob.exc.HTTPException: it is not
        :raises orch.api.errors.TooManyFailedLogins: too many were wrong
        """
        who = self._throttle.who(req, name)
        with self._throttle.attempt(who):
            self._compare(name, password)

    def _compare(self, name: str, password: bytes) -> None:
        """Return only if the password is right.

        :raises webob.exc.HTTPException: it is not
        """
        try:
            changed = self._file.stat().st_mtime_ns
        except OSError as error:
            raise errors.Unavailable(
                "The caller cannot be authenticated now: the file of users"
                " cannot be read."
            ) from error
        text = b"\0".join((str(changed).encode(), name.encode(), password))
        key = hmac.digest(self._salt, text, hashlib.sha256)
        with self._lock:
            if key in self._right:
                return
        basic_auth.authenticate(str(self._file), name, password)
        with self._lock:
            self._right[key] = True
