"""Reads the clouds of ``clouds.yaml``, as all clients of OpenStack do.

``secure.yaml`` is merged into it, and variables ``OS_…`` are one more cloud.
Where files are looked for and which cloud is taken without a name are
openstacksdk's rules. Its profiles of public clouds are read from it, if it is
installed.
"""

import collections.abc
import importlib
import json
import logging
import os
import pathlib
import types
import typing

import yaml

from orchclient import errors

Settings = dict[str, typing.Any]
"""Settings of one cloud; those of the login also below ``auth``."""

LOG = logging.getLogger(__name__)

_SUFFIXES: typing.Final = (".yaml", ".yml", ".json")
_SELECTORS: typing.Final = frozenset(
    {
        "OS_CLIENT_CONFIG_FILE",
        "OS_CLIENT_SECURE_FILE",
        "OS_CLOUD",
        "OS_CLOUD_NAME",
        "OS_REGION_NAME",
    }
)
"""Variables that alone describe no cloud."""
_TESTS: typing.Final = ("OS_TEST", "OS_STD", "OS_LOG")
"""Beginnings of variables that are test runners'."""


class Clouds:
    """The clouds of the files and of the variables.

    :ivar default: the name of the one that is taken without a name;
        ``None`` for none
    """

    def __init__(self, variables: collections.abc.Mapping[str, str]) -> None:
        """Read the files.

        :param variables: those of the environment, or none
        """
        found = _read("clouds", variables.get("OS_CLIENT_CONFIG_FILE"))
        secrets = _read("secure", variables.get("OS_CLIENT_SECURE_FILE"))
        self._clouds: Settings = merge(found, secrets).get("clouds") or {}
        self._variables_name = variables.get("OS_CLOUD_NAME", "envvars")
        self.default = variables.get("OS_CLOUD")
        told = {
            name: value
            for name, value in variables.items()
            if name.startswith("OS_") and not name.startswith(_TESTS)
        }
        if set(told) - _SELECTORS:
            self._clouds[self._variables_name] = {
                name.removeprefix("OS_").lower(): value
                for name, value in told.items()
            }
            self.default = self.default or self._variables_name
        if not self.default and len(self._clouds) == 1:
            (self.default,) = self._clouds

    def settings(self, name: str | None) -> Settings:
        """Return a copy of the settings of a cloud; none without a name.

        :raises orchclient.errors.LoginError: there is no such cloud, or its
            profile is unknown
        """
        if not name:
            return {}
        if name not in self._clouds:
            raise errors.LoginError(f"Cloud {name} was not found.")
        found = merge({}, self._clouds[name] or {})
        profile = found.get("profile") or found.pop("cloud", None)
        if profile and profile != self._variables_name:
            found = merge(_read_profile(name, str(profile)), found)
        return found


def merge(one: Settings, other: Settings) -> Settings:
    """Return both; where they differ the second counts."""
    found = dict(one)
    for key, value in other.items():
        known = found.get(key)
        if isinstance(value, dict):
            value = merge(known if isinstance(known, dict) else {}, value)
        found[key] = value
    return found


def _directories() -> list[pathlib.Path]:
    home = pathlib.Path(
        os.environ.get("SNAP_REAL_HOME") or pathlib.Path.home()
    )
    configured = os.environ.get("XDG_CONFIG_HOME")
    site = os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    return [
        pathlib.Path(),
        *([pathlib.Path(configured) / "openstack"] if configured else []),
        home / ".config" / "openstack",
        *(pathlib.Path(each) / "openstack" for each in site.split(":")),
        pathlib.Path("/etc/openstack"),
    ]


def _read(stem: str, first: str | None = None) -> Settings:
    """Return what the first readable file of that name says."""
    paths = [pathlib.Path(first)] if first else []
    paths += [
        directory / f"{stem}{suffix}"
        for directory in _directories()
        for suffix in _SUFFIXES
    ]
    for path in paths:
        try:
            text = path.read_text("utf-8")
            read = json.loads if path.suffix == ".json" else yaml.safe_load
            found = read(text)
        except OSError:
            continue
        except (ValueError, yaml.YAMLError) as error:
            LOG.warning("%s is left out: %s", path, error)
            continue
        if not isinstance(found, dict | types.NoneType):
            raise errors.LoginError(f"{path} is no mapping.")
        return _normalized(found or {})
    return {}


def _normalized(settings: Settings) -> Settings:
    """Return settings with names as Python has them, and numbers as text."""
    found: Settings = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            # These are names that users chose, of clouds for instance.
            found[str(key)] = _normalized(value)
            continue
        if isinstance(value, list):
            value = [
                _normalized(each) if isinstance(each, dict) else each
                for each in value
            ]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        found[str(key).replace("-", "_")] = value
    return found


def _read_profile(cloud: str, profile: str) -> Settings:
    public = _read("clouds-public").get("public-clouds") or {}
    if profile in public:
        return typing.cast(Settings, public[profile])
    try:
        vendors = importlib.import_module("openstack.config.vendors")
    except ImportError:
        raise errors.LoginError(
            f"Cloud {cloud} names the profile {profile}, which only"
            " openstacksdk knows: pip install 'python-orchclient[openstack]'."
        ) from None
    try:
        found = vendors.get_profile(profile)
    except Exception as error:
        raise errors.LoginError(f"Profile {profile}: {error}") from error
    settings = _normalized(found or {})
    if settings.get("status") == "shutdown":
        raise errors.LoginError(
            f"Profile {profile} is of a cloud that no longer exists:"
            f" {settings.get('message')}."
        )
    nested = settings.pop("profile", None)
    return _read_profile(cloud, nested) if nested else settings
