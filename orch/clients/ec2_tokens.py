"""Verify signatures of EC2 credentials by Keystone.

https://docs.openstack.org/api-ref/identity/v3-ext/#authenticate-ec2-token
"""

import collections.abc
import dataclasses
import typing

import keystoneauth1.exceptions
from keystoneauth1 import adapter
from keystoneauth1 import loading
from keystoneauth1 import plugin
from keystoneauth1 import session
from oslo_config import cfg

from orch import errors

GROUP: typing.Final = "keystone_authtoken"
"""Group of the options of the user that asks, as of the token's check."""

_PATH = "/ec2tokens"
_UNKNOWN = 404
_WRONG = 401
_TIMEOUT_S = 30


class Misconfigured(errors.OrchError):
    """The user for queries to Keystone cannot be used."""

    code = "orch.signature.misconfigured"


class Unreachable(errors.Unavailable):
    """Keystone gives no answer now, or a useless one."""

    code = "orch.signature.unreachable"


class UnknownKey(errors.Forbidden):
    """No such access key exists."""

    code = "orch.signature.unknown_key"


class Mismatch(errors.Forbidden):
    """The signature was made with another secret or for another text."""

    code = "orch.signature.mismatch"


@dataclasses.dataclass(frozen=True, slots=True)
class Token:
    """The token that Keystone issues for a valid signature.

    :ivar project_id: that of the credential
    """

    text: str = dataclasses.field(repr=False)
    project_id: str


class Ec2Tokens:
    """The Keystone of group ``[keystone_authtoken]``."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Read the options; nothing is asked yet.

        :param conf: keystonemiddleware has made the group known to it
        :raises Misconfigured: they name no user
        """
        loading.register_auth_conf_options(conf, GROUP)
        try:
            auth = loading.load_auth_from_conf_options(conf, GROUP)
        except keystoneauth1.exceptions.ClientException as error:
            raise Misconfigured(f"[{GROUP}] is wrong: {error}") from error
        if auth is None:
            raise Misconfigured(
                f"auth_type in [{GROUP}] is missing: who checks signatures"
                " needs a user. Set auth_type, auth_url, username, password"
                " and user_domain_id."
            )
        group = conf[GROUP]
        cert = None
        if group.certfile and group.keyfile:
            cert = (group.certfile, group.keyfile)
        self._auth = auth
        self._session = session.Session(
            auth=auth,
            verify=not group.insecure and (group.cafile or True),
            cert=cert,
            timeout=group.http_connect_timeout or _TIMEOUT_S,
            app_name="orch",
        )
        self._api = adapter.Adapter(
            self._session,
            auth=auth,
            service_type="identity",
            interface=typing.cast(str, plugin.AUTH_INTERFACE),
            version="3",
            connect_retries=1,
        )

    def token_of(self, signed: collections.abc.Mapping[str, object]) -> Token:
        """Return a token of who has signed.

        :param signed: what the signature is of, in Keystone's words
        :raises UnknownKey: no user has that access key
        :raises Mismatch: the signature is not that of its secret
        :raises Unreachable: Keystone does not tell
        """
        try:
            self._session.get_token(self._auth)
            answer = self._api.post(
                _PATH, json={"ec2Credentials": signed}, raise_exc=False
            )
        except keystoneauth1.exceptions.ClientException as error:
            raise Unreachable(
                f"Keystone gives no answer to who has signed: {error}"
            ) from error
        if answer.status_code == _UNKNOWN:
            raise UnknownKey("No user has this access key.")
        if answer.status_code == _WRONG:
            raise Mismatch(
                "The signature is not that of this access key: check the"
                " secret key, and the program that signs."
            )
        text = answer.headers.get("X-Subject-Token")
        if not answer.ok or not text:
            raise Unreachable(
                "Keystone does not identify the signer"
                f" ({answer.status_code}); the user of [{GROUP}] needs the"
                " role service, or admin."
            )
        return Token(text, _project_of(answer.json()))


def _project_of(message: object) -> str:
    token = message.get("token") if isinstance(message, dict) else None
    project = token.get("project") if isinstance(token, dict) else None
    if not isinstance(project, dict):
        raise Unreachable("Keystone answers without a project.")
    return str(project["id"])
