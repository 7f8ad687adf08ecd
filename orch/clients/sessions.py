"""Connections of openstacksdk, each for one login."""

import collections.abc
import dataclasses
import ssl
import time
import typing

import keystoneauth1.exceptions
import requests
from keystoneauth1 import access
from keystoneauth1 import adapter
from keystoneauth1 import loading
from keystoneauth1 import plugin
from keystoneauth1 import session
from keystoneauth1.identity import base as identity
from openstack import connection
from openstack.config import cloud_region
from openstack.config import defaults
from requests import adapters

from orch.clients import egress
from orch.clients import masked_errors
from orch.plugin import clouds

_MAX_BYTES: typing.Final = 2**25
"""Bytes of an answer that are read of a cloud which users have named."""
_ASKING_PEOPLE: typing.Final = ("v3oidcdeviceauthz", "v3websso")
"""Plug-ins that wait for a user at a browser, for as long as they are
told to."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How services are reached; see group ``[clients]``.

    :ivar region_name: whose endpoints are taken; empty for any
    :ivar interface: ``public``, ``internal`` or ``admin``
    :ivar verify: whether certificates are checked, or the file of those
        that are trusted
    :ivar cert: files of the own certificate and of its key
    :ivar timeout_s: seconds that a service may take for an answer
    :ivar connect_retries: how often a connection that was refused is tried
        again
    """

    region_name: str = ""
    interface: str = "public"
    verify: bool | str = True
    cert: tuple[str, str] | None = None
    timeout_s: float = 60.0
    connect_retries: int = 1


def open_session(
    auth: plugin.BaseAuthPlugin,
    settings: Settings,
    *,
    ca_cert: str | None = None,
    insecure: bool = False,
    within: egress.Egress | None = None,
) -> session.Session:
    """Return a session that logs in at its first request.

    A login of this installation goes to its own Keystone, and trusts nothing
    but what the settings do, whatever the requests trust: it may bear the
    password of the installation. To a cloud that users have named no
    certificate of the installation is shown.

    :param ca_cert: certificates to trust too, as PEM
    :param insecure: trust every certificate
    :param within: where it may connect to, by a login that users have given;
        ``None`` for anywhere, by one of this installation
    :raises orch.plugin.clouds.BadLogin: that is no certificate
    """
    if within is None and (insecure or ca_cert is not None):
        auth = _apart(auth, settings)
    return masked_errors.open_session(
        auth,
        session=_connecting(ca_cert, within, settings.timeout_s),
        verify=False if insecure else settings.verify,
        cert=settings.cert if within is None else None,
        timeout=settings.timeout_s,
        app_name="orch",
    )


def _connecting(
    ca_cert: str | None, within: egress.Egress | None, timeout_s: float
) -> requests.Session | None:
    """Return what connects; ``None`` for the usual way."""
    context = None if ca_cert is None else _trusting(ca_cert)
    if within is not None:
        bounded = egress.open_session(within, context)
        bounded.hooks["response"].append(_reading(timeout_s))
        return bounded
    if context is None:
        return None
    found = requests.Session()
    found.mount("https://", _Trusting(context))
    return found


def _reading(
    timeout_s: float,
) -> collections.abc.Callable[..., requests.Response]:
    """Return what reads an answer, however it comes, within bounds."""

    def read(answer: requests.Response, **_: object) -> requests.Response:
        deadline = time.monotonic() + timeout_s
        text = bytearray()
        for piece in egress.iterate_body(answer):
            text += piece
            if len(text) > _MAX_BYTES or time.monotonic() > deadline:
                answer.close()
                raise requests.RequestException(
                    f"{answer.url} answers more than {_MAX_BYTES} bytes, or"
                    f" for longer than {timeout_s:.0f} s"
                )
        # As the library does when it reads the body itself; it has no other
        # way to be given one.
        answer._content = bytes(text)
        answer._content_consumed = True  # type: ignore[attr-defined]
        return answer

    return read


def _apart(
    auth: plugin.BaseAuthPlugin, settings: Settings
) -> plugin.BaseAuthPlugin:
    """Return the login, over a session of its own."""
    if not isinstance(auth, identity.BaseIdentityPlugin):
        return auth
    apart = _Apart(auth, open_session(auth, settings))
    return (
        auth.around(apart)
        if isinstance(auth, masked_errors.RedactingLogin)
        else apart
    )


class _Apart(identity.BaseIdentityPlugin):
    """Logs in over another session than the one that it serves."""

    def __init__(
        self, wrapped: identity.BaseIdentityPlugin, own: session.Session
    ) -> None:
        super().__init__(auth_url=wrapped.auth_url)
        self._wrapped_login = wrapped
        self._own = own

    def get_auth_ref(self, session: session.Session) -> access.AccessInfo:
        """Log in."""
        return self._wrapped_login.get_auth_ref(self._own)


def _trusting(ca_cert: str) -> ssl.SSLContext:
    """Return what trusts these certificates beside the usual ones.

    No file holds them: there is nothing to be cleaned up.
    """
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(cadata=ca_cert)
    except (ssl.SSLError, ValueError, TypeError):
        raise clouds.BadLogin(
            "The certificate to trust is not one in PEM form."
        ) from None
    return context


class _Trusting(adapters.HTTPAdapter):
    """Verifies certificates with a context of its own."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__()

    def init_poolmanager(
        self, *args: typing.Any, **kwargs: typing.Any
    ) -> None:
        """Make connections with the context."""
        super().init_poolmanager(*args, **kwargs, ssl_context=self._context)


def connect(
    held: session.Session, settings: Settings, region_name: str | None
) -> connection.Connection:
    """Return a connection; it asks nothing yet.

    :param region_name: ``None`` for that of the settings
    """
    region = region_name or settings.region_name or None
    values = {
        **defaults.get_defaults(),
        "interface": settings.interface,
        "connect_retries": settings.connect_retries,
    }
    found = cloud_region.CloudRegion(
        name="orch",
        region_name=region,
        config=values,
        session=held,
        app_name="orch",
    )
    return connection.Connection(config=found)


def connect_keystone(
    held: session.Session, auth: plugin.BaseAuthPlugin, settings: Settings
) -> adapter.Adapter:
    """Return what asks the Keystone that the session logs in at."""
    return adapter.Adapter(
        held,
        auth=auth,
        service_type="identity",
        interface=typing.cast(str, plugin.AUTH_INTERFACE),
        version="3",
        connect_retries=settings.connect_retries,
    )


def build_plugin(
    login: collections.abc.Mapping[str, object],
) -> plugin.BaseAuthPlugin:
    """Return what logs in as it is told.

    :param login: ``auth_type``, and ``auth``, the options of that plug-in
    :raises orch.plugin.clouds.BadLogin: keystoneauth knows no such plug-in,
        or it has other options
    """
    kind, values = login.get("auth_type"), login.get("auth")
    if not isinstance(kind, str) or not isinstance(values, dict):
        raise clouds.BadLogin(
            "A login must have auth_type, a text, and auth, a map of the"
            " options of that plug-in of keystoneauth."
        )
    if kind in _ASKING_PEOPLE:
        raise clouds.BadLogin(
            f"The login plug-in {kind} cannot be used: it waits for a person."
        )
    try:
        loader: loading.BaseLoader[plugin.BaseAuthPlugin]
        loader = loading.get_plugin_loader(kind)
        known = {option.dest for option in loader.get_options()}
        unknown = sorted(set(map(str, values)) - known)
        if unknown:
            raise clouds.BadLogin(
                f"The login plug-in {kind} has no option"
                f" {', '.join(unknown)[:200]}."
            )
        return loader.load_from_options(**typing.cast(dict[str, str], values))
    except keystoneauth1.exceptions.ClientException as error:
        # Its text names options, never their values.
        raise clouds.BadLogin(
            f"The login plug-in {kind[:80]} cannot be used: {error}"
        ) from None
    except (AttributeError, TypeError, ValueError):
        raise clouds.BadLogin(
            f"The login plug-in {kind[:80]} cannot be used: an option of it"
            " is of another kind than it must be."
        ) from None
