"""Which functions a version of the language has, and what they are."""

import collections.abc
import difflib
import functools
import inspect

from orch.plugin import function
from orch.plugin import registry
from orch.template.language import versions

Callee = type[function.Function] | type[function.Macro]

_NEAR = 0.75
"""How like a function's name a key must be; other keys are plain data."""


@functools.cache
def _entry_points() -> collections.abc.Mapping[str, Callee]:
    """Return all functions that are installed, by entry point."""
    return {
        name: found
        for name, found in registry.load_plugins(registry.FUNCTIONS).items()
        if issubclass(found, function.Function | function.Macro)
    }


@functools.cache
def _built_in() -> frozenset[str]:
    """Return the entry points that some version names."""
    return frozenset(
        entry
        for version in versions.VERSIONS
        for table in (version.functions, version.conditions)
        for entry in table.values()
    )


@functools.cache
def functions_of_version(version: versions.Version) -> dict[str, Callee]:
    """Return the functions of a version, those of third parties included."""
    installed = _entry_points()
    found = {
        name: installed[entry]
        for name, entry in version.functions.items()
        if entry in installed
    }
    for name, callee in installed.items():
        if name not in _built_in() and version.format.kind in callee.formats:
            found.setdefault(name, callee)
    return found


@functools.cache
def functions_in_conditions(version: versions.Version) -> dict[str, Callee]:
    """Return the functions that the conditions of a version may use."""
    installed = _entry_points()
    named = {**version.functions, **version.conditions}
    return {
        name: installed[named[name]]
        for name in version.in_conditions
        if named[name] in installed
    }


def suggest_function(version: versions.Version, name: str) -> str:
    """Return what a user may have meant by a name that is no function.

    :returns: a sentence; empty when nothing is near
    """
    here = {
        **functions_of_version(version),
        **functions_in_conditions(version),
    }
    if name in here:
        return ""
    for other in versions.VERSIONS:
        if (
            other.format.version_key == version.format.version_key
            and name in other.functions
            and name not in version.removed
        ):
            return f"{name} is a function from version {other.name} on."
    near = difflib.get_close_matches(name, here, n=1, cutoff=_NEAR)
    return f"Did you mean the function {near[0]}?" if near else ""


def list_functions(
    version: versions.Version, with_conditions: bool
) -> list[dict[str, str]]:
    """Return the answer of ``GET /template_versions/{v}/functions``."""
    found = dict(functions_of_version(version))
    if with_conditions:
        found.update(functions_in_conditions(version))
    return [
        {"functions": name, "description": _summary(found[name])}
        for name in sorted(found)
    ]


def _summary(callee: Callee) -> str:
    """Return the first sentence of a function's documentation."""
    return (inspect.getdoc(callee) or "").partition("\n\n")[0].strip()
