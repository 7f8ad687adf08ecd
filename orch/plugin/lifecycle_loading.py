"""Find and load the lifecycle plug-ins that a worker calls.

They are found by their entry points, ours and those that were written for
Heat. A plug-in that cannot be loaded prevents the worker's start, unless the
options say that this plug-in fails open.
"""

import collections.abc
import difflib
import importlib.metadata
import pathlib
import typing

import yaml
from oslo_config import cfg
from oslo_log import log

from orch import errors
from orch.plugin import heat_lifecycle
from orch.plugin import lifecycle
from orch.plugin import lifecycle_fingerprint
from orch.plugin import lifecycle_order
from orch.plugin import registry

LOG = log.getLogger(__name__)

_BUILT_IN: typing.Final = "orch."
_LEVEL: typing.Final = "enforcement"
"""Key of a section that Orch reads itself; no plug-in gets it."""

Settings = collections.abc.Mapping[str, object]
"""Sections of the settings file, by names of plug-ins."""


def load_plugins(conf: cfg.ConfigOpts) -> lifecycle_order.PluginOrder:
    """Return the plug-ins that are installed and not switched off.

    A section ``NAME:LABEL`` of the settings makes one more plug-in of the
    class of the entry point NAME.

    :raises orch.plugin.lifecycle_order.CannotLoad: one that does not fail open
        cannot be used, two have one name, or the settings are wrong; one line
        says what to do
    :raises orch.plugin.lifecycle_order.PluginCycle: the order that they
        declare has a cycle
    """
    group = conf.lifecycle
    settings, levels = _split_levels(
        _read_settings(group.settings_file), group.settings_file
    )
    entries = _entries()
    named = {each.name for each in entries}
    for name in settings:
        if lifecycle_order.entry_point_name(name) not in named:
            raise lifecycle_order.CannotLoad(
                f"{group.settings_file} has a section {name!r}, and no"
                " lifecycle plug-in of that name is installed"
                f"{_suggest(name, named)}"
            )
    for option in ("disabled", "fail_open"):
        for name in set(group[option]) - settings.keys() - named:
            LOG.warning(
                "[lifecycle] %s names %s, and there is no lifecycle plug-in"
                " of that name%s",
                option,
                name,
                _suggest(name, named | settings.keys()),
            )
    members: list[lifecycle_order.OrderedPlugin] = []
    for entry in entries:
        labelled = [
            name
            for name in settings
            if name != entry.name
            and lifecycle_order.entry_point_name(name) == entry.name
        ]
        for name in (entry.name, *labelled):
            names = {name, entry.name}
            if names.isdisjoint(group.disabled):
                member = _load(
                    entry,
                    name,
                    settings,
                    levels.get(name, lifecycle_order.Enforcement.MANDATORY),
                    group.time_limit,
                    not names.isdisjoint(group.fail_open),
                )
                members.extend(() if member is None else (member,))
    return lifecycle_order.PluginOrder(
        members, group.fail_open, emits_call_events=group.emit_call_events
    )


class _Missing(lifecycle.LifecyclePlugin):
    """Replaces a plug-in that could not be loaded and fails open."""

    def __init__(self, name: str, error: str) -> None:
        super().__init__(name, None)
        self._error = error

    def pre_operation(self, operation: object) -> lifecycle.Verdict:
        """Warn that the plug-in was not called."""
        return lifecycle.warn(f"It could not be loaded: {self._error}")


def _load(
    entry: importlib.metadata.EntryPoint,
    name: str,
    settings: Settings,
    enforcement: lifecycle_order.Enforcement,
    time_limit_s: float,
    is_fail_open: bool,
) -> lifecycle_order.OrderedPlugin | None:
    """Return the member of that name; ``None`` where it is off.

    :raises orch.plugin.lifecycle_order.CannotLoad: it does not fail open, and
        cannot be loaded
    """
    if entry.value.startswith(_BUILT_IN) and name not in settings:
        # All of ours need settings: what is off is not even imported.
        return None
    is_legacy = entry.group == heat_lifecycle.NAMESPACE
    digest = ""
    try:
        # Before the plug-in gets its section, which it may change.
        digest = lifecycle_fingerprint.digest_settings(settings.get(name))
        plugin = _make(entry, name, settings, is_legacy)
        if plugin is None:
            return None
        return lifecycle_order.OrderedPlugin.of(
            plugin,
            time_limit_s,
            is_fail_open,
            is_legacy,
            digest,
            enforcement,
        )
    except (Exception, SystemExit) as error:
        reason = f"{errors.kind_of(error)}: {error}"
        if not is_fail_open:
            raise lifecycle_order.CannotLoad(
                f"the lifecycle plug-in {name} ({entry.value} in"
                f" {entry.group}) cannot be loaded: {reason}. Mend it or its"
                " settings, or name it in [lifecycle] disabled, or in"
                " fail_open to go on with a warning"
            ) from error
        LOG.warning(
            "the lifecycle plug-in %s is left out, it fails open: %s",
            name,
            reason,
        )
        return lifecycle_order.OrderedPlugin(
            _Missing(name, reason),
            time_limit_s,
            is_fail_open=True,
            is_legacy=is_legacy,
            load_error=reason,
            settings_digest=digest,
            enforcement=enforcement,
        )


def _make(
    entry: importlib.metadata.EntryPoint,
    name: str,
    settings: Settings,
    is_legacy: bool,
) -> lifecycle.LifecyclePlugin | None:
    """Return the plug-in; ``None`` where it needs settings and has none."""
    kind = entry.load()
    if not isinstance(kind, type):
        raise registry.BadPlugin(f"{entry.value} is no class")
    if is_legacy:
        if settings.get(name):
            raise errors.Invalid(
                f"plug-ins for Heat take no settings but {_LEVEL}"
            )
        return heat_lifecycle.LegacyPlugin(name, kind)
    if not issubclass(kind, lifecycle.LifecyclePlugin):
        raise registry.BadPlugin(
            f"{kind.__qualname__} is no lifecycle.LifecyclePlugin"
        )
    if kind.needs_settings and name not in settings:
        return None
    return kind(name, settings.get(name))


def _entries() -> list[importlib.metadata.EntryPoint]:
    """Return the entry points of both namespaces, one a name.

    :raises orch.plugin.lifecycle_order.CannotLoad: two of them have one name
    """
    found: dict[str, importlib.metadata.EntryPoint] = {}
    for group in (lifecycle.NAMESPACE, heat_lifecycle.NAMESPACE):
        for entry in registry.entry_points(group):
            other = found.setdefault(entry.name, entry)
            # One package may be found in two ways.
            if (other.group, other.value) != (entry.group, entry.value):
                raise lifecycle_order.CannotLoad(
                    f"two lifecycle plug-ins have the name {entry.name}:"
                    f" {other.value} in {other.group} and {entry.value} in"
                    f" {entry.group}; remove one of the packages"
                )
    if any(
        entry.group == heat_lifecycle.NAMESPACE for entry in found.values()
    ):
        heat_lifecycle.offer()
    return list(found.values())


def _read_settings(path: str) -> Settings:
    """Return the sections of a settings file; none where there is no file.

    :raises orch.plugin.lifecycle_order.CannotLoad: it cannot be read, or is no
        mapping
    """
    if not path:
        return {}
    try:
        text = pathlib.Path(path).read_text("utf-8")
        found = yaml.safe_load(text)
    except (OSError, ValueError, yaml.YAMLError) as error:
        said = " ".join(str(error).split())
        raise lifecycle_order.CannotLoad(
            f"the settings of lifecycle plug-ins cannot be read from {path}:"
            f" {said}"
        ) from error
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(
        isinstance(name, str) for name in found
    ):
        raise lifecycle_order.CannotLoad(
            f"{path} has to be a mapping from names of lifecycle plug-ins to"
            " their settings"
        )
    return found


def _split_levels(
    settings: Settings, path: str
) -> tuple[Settings, dict[str, lifecycle_order.Enforcement]]:
    """Return the sections without their enforcement levels, and the levels.

    :raises orch.plugin.lifecycle_order.CannotLoad: there is no such level
    """
    rest: dict[str, object] = {}
    levels = {}
    for name, section in settings.items():
        rest[name] = section
        if not isinstance(section, dict) or _LEVEL not in section:
            continue
        rest[name] = {key: section[key] for key in section if key != _LEVEL}
        try:
            levels[name] = lifecycle_order.Enforcement(section[_LEVEL])
        except ValueError as error:
            known = ", ".join(lifecycle_order.Enforcement)
            raise lifecycle_order.CannotLoad(
                f"{path}: {name}.{_LEVEL}: there is no level"
                f" {section[_LEVEL]!r}; there are {known}"
            ) from error
    return rest, levels


def _suggest(name: str, known: collections.abc.Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; there are {', '.join(sorted(known))}" if known else ""
