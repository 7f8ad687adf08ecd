"""Credentials of stacks in Keystone: trusts and application credentials.

A trust lets the user of ``[trustee]`` act in the name of a user. An
application credential is a login of its own. Both are made with the user's
token, and bear the id of the credential that they belong to from the start:
they can be found by it when the answer got lost.
"""

import collections.abc
import contextlib
import dataclasses
import logging
import secrets
import threading
import typing

import keystoneauth1.exceptions
import requests
from keystoneauth1 import access
from keystoneauth1 import adapter
from keystoneauth1 import identity
from keystoneauth1 import loading
from keystoneauth1 import plugin
from keystoneauth1 import session
from keystoneauth1.identity import access as known_access
from oslo_config import cfg

from orch import errors
from orch import redacted
from orch.clients import masked_errors
from orch.clients import sessions

GROUP: typing.Final = "trustee"
"""Group of the options of the user that trusts are made to."""

LENT: typing.Final = "lent"
"""In a secret: another installation has the trust, and removes it."""

_TRUSTS = "/OS-TRUST/trusts"
_MARK = "orch_credential"
_SCOPE = (
    "project_id",
    "project_name",
    "project_domain_id",
    "project_domain_name",
    "domain_id",
    "domain_name",
    "system_scope",
)
_NAME = "orch-{}"
_REFUSED = (400, 401, 403)
_GONE = 404

Secret = dict[str, str]
"""What logs in: ``trust_id``, or ``name``, ``user_id`` and ``secret`` of an
application credential."""


class Misconfigured(errors.OrchError):
    """The user of ``[trustee]`` cannot be used; no worker can start."""

    code = "orch.clients.misconfigured"


class CredentialRefused(errors.Forbidden):
    """Keystone does not let the caller give a credential to a stack."""

    code = "orch.credentials.refused"


class Unreachable(errors.Unavailable):
    """Keystone gives no answer now, or a useless one."""

    code = "orch.credentials.unreachable"


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return the options of ``[trustee]`` for the sample generator."""
    common = loading.get_auth_common_conf_options()
    password = loading.get_auth_plugin_conf_options("password")
    return [(GROUP, [*common, *password])]


class LoginRefused(Unreachable):
    """Keystone does not accept a login, or no longer does."""

    code = "orch.credentials.login_refused"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Grantor:
    """The user who gives a credential to a stack, with a valid token."""

    token: str
    user_id: str
    project_id: str
    roles: tuple[str, ...]


def new_application(mark: str, user_id: str) -> Secret:
    """Return what an application credential is to log in with.

    :param mark: makes its name
    :param user_id: whose it will be
    """
    return {
        "name": _NAME.format(mark),
        "user_id": user_id,
        "secret": secrets.token_urlsafe(48),
    }


class Keystone:
    """The Keystone that the user of ``[trustee]`` logs in at."""

    def __init__(
        self, conf: cfg.ConfigOpts, settings: sessions.Settings
    ) -> None:
        """Read the options; nothing is asked yet.

        :raises Misconfigured: there is no such user in them
        """
        self._conf = conf
        self._settings = settings
        # It shows answers to logins when debugging, which name trusts.
        logging.getLogger("keystoneauth.identity").setLevel(logging.INFO)
        loading.register_auth_conf_options(conf, GROUP)
        self._auth = self._login(conf)
        self._session = sessions.open_session(self._auth, settings)
        self._api = sessions.connect_keystone(
            self._session, self._auth, settings
        )
        self._lock = threading.Lock()
        self._user_id: str | None = None

    def trust_login(self, trust_id: str) -> plugin.BaseAuthPlugin:
        """Return what logs in by a trust."""
        nothing = dict.fromkeys(_SCOPE)
        login = self._login(self._conf, **{**nothing, "trust_id": trust_id})
        return masked_errors.redact_login(login, [trust_id])

    def application_login(
        self, secret: Secret
    ) -> identity.V3ApplicationCredential:
        """Return what logs in by an application credential."""
        return identity.V3ApplicationCredential(
            self.auth_url,
            application_credential_name=secret["name"],
            application_credential_secret=secret["secret"],
            user_id=secret["user_id"],
        )

    def token_login(
        self, token: str, project_id: str
    ) -> plugin.BaseAuthPlugin:
        """Return what logs in by a token of a user."""
        return identity.V3Token(
            self.auth_url, token=token, project_id=project_id
        )

    def stack_users_login(self) -> plugin.BaseAuthPlugin:
        """Return what logs in as who makes users of stacks.

        An administrator of their domain, or else the user of ``[trustee]``.
        """
        conf = self._conf
        if not conf.stack_domain_admin:
            return self._auth
        domain_id = conf.stack_user_domain_id or None
        domain_name = None if domain_id else conf.stack_user_domain_name
        return identity.V3Password(
            self.auth_url,
            username=conf.stack_domain_admin,
            password=conf.stack_domain_admin_password,
            user_domain_id=domain_id,
            user_domain_name=domain_name,
            domain_id=domain_id,
            domain_name=domain_name,
        )

    def own_login(self, token: str) -> plugin.BaseAuthPlugin:
        """Return what acts by a token itself, as long as that is valid.

        No other token is made of it: Keystone makes none of a token that
        came of an application credential or a trust.

        :raises Unreachable: no answer, or the token is not valid any more
        """
        with _translated():
            answer = self._api.get(
                "/auth/tokens",
                headers={"X-Auth-Token": token, "X-Subject-Token": token},
                authenticated=False,
                endpoint_override=self._endpoint(),
                log=False,
            )
        return known_access.AccessInfoPlugin(
            access.create(resp=answer, auth_token=token),
            auth_url=self.auth_url,
        )

    def create_trust(self, giver: Grantor, mark: str) -> Secret:
        """Return a trust from the giver.

        :param mark: by which it is found when the answer is lost
        :raises CredentialRefused: Keystone refuses it
        :raises Unreachable: no answer
        """
        trust = {
            "trustor_user_id": giver.user_id,
            "trustee_user_id": self._trustee(),
            "project_id": giver.project_id,
            "impersonation": True,
            "allow_redelegation": False,
            "roles": [{"name": each} for each in giver.roles],
            _MARK: mark,
        }
        created = self._give(giver, _TRUSTS, {"trust": trust})
        return {"trust_id": str(_part(created, "trust")["id"])}

    def create_application(
        self, giver: Grantor, secret: Secret, *, unrestricted: bool
    ) -> None:
        """Make an application credential of the giver.

        :param secret: what it is to log in with: :func:`new_application`
        :param unrestricted: it may make trusts and others of its kind
        :raises CredentialRefused: Keystone refuses it
        :raises Unreachable: no answer
        """
        self._give(
            giver,
            f"/users/{giver.user_id}/application_credentials",
            {
                "application_credential": {
                    "name": secret["name"],
                    "description": "Lets a stack act; made by Orch.",
                    "secret": secret["secret"],
                    "roles": [{"name": each} for each in giver.roles],
                    "unrestricted": unrestricted,
                }
            },
        )

    def find_trust(self, mark: str, user_id: str) -> Secret | None:
        """Return the trust that bears the mark; ``None``: there is none.

        :param user_id: whose it is
        :raises Unreachable: no answer
        """
        body = {"trustee_user_id": self._trustee()}
        listed = self._ask("GET", _TRUSTS, params=body)
        for each in _items(listed, "trusts"):
            is_of_user = each.get("trustor_user_id") == user_id
            if each.get(_MARK) == mark and is_of_user:
                return {"trust_id": str(each["id"])}
        return None

    def find_lent(
        self, trust: collections.abc.Mapping[str, str] | None
    ) -> Secret | None:
        """Return what logs in by the trust of a token, if that is to us.

        :param trust: see :class:`orch.context.request.RequestContext`
        :raises Unreachable: no answer
        """
        if trust is None or trust["trustee_id"] != self._trustee():
            return None
        return {"trust_id": trust["id"], LENT: "yes"}

    def revoke_trust(self, secret: Secret) -> None:
        """Remove a trust; one that is gone already is success.

        An administrator may do it, and who has given it. Keystone up to 29
        takes the trust itself for the latter, later ones do not.

        :raises Unreachable: it could not be removed
        """
        path = f"{_TRUSTS}/{secret['trust_id']}"
        self._remove(path, self.trust_login(secret["trust_id"]))

    def revoke_application(self, secret: Secret) -> None:
        """Remove an application credential; already gone is success.

        It can remove itself if it is unrestricted; an administrator may too.

        :raises Unreachable: it could not be removed
        """
        path = f"/users/{secret['user_id']}/application_credentials"
        own = self.application_login(secret)
        known = self._find_own(own) or self._find_named(path, secret["name"])
        if known is not None:
            self._remove(f"{path}/{known}", own)

    def is_good(self, auth: plugin.BaseAuthPlugin) -> bool:
        """Whether a login that way works now.

        :raises Unreachable: no answer
        """
        try:
            with _translated():
                auth.get_token(sessions.open_session(auth, self._settings))
        except LoginRefused:
            return False
        return True

    @property
    def auth_url(self) -> str:
        """Where the user of ``[trustee]`` logs in."""
        found = getattr(self._auth, "auth_url", None)
        if not isinstance(found, str):
            raise Misconfigured(
                f"auth_type in [{GROUP}] is a plug-in without auth_url; use"
                " password."
            )
        return found

    def _login(
        self, conf: cfg.ConfigOpts, **given: str | None
    ) -> plugin.BaseAuthPlugin:
        try:
            found = loading.load_auth_from_conf_options(conf, GROUP, **given)
        except keystoneauth1.exceptions.ClientException as error:
            raise Misconfigured(f"[{GROUP}] is wrong: {error}") from error
        if found is None:
            raise Misconfigured(
                f"auth_type in [{GROUP}] is missing: with auth = keystone in"
                " [api] workers need a user that others can leave credentials"
                " to. Set auth_type, auth_url, username, password and"
                " user_domain_id, or deferred_auth_method = none."
            )
        return found

    def _trustee(self) -> str:
        """Return the id of the user of ``[trustee]``.

        :raises Unreachable: the user cannot log in
        """
        with self._lock:
            if self._user_id is None:
                with _translated():
                    self._user_id = self._session.get_user_id(self._auth)
            if self._user_id is None:
                raise Unreachable("Keystone does not say who logs in.")
            return self._user_id

    def _give(
        self,
        giver: Grantor,
        path: str,
        body: collections.abc.Mapping[str, object],
    ) -> object:
        """Return what was made with the token of the giver.

        :raises CredentialRefused: Keystone refuses it
        :raises Unreachable: no answer
        """
        with _translated():
            answer = self._api.post(
                path,
                json=body,
                headers={"X-Auth-Token": giver.token},
                authenticated=False,
                raise_exc=False,
                endpoint_override=self._endpoint(),
                log=False,  # it may have what logs in
            )
        if answer.status_code in _REFUSED:
            raise CredentialRefused(
                "Keystone does not let this login leave a credential to a"
                f" stack ({_first_message(answer)}). A login that was"
                " delegated"
                " itself, by a trust or an application credential, cannot:"
                " log in with a password. Where stacks get application"
                " credentials (deferred_auth_method), one that was created"
                " with --unrestricted will do."
            )
        if not answer.ok:
            raise Unreachable(f"Keystone failed ({_first_message(answer)}).")
        return answer.json()

    def _endpoint(self) -> str:
        """Return the address of version 3."""
        found = self._api.get_endpoint()
        if not found:
            raise Unreachable("Keystone does not say where its version 3 is.")
        return str(found)

    def _ask(
        self,
        method: str,
        path: str,
        params: collections.abc.Mapping[str, str],
    ) -> object:
        with _translated():
            answer = self._api.request(
                path,
                method,
                params=params,
                raise_exc=False,
                log=False,  # what it answers names trusts
            )
        if answer.status_code == _GONE:
            return {}
        if not answer.ok:
            raise Unreachable(
                f"Keystone refuses to answer ({_first_message(answer)})."
            )
        return answer.json()

    def _find_own(self, auth: identity.V3ApplicationCredential) -> str | None:
        """Return the id of an application credential that still logs in."""
        try:
            with _translated():
                held = sessions.open_session(auth, self._settings)
                opened = auth.get_access(held)
        except LoginRefused:
            return None
        found = getattr(opened, "application_credential_id", None)
        return found if isinstance(found, str) else None

    def _find_named(self, path: str, name: str) -> str | None:
        """Return the id of a user's application credential.

        :raises Unreachable: the user of [trustee] may not look
        """
        listed = self._ask("GET", path, params={"name": name})
        for each in _items(listed, "application_credentials"):
            return str(each["id"])
        return None

    def _remove(self, path: str, own: plugin.BaseAuthPlugin) -> None:
        """Remove as the user of [trustee], else by a login of its own."""
        if self._is_removed(path, self._auth):
            return
        if not self._is_removed(path, own):
            raise Unreachable(
                f"Neither the user of [{GROUP}] nor itself may remove it:"
                " give that user the role admin, and a project in its options."
            )

    def _is_removed(self, path: str, auth: plugin.BaseAuthPlugin) -> bool:
        held: session.Session = sessions.open_session(auth, self._settings)
        api: adapter.Adapter = sessions.connect_keystone(
            held, auth, self._settings
        )
        try:
            with _translated():
                answer = api.delete(path, raise_exc=False, log=False)
        except LoginRefused:
            return False
        if answer.status_code >= 500:
            raise Unreachable(f"Keystone failed ({_first_message(answer)}).")
        return bool(answer.ok) or answer.status_code == _GONE


@contextlib.contextmanager
def _translated() -> collections.abc.Iterator[None]:
    """Let nothing but our own errors out."""
    exceptions = keystoneauth1.exceptions
    try:
        yield
    except (
        exceptions.Unauthorized,
        exceptions.Forbidden,
        exceptions.NotFound,
    ) as error:
        raise LoginRefused(f"Keystone refuses a login: {error}") from error
    except exceptions.ClientException as error:
        raise Unreachable(f"Keystone gives no answer: {error}") from error


def _first_message(answer: requests.Response) -> str:
    return f"{answer.status_code}: {redacted.cut(answer.text, 300)}"


def _part(answer: object, name: str) -> dict[str, object]:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, dict) or "id" not in found:
        raise Unreachable(f"Keystone answers without {name}.")
    return found


def _items(answer: object, name: str) -> list[dict[str, object]]:
    found = answer.get(name) if isinstance(answer, dict) else None
    return found if isinstance(found, list) else []
