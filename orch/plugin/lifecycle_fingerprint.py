"""Fingerprints of lifecycle plug-ins and their settings.

Workers with the same fingerprint judge operations alike. It depends on what
is installed and set, not on releases of Orch, nor on the form of files: a new
release must return the fingerprint that the one before it returned.
"""

import collections.abc
import hashlib
import json

from orch.plugin import lifecycle_order


def digest_settings(section: object) -> str:
    """Return the digest of a section of the settings file.

    :raises RecursionError: the section contains itself
    """
    return _digest(_canonical(section))


def fingerprint(plugins: lifecycle_order.PluginOrder) -> str:
    """Return the fingerprint of plug-ins in their order, with settings."""
    members = [_member(each) for each in plugins.members]
    return _digest(_canonical([members, set(plugins.fail_open)]))


def _member(member: lifecycle_order.OrderedPlugin) -> list[object]:
    plugin = member.plugin
    found: list[object] = [
        member.name,
        plugin.scope.value,
        None if plugin.verbs is None else set(plugin.verbs),
        plugin.supports_preview,
        float(member.time_limit_s),
        member.is_fail_open,
        member.is_legacy,
        # The text may name paths of one machine.
        member.load_error is not None,
        member.settings_digest,
    ]
    if member.enforcement is not lifecycle_order.Enforcement.MANDATORY:
        found.append(member.enforcement.value)
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(value: object) -> str:
    """Return a text that equal values share, whatever their order of keys."""
    if isinstance(value, collections.abc.Mapping):
        pairs = [
            f"{_canonical(key)}:{_canonical(item)}"
            for key, item in value.items()
        ]
        return "{" + ",".join(sorted(pairs)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, collections.abc.Set):
        return "(" + ",".join(sorted(map(_canonical, value))) + ")"
    # What repr escapes depends on the release of Python.
    return json.dumps(value) if isinstance(value, str) else repr(value)
