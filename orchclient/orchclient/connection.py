"""Builds clients: finds the service's endpoint, and logs in.

Settings are those of ``clouds.yaml``, variables ``OS_…``, and what the caller
gives, which counts most.
"""

import argparse
import collections.abc
import os
import re
import typing

from keystoneauth1 import adapter
from keystoneauth1 import exceptions
from keystoneauth1 import loading
from keystoneauth1 import noauth
from keystoneauth1 import session as sessions

from orchclient import client
from orchclient import clouds
from orchclient import errors
from orchclient import login
from orchclient import transport

SERVICE_TYPE: typing.Final = login.SERVICE_TYPE
TIMEOUT_S: typing.Final = login.TIMEOUT_S
_APP: typing.Final = login.CLIENT_NAME
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
    given: clouds.Settings = {"auth_type": auth_type}
    given["region_name"] = region_name
    given["auth"] = found_auth = dict(auth)
    if endpoint is not None:
        # Whoever logs in nowhere has no catalog either.
        if auth_type in ("none", "http_basic"):
            found_auth["endpoint"] = endpoint
        else:
            given[f"{SERVICE_TYPE}_endpoint_override"] = endpoint
    known = clouds.Clouds(os.environ if load_envvars else {})
    return _log_in(login.complete(known, cloud, given), timeout_s)


def add_arguments(parser: argparse.ArgumentParser, argv: list[str]) -> None:
    """Add ``--os-cloud``, ``--os-auth-type`` and the options of the login.

    :param argv: names the way to log in, which decides on the other options;
        options with ``_`` in their names get ``-``
    :raises orchclient.errors.LoginError: the cloud that it names is unknown,
        or that way
    """
    argv[:] = map(_with_hyphens, argv)
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for each in (early, parser):
        each.add_argument(
            "--os-cloud",
            metavar="<name>",
            default=os.environ.get("OS_CLOUD"),
            help="Named cloud to connect to",
        )
    name = early.parse_known_args(argv)[0].os_cloud
    found = login.complete(clouds.Clouds(os.environ), name, {})
    try:
        loader: login.Loader | None = loading.register_auth_argparse_arguments(
            parser, argv, default=found["auth_type"]
        )
    except exceptions.NoMatchingPlugin as error:
        names = ", ".join(sorted(loading.get_available_plugin_names()))
        raise errors.LoginError(
            f"{error} An auth type is one of {names}."
        ) from error
    for option in loader.get_options() if loader else ():
        for word in option.argparse_args:
            # keystoneauth has --os-application_credential_id.
            if "_" in word:
                parser.add_argument(
                    word.replace("_", "-"),
                    dest=f"os_{option.dest}",
                    default=option.argparse_default,
                    help=option.help,
                )
    loading.register_session_argparse_arguments(parser)
    # Only who gives it wants another timeout than that of the cloud.
    parser.set_defaults(timeout=None)
    adapter.register_adapter_argparse_arguments(parser, SERVICE_TYPE)
    adapter.register_service_adapter_argparse_arguments(parser, SERVICE_TYPE)
    for old in (
        *(f"--{SERVICE_TYPE}-api-version", "--http-timeout"),
        *("--os-endpoint-type", "--endpoint-type"),
    ):
        parser.add_argument(old, help=argparse.SUPPRESS)


def from_arguments(options: argparse.Namespace) -> client.Client:
    """Return a client by the arguments of :func:`add_arguments`.

    :raises orchclient.errors.LoginError: the settings are wrong
    """
    told = {
        key: value
        for key, value in vars(options).items()
        if value not in (None, "")
    }
    given = {k: v for k, v in told.items() if not k.startswith("os_")} | {
        k.removeprefix("os_"): v
        for k, v in told.items()
        if k.startswith("os_")
    }
    if "timeout" in given:
        given["api_timeout"] = given.pop("timeout")
    name = given.pop("cloud", None)
    known = clouds.Clouds(os.environ)
    return _log_in(login.complete(known, name, given), None)


def from_variables(
    variables: collections.abc.Mapping[str, str], endpoint: str | None = None
) -> client.Client:
    """Return a client by other variables ``OS_…`` than the environment's.

    :param endpoint: with the project, instead of the one that they lead to
    :raises orchclient.errors.LoginError: the settings are wrong
    """
    given = {f"{SERVICE_TYPE}_endpoint_override": endpoint}
    known = clouds.Clouds(variables)
    return _log_in(login.complete(known, None, given), None)


class _Region(typing.Protocol):
    """Settings of a connection of openstacksdk."""

    config: dict[str, typing.Any]

    def get_service_type(self, service_type: str) -> str: ...
    def get_service_name(self, service_type: str) -> str | None: ...
    def get_interface(self, service_type: str) -> list[str] | str | None: ...
    def get_region_name(self, service_type: str) -> str | None: ...
    def get_endpoint(self, service_type: str) -> str | None: ...


class Connection(typing.Protocol):
    """What is needed of a ``Connection`` of openstacksdk."""

    @property
    def config(self) -> _Region:
        """Return its settings."""

    @property
    def session(self) -> sessions.Session:
        """Return its session."""


def from_connection(connection: Connection) -> client.Client:
    """Return a client that logs in as a connection of openstacksdk does.

    The connection stays its owner's to close.
    """
    region = connection.config
    found = adapter.Adapter(
        connection.session,
        service_type=region.get_service_type(SERVICE_TYPE),
        service_name=region.get_service_name(SERVICE_TYPE),
        interface=region.get_interface(SERVICE_TYPE),
        region_name=region.get_region_name(SERVICE_TYPE),
        endpoint_override=region.get_endpoint(SERVICE_TYPE),
        client_name=_APP,
    )
    return client.Client(
        transport.Transport(found, login.timeout_s(region.config))
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


def _log_in(
    settings: clouds.Settings, timeout_s: float | None
) -> client.Client:
    return client.Client(
        transport.Transport(
            login.build_adapter(settings),
            login.timeout_s(settings) if timeout_s is None else timeout_s,
            owns_session=True,
        )
    )


def _with_hyphens(word: str) -> str:
    """Return an option as it is registered: ``--os_cloud`` is as good."""
    name, equals, value = word.partition("=")
    if not re.match(r"--\w", name):
        return word
    return name.replace("_", "-") + equals + value
