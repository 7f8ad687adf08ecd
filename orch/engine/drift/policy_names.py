"""Check the names in drift policies against the resources of a tree."""

import collections.abc
import difflib

from orch import errors
from orch.engine.drift import state as drift_state
from orch.model import drift_place
from orch.model import drift_policy
from orch.plugin import registry
from orch.plugin import schema

Values = collections.abc.Mapping[str, object]
_ANY = "*"
_MAX_LENGTH = 100


def check_names(
    found: drift_state.ObservedTree, types: registry.Types, policy: Values
) -> None:
    """Raise Invalid if a policy names what does not exist.

    A pattern with ``*`` may be of resources that come later, and a place in a
    property one that comes later where the schema does not exclude it. What
    the stored policy names already may stay: it may have existed.

    :param found: the tree, with its stored policy
    :raises orch.errors.Invalid: lists all names that are wrong
    """
    known = {one.path: one for each in found.members for one in each.resources}
    stored = _map(found.watch.policy.get("resources"))
    problems: list[errors.Problem] = []
    for pattern, said in _map(policy.get("resources")).items():
        place = f"policy.resources.{pattern}"
        matching = [
            one
            for path, one in known.items()
            if drift_policy.is_match(pattern, path)
        ]
        if not matching:
            if _ANY not in pattern and pattern not in stored:
                problems.append(
                    errors.Problem(
                        "No resource of the stack has the path"
                        f" {pattern[:_MAX_LENGTH]!r}."
                        f"{_suggestion(pattern, known)}",
                        place,
                    )
                )
            continue
        before = _map(_map(stored.get(pattern)).get("properties"))
        given = _map(_map(said).get("properties")).keys() - before
        names = _property_names(matching, types)
        if names is not None:
            given -= _possible_places(matching, types, given)
        if names is not None and not given <= names:
            names |= _place_names(matching)
        problems += [
            errors.Problem(
                f"{pattern[:_MAX_LENGTH]} has no property"
                f" {name[:_MAX_LENGTH]!r}.{_suggestion(name, names)}",
                f"{place}.properties.{name}",
            )
            for name in sorted(given)
            if names is not None and name not in names
        ]
    if problems:
        raise errors.Invalid(
            " ".join(each.message for each in problems), problems
        )


def _property_names(
    resources: collections.abc.Iterable[drift_state.ObservedResource],
    types: registry.Types,
) -> set[str] | None:
    """Return the properties of resources; ``None`` where one is not known."""
    names: set[str] = set()
    for one in resources:
        plugin = types.find(one.row.plugin_type)
        if plugin is None:
            return None
        names.update(
            plugin.schemas, one.row.properties, one.row.baseline or {}
        )
        names.update(one.observed.live or {})
    return names


def _place_names(
    resources: collections.abc.Iterable[drift_state.ObservedResource],
) -> set[str]:
    """Return the places in the properties of resources, live ones too."""
    return {
        place
        for one in resources
        for values in (
            one.row.properties,
            one.row.baseline or {},
            one.observed.live or {},
        )
        for name, value in values.items()
        for place in drift_place.list_names(name, value)
    }


def _possible_places(
    resources: collections.abc.Iterable[drift_state.ObservedResource],
    types: registry.Types,
    names: collections.abc.Iterable[str],
) -> set[str]:
    """Return the names of places that a schema of a resource allows."""
    found = {types.find(one.row.plugin_type) for one in resources}
    plugins = [each for each in found if each is not None]
    return {
        name
        for name in names
        for plugin in plugins
        for declared in plugin.schemas.values()
        if name.startswith(f"{declared.name}.")
        and _allows_place(declared, name.removeprefix(declared.name))
    }


def _allows_place(declared: schema.Property, rest: str) -> bool:
    """Whether a value may have a place with this name behind its own.

    A key of a map without declared fields is any text, dots too.

    :param rest: keys and indexes, each after a dot
    """
    if not rest or declared.type is schema.Type.ANY:
        return True
    if declared.type is schema.Type.MAP:
        return not declared.fields or any(
            _allows_place(each, rest.removeprefix(f".{each.name}"))
            for each in declared.fields
            if f"{rest}.".startswith(f".{each.name}.")
        )
    index, dot, below = rest.removeprefix(".").partition(".")
    return (
        declared.type is schema.Type.LIST
        and index.isdecimal()
        and (
            declared.items is None
            or _allows_place(declared.items, dot + below)
        )
    )


def _suggestion(name: str, known: collections.abc.Iterable[str] | None) -> str:
    near = difflib.get_close_matches(name[:_MAX_LENGTH], known or (), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def _map(value: object) -> Values:
    return value if isinstance(value, collections.abc.Mapping) else {}
