"""Builds clients: finds the service's endpoint, and logs in.

Settings are those of openstacksdk: ``clouds.yaml``, variables ``OS_…``, and
what the caller gives, which counts most.
"""

import argparse
import typing

import openstack.config
from keystoneauth1 import adapter
from keystoneauth1 import exceptions as auth_exceptions
from keystoneauth1 import noauth
from keystoneauth1 import session as sessions
from openstack import connection as connections
from openstack import exceptions
from openstack.config import cloud_region

from orchclient import client
from orchclient import errors
from orchclient import transport

SERVICE_TYPE: typing.Final = "orchestration"
TIMEOUT_S: typing.Final = 60.0
_APP: typing.Final = "orchclient"
_WRONG: typing.Final = (
    exceptions.SDKException,
    auth_exceptions.ClientException,
)
_AUTH: typing.Final = frozenset(
    {
        "application_credential_id",
        "application_credential_name",
        "application_credential_secret",
        "auth_url",
        "password",
        "project_domain_id",
        "project_domain_name",
        "project_id",
        "project_name",
        "system_scope",
        "token",
        "user_domain_id",
        "user_domain_name",
        "user_id",
        "username",
    }
)


def connect(
    cloud: str | None = None,
    *,
    endpoint: str | None = None,
    auth_type: str | None = None,
    region_name: str | None = None,
    timeout_s: float | None = None,
    load_envvars: bool = True,
    **auth: str,
) -> client.Client:
    """Return a client; no request is sent yet.

    :param cloud: of ``clouds.yaml``; else ``OS_CLOUD``, else the only one
    :param endpoint: with the project, ``http://127.0.0.1:8004/v1/demo``; on
        its own it is used without a login
    :param auth_type: of keystoneauth: ``none``, ``http_basic``, ``password``,
        ``v3applicationcredential``, …
    :param timeout_s: how long one answer may take, 60 seconds by default
    :param load_envvars: use ``OS_…``
    :param auth: what that type wants: ``username``, ``password``, …
    :raises orchclient.errors.LoginError: the settings are wrong
    """
    unknown = sorted(set(auth) - _AUTH)
    if unknown:
        raise errors.LoginError(f"Unknown settings: {', '.join(unknown)}.")
    if endpoint is not None and not (cloud or auth_type or auth):
        return _without_login(endpoint, timeout_s)
    login = dict(auth)
    settings: dict[str, typing.Any] = {}
    if auth_type is not None:
        settings["auth_type"] = auth_type
    if region_name is not None:
        settings["region_name"] = region_name
    if endpoint is not None:
        # Whoever logs in nowhere has no catalog either.
        if auth_type in ("none", "http_basic"):
            login["endpoint"] = endpoint
        else:
            settings["orchestration_endpoint_override"] = endpoint
    if login:
        settings["auth"] = login
    try:
        found = _config(load_envvars=load_envvars).get_one(
            cloud=cloud, **settings
        )
    except _WRONG as error:
        raise errors.LoginError(str(error)) from error
    return _of_region(found, timeout_s)


def add_arguments(parser: argparse.ArgumentParser, argv: list[str]) -> None:
    """Add ``--os-cloud``, ``--os-auth-type`` and the options of the login.

    :param argv: names the way to log in, which decides on the other options
    :raises orchclient.errors.LoginError: the cloud that it names is unknown
    """
    try:
        _config().register_argparse_arguments(parser, argv, [SERVICE_TYPE])
    except _WRONG as error:
        raise errors.LoginError(str(error)) from error


def from_arguments(options: argparse.Namespace) -> client.Client:
    """Return a client by the arguments of :func:`add_arguments`.

    :raises orchclient.errors.LoginError: the settings are wrong
    """
    try:
        found = _config().get_one(argparse=options)
    except _WRONG as error:
        raise errors.LoginError(str(error)) from error
    return _of_region(found, None)


def from_connection(connection: connections.Connection) -> client.Client:
    """Return a client that logs in as a connection of openstacksdk does.

    The connection stays its owner's to close.
    """
    config = connection.config
    return client.Client(
        transport.Transport(
            _adapter(config, connection.session), _timeout_s(config, None)
        )
    )


def from_session(
    session: sessions.Session,
    *,
    endpoint: str | None = None,
    region_name: str | None = None,
    interface: str = "public",
    service_type: str = SERVICE_TYPE,
    timeout_s: float = TIMEOUT_S,
) -> client.Client:
    """Return a client on a keystoneauth session, which the caller closes.

    :param endpoint: instead of the one in the catalog
    """
    found = adapter.Adapter(
        session,
        service_type=service_type,
        interface=interface,
        region_name=region_name,
        endpoint_override=endpoint,
        client_name=_APP,
    )
    return client.Client(transport.Transport(found, timeout_s))


def _without_login(endpoint: str, timeout_s: float | None) -> client.Client:
    session = sessions.Session(auth=noauth.NoAuth(endpoint=endpoint))
    return client.Client(
        transport.Transport(
            adapter.Adapter(
                session, service_type=SERVICE_TYPE, client_name=_APP
            ),
            timeout_s or TIMEOUT_S,
            owns_session=True,
        )
    )


def _config(*, load_envvars: bool = True) -> openstack.config.OpenStackConfig:
    return openstack.config.OpenStackConfig(
        load_envvars=load_envvars, app_name=_APP
    )


def _of_region(
    region: cloud_region.CloudRegion, timeout_s: float | None
) -> client.Client:
    try:
        session = region.get_session()
    except _WRONG as error:
        raise errors.LoginError(str(error)) from error
    return client.Client(
        transport.Transport(
            _adapter(region, session),
            _timeout_s(region, timeout_s),
            owns_session=True,
        )
    )


def _adapter(
    region: cloud_region.CloudRegion, session: sessions.Session
) -> adapter.Adapter:
    return adapter.Adapter(
        session,
        service_type=region.get_service_type(SERVICE_TYPE),
        service_name=region.get_service_name(SERVICE_TYPE),
        interface=region.get_interface(SERVICE_TYPE),
        region_name=region.get_region_name(SERVICE_TYPE),
        endpoint_override=region.get_endpoint(SERVICE_TYPE),
        client_name=_APP,
    )


def _timeout_s(
    region: cloud_region.CloudRegion, given_s: float | None
) -> float:
    if given_s is not None:
        return given_s
    found = region.config.get("api_timeout")
    return float(found) if found else TIMEOUT_S
