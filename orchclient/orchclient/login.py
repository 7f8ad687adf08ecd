"""Turns settings of a cloud into a session and an adapter of keystoneauth.

The names of settings, and which of two counts, are openstacksdk's: those of
the login stand below ``auth`` or beside it, those that are Orch's alone begin
with ``orchestration_``.
"""

import collections.abc
import pathlib
import typing
import warnings

import urllib3
from keystoneauth1 import adapter
from keystoneauth1 import exceptions
from keystoneauth1 import loading
from keystoneauth1 import plugin
from keystoneauth1 import session as sessions

from orchclient import clouds
from orchclient import errors

SERVICE_TYPE: typing.Final = "orchestration"
CLIENT_NAME: typing.Final = "orchclient"
TIMEOUT_S: typing.Final = 60.0

Loader = loading.BaseLoader[plugin.BaseAuthPlugin]

_AUTH_TYPE: typing.Final = "password"
_INTERFACE: typing.Final = "public"
_OTHER_TYPES: typing.Final = {
    "": "none",
    "None": "none",
    "token_endpoint": "admin_token",
}
"""What users write in place of keystoneauth's names."""
_OTHER_NAMES: typing.Final = {
    "token": ("auth_token", "token"),
    "passcode": ("passcode",),
    "domain_id": ("domain_id",),
    "domain_name": ("domain_name",),
    "user_domain_id": ("user_domain_id",),
    "user_domain_name": ("user_domain_name",),
    "project_domain_id": ("project_domain_id",),
    "project_domain_name": ("project_domain_name",),
    "project_id": ("tenant_id", "project_id"),
    "project_name": ("tenant_name", "project_name"),
}
"""Settings of the login that count more beside ``auth`` than below it.

Of the names of each the last counts most.
"""
_V2_NAMES: typing.Final = {
    "tenant_id": ("project_id", "tenant_id"),
    "tenant_name": ("project_name", "tenant_name"),
}


def complete(
    known: clouds.Clouds, name: str | None, given: clouds.Settings
) -> clouds.Settings:
    """Return the settings of a cloud with what the caller gives.

    :param name: of the cloud; ``None`` for the default, if there is one
    :raises orchclient.errors.LoginError: there is no such cloud or region
    """
    found = known.settings(name or known.default)
    region, values = _find_region(found, given.get("region_name"))
    for each in (values, given):
        found = clouds.merge(found, _without_none(each))
    if region:
        found["region_name"] = region
    found["auth"] = dict(found.get("auth") or {})
    _rename(found)
    _spread_domain(found)
    if url := found["auth"].get("auth_url"):
        found["auth"]["auth_url"] = _fill(str(url), found)
    return found


def build_adapter(settings: clouds.Settings) -> adapter.Adapter:
    """Return an adapter on a session of its own; nothing is sent yet.

    :raises orchclient.errors.LoginError: the settings are wrong
    """

    def find(key: str, *, is_shared: bool = False) -> typing.Any:
        special = settings.get(f"{SERVICE_TYPE}_{key}")
        return special or (settings.get(key) if is_shared else None)

    try:
        login = _load_plugin(settings)
    except exceptions.ClientException as error:
        raise errors.LoginError(str(error)) from error
    endpoint = find("endpoint_override") or find("endpoint")
    if not endpoint and settings["auth_type"] == "none":
        endpoint = settings["auth"].get("endpoint") or settings.get("endpoint")
    return adapter.Adapter(
        _build_session(settings, login),
        service_type=find("service_type") or SERVICE_TYPE,
        service_name=find("service_name"),
        interface=find("interface", is_shared=True) or _INTERFACE,
        region_name=find("region_name", is_shared=True),
        endpoint_override=_fill(endpoint, settings) if endpoint else None,
        client_name=CLIENT_NAME,
    )


def timeout_s(settings: clouds.Settings) -> float:
    """Return how long one answer may take.

    :raises orchclient.errors.LoginError: that is no number
    """
    found = settings.get("api_timeout")
    try:
        return float(found) if found else TIMEOUT_S
    except ValueError as error:
        raise errors.LoginError(f"api_timeout: {error}.") from error


def _without_none(settings: clouds.Settings) -> clouds.Settings:
    return {key: value for key, value in settings.items() if value is not None}


def _find_region(
    settings: clouds.Settings, wanted: str | None
) -> tuple[str | None, clouds.Settings]:
    """Return the name of the region, and the settings that it has alone.

    It is the first one of the cloud where none is wanted.
    """
    listed = settings.pop("regions", None) or settings.get("region_name")
    if isinstance(listed, str):
        listed = listed.split(",")
    regions: dict[str, clouds.Settings] = {}
    for each in listed or ():
        if isinstance(each, dict):
            regions[str(each.get("name"))] = each.get("values") or {}
        else:
            regions[str(each)] = {}
    if not regions:
        return wanted, {}
    name = wanted or next(iter(regions))
    if name not in regions:
        raise errors.LoginError(
            f"Region {name} is not one of the cloud's: {', '.join(regions)}."
        )
    return name, regions[name]


def _rename(settings: clouds.Settings) -> None:
    """Give old names of settings their present ones."""
    for key in list(settings):
        if key.endswith("endpoint_type"):
            new = key.removesuffix("endpoint_type") + "interface"
            settings[new] = settings.pop(key)
        elif key.endswith("_timeout") and key != "api_timeout":
            settings["api_timeout"] = settings.pop(key)
    other_kind = settings.pop("auth_plugin", _AUTH_TYPE)
    kind = str(settings.get("auth_type", other_kind))
    settings["auth_type"] = _OTHER_TYPES.get(kind, kind)
    names = dict(_OTHER_NAMES)
    if kind == "v2password":
        del names["project_id"], names["project_name"]
        names |= _V2_NAMES
    auth = settings["auth"]
    for name, others in names.items():
        found = None
        for other in others:
            for place in (auth, settings):
                value = place.pop(other, None)
                found = value or found
        if found:
            auth[name] = str(found)


def _fill(url: str, settings: clouds.Settings) -> str:
    """Return a URL, with settings in place of names in braces.

    :raises orchclient.errors.LoginError: there is no such setting
    """
    try:
        return url.format(**settings)
    except (LookupError, ValueError) as error:
        raise errors.LoginError(f"{url} has braces: {error!r}.") from error


def _spread_domain(settings: clouds.Settings) -> None:
    """Let one domain be that of user and project, where a project is named."""
    auth = settings["auth"]
    if not (auth.get("project_id") or auth.get("project_name")):
        return
    for key in ("domain_id", "domain_name"):
        if value := auth.pop(key, None):
            auth.setdefault(f"user_{key}", value)
            auth.setdefault(f"project_{key}", value)


def _load_plugin(settings: clouds.Settings) -> plugin.BaseAuthPlugin:
    """Return the plug-in that logs in, by those settings that it knows."""
    loader: Loader = loading.get_plugin_loader(settings["auth_type"])
    methods = settings.get("auth_methods")
    if isinstance(methods, str):
        settings["auth_methods"] = methods = methods.split(",")
    if methods and hasattr(loader, "_methods"):
        # The options of the methods are known once these are.
        loader._methods = methods
    given = {}
    for option in loader.get_options():
        names = [
            each.name.replace("-", "_")
            for each in (option, *option.deprecated)
        ]
        found = _find_value(settings["auth"], names)
        if found is None:
            found = _find_value(settings, names)
        if found is not None:
            given[option.dest] = found
    return loader.load_from_options(**given)


def _find_value(
    settings: clouds.Settings, names: collections.abc.Iterable[str]
) -> object:
    return next((settings[name] for name in names if settings.get(name)), None)


def _build_session(
    settings: clouds.Settings, login: plugin.BaseAuthPlugin
) -> sessions.Session:
    is_insecure = settings.get("insecure")
    if isinstance(is_insecure, str):
        is_insecure = is_insecure.lower() == "true"
    verify: bool | str = settings.get("verify", True) and not is_insecure
    if verify and settings.get("cacert"):
        verify = _expand(settings["cacert"])
    if not verify:
        # The user asked for that: one warning for each request says nothing.
        warnings.filterwarnings(
            "ignore", category=urllib3.exceptions.InsecureRequestWarning
        )
    cert: str | tuple[str, str] | None = None
    if settings.get("cert"):
        cert = _expand(settings["cert"])
        if settings.get("key"):
            cert = (cert, _expand(settings["key"]))
    return sessions.Session(
        auth=login,
        verify=verify,
        cert=cert,
        timeout=timeout_s(settings) if settings.get("api_timeout") else None,
        app_name=CLIENT_NAME,
    )


def _expand(path: str) -> str:
    return str(pathlib.Path(path).expanduser())
