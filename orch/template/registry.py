"""The ``resource_registry``: which type really stands behind a type."""

import collections.abc
import dataclasses
import fnmatch

from orch.template import errors

_TEMPLATE_ENDINGS = (".yaml", ".template")
_HOOKS = frozenset(
    f"{when}-{action}"
    for when in ("pre", "post")
    for action in ("create", "update", "delete")
)
_ACTIONS = ("update", "replace")
_LONGEST_CHAIN = 50

Registry = collections.abc.Mapping[str, object]


def is_template(type_name: str) -> bool:
    """Answer whether a type is a template of its own."""
    return type_name.endswith(_TEMPLATE_ENDINGS)


@dataclasses.dataclass(frozen=True)
class Special:
    """What the registry says of one resource.

    :ivar hooks: where its operations stop and wait (``pre-create``, …)
    :ivar restricted_actions: what an update may not do to it
    """

    mappings: Registry
    hooks: tuple[str, ...] = ()
    restricted_actions: tuple[str, ...] = ()


_NOTHING = Special({})


class TypeMap:
    """Finds the type behind a type; each is looked up once."""

    def __init__(self, registry: Registry) -> None:
        """Read the registry.

        :raises orch.template.errors.HookInvalid: a hook does not exist
        :raises orch.template.errors.RestrictedActionInvalid: likewise
        """
        self._exact, self._patterns = _mappings(registry)
        self._found: dict[str, str] = {}
        self._specials: dict[str, Special] = {}
        resources = registry.get("resources")
        if isinstance(resources, dict):
            for name, section in resources.items():
                self._specials[name] = _special(name, section)
        self._wildcards = [name for name in self._specials if "*" in name]

    def special(self, resource: str) -> Special:
        """Return what the registry says of a resource by name."""
        if not self._specials:
            return _NOTHING
        found = self._specials.get(resource)
        if found is not None:
            return found
        for pattern in self._wildcards:
            if fnmatch.fnmatchcase(resource, pattern):
                return self._specials[pattern]
        return _NOTHING

    def find(self, type_name: str, special: Special = _NOTHING) -> str:
        """Return the name of the type that serves a type.

        :raises orch.template.errors.TemplateInvalid: mappings go in a circle
        """
        if special.mappings:
            exact, patterns = _mappings(special.mappings)
            mapped = _step(type_name, exact, patterns)
            if mapped not in (None, type_name):
                return self.find(str(mapped))
        if type_name not in self._found:
            self._found[type_name] = self._follow(type_name)
        return self._found[type_name]

    def _follow(self, type_name: str) -> str:
        seen = [type_name]
        while True:
            mapped = _step(seen[-1], self._exact, self._patterns)
            if mapped is None or mapped == seen[-1]:
                return seen[-1]
            if mapped in seen or len(seen) > _LONGEST_CHAIN:
                raise errors.TemplateInvalid(
                    "The resource_registry maps types in a circle:"
                    f" {' -> '.join([*seen, mapped])[:500]}"
                )
            seen.append(mapped)
            if is_template(mapped):
                return mapped


def _mappings(
    registry: Registry,
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the mappings of names, and those of patterns, longest first."""
    exact: dict[str, str] = {}
    patterns: list[tuple[str, str]] = []
    for name, target in registry.items():
        if name in ("resources", "base_url") or not isinstance(target, str):
            continue
        if name.endswith("*"):
            patterns.append((name[:-1], target))
        else:
            exact[name] = target
    patterns.sort(key=lambda one: len(one[0]), reverse=True)
    return exact, patterns


def _step(
    name: str, exact: dict[str, str], patterns: list[tuple[str, str]]
) -> str | None:
    """Return what a name is mapped to directly."""
    if name in exact:
        return exact[name]
    for prefix, target in patterns:
        if name.startswith(prefix):
            if target.endswith("*"):
                return target[:-1] + name[len(prefix) :]
            # What a pattern leads to may fit the pattern itself.
            return None if name == target else target
    return None


def _special(name: str, section: object) -> Special:
    if not isinstance(section, dict):
        return _NOTHING
    hooks = _words(section.get("hooks"))
    for hook in hooks:
        if hook not in _HOOKS:
            raise errors.HookInvalid(
                f'Invalid hook type "{hook}" for resource breakpoint of'
                f" {name}, acceptable hook types are:"
                f" {', '.join(sorted(_HOOKS))}"
            )
    actions = _words(section.get("restricted_actions"))
    for action in actions:
        if action not in _ACTIONS:
            raise errors.RestrictedActionInvalid(
                f'Invalid restricted_action type "{action}" for resource'
                f" {name}, acceptable restricted_action types are:"
                f" {', '.join(_ACTIONS)}"
            )
    return Special(section, hooks, actions)


def _words(value: object) -> tuple[str, ...]:
    """Return one word or a list of words as a tuple."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(map(str, value))
    return ()
