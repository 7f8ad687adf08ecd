"""Check the names in drift policies against the resources of a tree."""

import collections.abc
import difflib

from orch import errors
from orch.engine.drift import state as drift_state
from orch.model import drift_place
from orch.model import drift_policy
from orch.plugin import registry
from orch.plugin import resource
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
        before = _map(_map(stored.get(pattern)).get("properties"))
        given = _map(_map(said).get("properties")).keys() - before
        if not matching:
            if _ANY not in pattern and (pattern not in stored or given):
                problems.append(
                    errors.Problem(
                        "No resource of the stack has the path"
                        f" {pattern[:_MAX_LENGTH]!r}."
                        f"{_suggestion(pattern, known)}",
                        place,
                    )
                )
            continue
        plugins = {types.find(one.row.plugin_type) for one in matching}
        unknown = {
            name
            for name in given
            if not any(
                plugin is None or _is_possible(plugin, name)
                for plugin in plugins
            )
        }
        names = _place_names(matching, plugins) if unknown else set()
        problems += [
            errors.Problem(
                f"{pattern[:_MAX_LENGTH]} has no property"
                f" {name[:_MAX_LENGTH]!r}.{_suggestion(name, names)}",
                f"{place}.properties.{name}",
            )
            for name in sorted(unknown - names)
        ]
    if problems:
        raise errors.Invalid(
            " ".join(each.message for each in problems), problems
        )


def _place_names(
    resources: collections.abc.Iterable[drift_state.ObservedResource],
    plugins: collections.abc.Iterable[resource.Resource | None],
) -> set[str]:
    """Return the properties, and places in them, that resources have.

    Those that were observed are among them.
    """
    names = {
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
    return names.union(*(each.schemas for each in plugins if each))


def _is_possible(plugin: resource.Resource, name: str) -> bool:
    """Whether the schema of a type allows a property or place."""
    return any(
        f"{name}.".startswith(f"{declared.name}.")
        and _allows_place(declared, name.removeprefix(declared.name))
        for declared in plugin.schemas.values()
    )


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


def _suggestion(name: str, known: collections.abc.Iterable[str]) -> str:
    near = difflib.get_close_matches(name[:_MAX_LENGTH], known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def _map(value: object) -> Values:
    return value if isinstance(value, collections.abc.Mapping) else {}
