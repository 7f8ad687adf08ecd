"""Connections to the cloud that plug-ins use, with a cache."""

import collections.abc
import hashlib
import json
import threading

import cachetools
from keystoneauth1 import session
from openstack import connection

from orch import clock
from orch import ids
from orch.clients import egress
from orch.clients import identity
from orch.clients import sessions
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import credentials
from orch.engine import credentials as credential_parts
from orch.engine.credentials import stored_credentials
from orch.model import credential
from orch.plugin import call_context
from orch.plugin import clouds

_CACHE_TTL_S = 900.0
_MAX_CACHED = 128

_Make = collections.abc.Callable[[], session.Session]


class Clouds(credential_parts.Callers):
    """Connects to the cloud with credentials of stacks, tokens and logins."""

    has_cloud = True

    def __init__(
        self,
        database: db_engine.Database,
        keystone: identity.Keystone,
        credential_store: stored_credentials.StoredCredentials,
        settings: sessions.Settings,
        clock_: clock.Clock,
        within: egress.Egress,
    ) -> None:
        """Create an empty cache.

        :param within: limits of egress for logins that users have given
        """
        self._database = database
        self._keystone = keystone
        self._credential_store = credential_store
        self._settings = settings
        self._within = within
        self._lock = threading.Lock()
        self._cache: cachetools.TTLCache[
            tuple[str, str | None], connection.Connection
        ] = cachetools.TTLCache(_MAX_CACHED, _CACHE_TTL_S, clock_.monotonic)

    def connect(
        self,
        context: call_context.Context,
        *,
        region_name: str | None,
        ca_cert: str | None = None,
        insecure: bool = False,
    ) -> connection.Connection:
        """Return a connection for a stack: its credential, else the token.

        :raises orch.plugin.clouds.NoCloud: the stack has no credential, and
            the caller no token
        """
        trusted = _digest(json.dumps([ca_cert, insecure]))
        held = self._find(ids.StackId(context.stack_id))
        if held is not None:
            found = held
            return self._get(
                f"credential {found.id} {trusted}",
                region_name,
                lambda: sessions.open_session(
                    self._credential_store.login(found),
                    self._settings,
                    ca_cert=ca_cert,
                    insecure=insecure,
                ),
            )
        token = context.request.auth_token
        project = context.request.project_id
        if not token or not project:
            raise clouds.NoCloud(
                f"The stack {context.stack_name} has no credential to log in"
                " to the cloud with: it was made before the installation had"
                " Keystone, or by a request whose login could not leave one"
                " (an EC2 key, an application credential). Update it, or"
                " retry what has failed, with a token of a password."
            )
        requested_by = token
        return self._get(
            f"token {_digest(token)} {trusted}",
            region_name,
            lambda: sessions.open_session(
                self._keystone.token_login(requested_by, project),
                self._settings,
                ca_cert=ca_cert,
                insecure=insecure,
            ),
        )

    def connect_as(self, stack_id: ids.StackId) -> connection.Connection:
        """Return a connection that uses the credential of a stack.

        :raises orch.plugin.clouds.NoCloud: it has none
        """
        held = self._find(stack_id)
        if held is None:
            raise clouds.NoCloud(
                f"The stack {stack_id} has no credential to log in to the"
                " cloud with."
            )
        found = held
        return self._get(
            f"credential {found.id}",
            None,
            lambda: sessions.open_session(
                self._credential_store.login(found), self._settings
            ),
        )

    def _find(self, stack_id: ids.StackId) -> credential.Credential | None:
        return self._database.query(
            lambda conn: credentials.find_active(conn, stack_id)
        )

    def connect_for(
        self, ctxt: request.RequestContext
    ) -> connection.Connection:
        """Return a connection that uses the token of a request.

        It is for that request alone: Keystone says which project the token is
        for.

        :raises orch.plugin.clouds.NoCloud: it has none
        """
        if not ctxt.auth_token:
            raise clouds.NoCloud("The request has no token to act by.")
        login = self._keystone.own_login(ctxt.auth_token)
        login_session = sessions.open_session(login, self._settings)
        return sessions.connect(login_session, self._settings, None)

    def log_in(
        self,
        login: collections.abc.Mapping[str, object],
        *,
        region_name: str | None,
        ca_cert: str | None,
        insecure: bool,
    ) -> connection.Connection:
        """Return a connection that uses a given login.

        Its requests may not leave the limits of ``[egress]``.

        :raises orch.plugin.clouds.BadLogin: the login has an unknown form
        """
        key = _digest(json.dumps([dict(login), ca_cert, insecure]))
        return self._get(
            f"login {key}",
            region_name,
            lambda: sessions.open_session(
                sessions.build_plugin(login),
                self._settings,
                within=self._within,
                ca_cert=ca_cert,
                insecure=insecure,
            ),
        )

    def _get(
        self, key: str, region_name: str | None, make: _Make
    ) -> connection.Connection:
        """Return the connection of a key, from the cache or a new one."""
        place = (key, region_name)
        with self._lock:
            known = self._cache.get(place)
        if known is not None:
            return known
        login_session = sessions.connect(make(), self._settings, region_name)
        with self._lock:
            self._cache[place] = login_session
        return login_session


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
