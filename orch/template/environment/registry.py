"""The ``resource_registry``: which type a declared type maps to.

Whether a registry is written rightly is the business of
:mod:`orch.template.environment.form`; here it is used, and what is wrong in it
does nothing.
"""

import collections.abc
import contextlib
import dataclasses
import fnmatch
import re
from urllib import parse

from orch.template import errors

RESOURCES = "resources"
BASE_URL = "base_url"
HOOKS = "hooks"
RESTRICTED = "restricted_actions"

_TEMPLATE_ENDINGS = (".yaml", ".template")
_MAX_CHAIN = 50
_MAX_NAME_LENGTH = 4000
"""How long the name of a type may be, or the URL of a template."""
_MAX_PATTERNS = 200
_MAX_PATTERN_LENGTH = 500
_MAX_TRIED = 200
"""Types that do not exist, on the way to the one that serves a type."""
_WILD = frozenset("*?[")
"""What makes a name a pattern."""

Registry = collections.abc.Mapping[str, object]


def is_template(type_name: str) -> bool:
    """Answer whether a type is a template of its own."""
    return type_name.endswith(_TEMPLATE_ENDINGS)


def as_words(value: object) -> tuple[str, ...]:
    """Return one word or a list of words as a tuple."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(map(str, value))
    return ()


@dataclasses.dataclass(frozen=True)
class Special:
    """What the registry says of one resource.

    :ivar section: its mappings, and what is said of resources in it
    :ivar hooks: where its operations stop and wait (``pre-create``, …)
    :ivar restricted_actions: what an update may not do to it
    """

    section: Registry
    hooks: tuple[str, ...] = ()
    restricted_actions: tuple[str, ...] = ()


_NOTHING = Special({})


@dataclasses.dataclass(frozen=True, slots=True)
class _Step:
    """One mapping of a name.

    :ivar key: the entry that maps it
    """

    key: str
    target: str


class _Mappings:
    """The mappings of one section; a name is looked up in its length."""

    def __init__(self, section: Registry) -> None:
        self._exact: dict[str, str] = {}
        self._prefixes: dict[str, str] = {}
        for name, target in section.items():
            if name in (RESOURCES, BASE_URL, HOOKS, RESTRICTED):
                continue
            if isinstance(target, str) and name.endswith("*"):
                self._prefixes[name[:-1]] = target
            elif isinstance(target, str):
                self._exact[name] = target
        self._sizes = sorted(set(map(len, self._prefixes)), reverse=True)

    def steps(self, name: str) -> collections.abc.Iterator["_Step"]:
        """Return what a name is mapped to directly, what fits best first."""
        if name in self._exact:
            yield _Step(name, self._exact[name])
        for size in self._sizes:
            target = self._prefixes.get(name[:size])
            if target is None or len(name) < size:
                continue
            if target.endswith("*"):
                target = target[:-1] + name[size:]
            # What a pattern leads to may fit the pattern itself.
            if name != target:
                yield _Step(f"{name[:size]}*", target)


def _compiled(
    patterns: collections.abc.Iterable[str],
) -> dict[str, re.Pattern[str]]:
    """Return patterns for names of resources, ready to match.

    Each resource is compared with all of them.

    :raises orch.template.errors.TooLarge: they are too many, or too long
    """
    found: dict[str, re.Pattern[str]] = {}
    for pattern in patterns:
        if len(pattern) > _MAX_PATTERN_LENGTH or len(found) == _MAX_PATTERNS:
            raise errors.TooLarge(
                "The resource_registry has more than"
                f" {_MAX_PATTERNS} patterns for names of resources, or one"
                f" of more than {_MAX_PATTERN_LENGTH} characters."
            )
        found[pattern] = re.compile(fnmatch.translate(pattern))
    return found


class TypeMap:
    """Finds the type behind a type; each is looked up once."""

    def __init__(
        self,
        registry: Registry,
        files: collections.abc.Container[str] = (),
        *,
        installed: Registry | None = None,
        is_served: collections.abc.Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Read the registry.

        :param files: names of the files that came with the template
        :param installed: mappings of the installation; those of the
            registry are tried before them
        :param is_served: whether a type exists; a mapping to one that does
            not is passed over
        :raises orch.template.errors.TooLarge: it has too many patterns
        """
        self._registry = registry
        self._files = files
        self._installed = installed or {}
        self._is_served = is_served
        self._levels = [_Mappings(registry), _Mappings(self._installed)]
        self._found: dict[str, str] = {}
        self._all_found: dict[str, frozenset[str]] = {}
        self._below: dict[tuple[str, str | None], TypeMap] = {}
        sections = registry.get(RESOURCES)
        self._sections: dict[str, Registry] = {
            name: section
            for name, section in (
                sections.items() if isinstance(sections, dict) else ()
            )
            if isinstance(section, dict)
        }
        self._patterns = _compiled(
            name for name in self._sections if not _WILD.isdisjoint(name)
        )

    def special(self, resource: str) -> Special:
        """Return what the registry says of a resource by name.

        Hooks and restrictions count, and sections of resources in it, of
        all sections whose name is that of the resource or a pattern that
        fits it. Types are mapped by the section of its very name alone.
        """
        if not self._sections:
            return _NOTHING
        own = self._sections.get(resource, {})
        found = [own] + [
            self._sections[pattern]
            for pattern, compiled in self._patterns.items()
            if pattern != resource and compiled.match(resource)
        ]
        if not any(found):
            return _NOTHING
        section: dict[str, object] = {}
        for one in reversed(found[1:]):
            section.update(_maps(one))
        section.update(own)
        return Special(
            section, _united(found, HOOKS), _united(found, RESTRICTED)
        )

    def below(self, resource: str, declared: str) -> "TypeMap":
        """Return the types of the stack that a resource holds.

        :param declared: type of the resource, as the template names it
        """
        special = self.special(resource)
        is_named = any(
            isinstance(one, dict) for one in special.section.values()
        )
        lead = self._lead(declared, special)
        key = resource if is_named else "", lead
        if key not in self._below:
            registry, without = self.entered(resource, declared)
            self._below[key] = TypeMap(
                registry,
                self._files,
                installed=_without(self._installed, without),
                is_served=self._is_served,
            )
        return self._below[key]

    def entered(
        self, resource: str, declared: str
    ) -> tuple[Registry, str | None]:
        """Return the registry of the stack that a resource holds.

        :param declared: type of the resource, as the template names it
        :returns: also the mapping of the installation that does not hold in
            there; ``None`` for none
        """
        lead = self._lead(declared, self.special(resource))
        registry = self.child(resource, lead)
        return registry, None if lead in self._registry else lead

    def child(self, resource: str, without: str | None = None) -> Registry:
        """Return the registry of the stack that a resource holds.

        What this registry says of resources in the resource becomes its
        section ``resources``; mappings of types hold for all stacks below.

        :param without: a mapping that does not: the one that leads to the
            template, so that this may use the type that it stands for
        """
        section = {
            name: one
            for name, one in self.special(resource).section.items()
            if isinstance(one, dict)
        }
        return {**_without(self._registry, without), RESOURCES: section}

    def _lead(self, type_name: str, special: Special) -> str | None:
        """Return the mapping that leads from a type to a template."""
        if special.section:
            steps = _Mappings(special.section).steps(type_name)
            type_name = next((one.target for one in steps), type_name)
        found = self._follow((type_name,), set())
        if found is None or not is_template(found.target):
            return None
        return found.key

    def find(self, type_name: str, special: Special = _NOTHING) -> str:
        """Return the name of the type that serves a type.

        :returns: the type itself when no mapping leads to one that exists
        :raises orch.template.errors.TemplateInvalid: mappings go in a circle
        """
        if special.section:
            for step in _Mappings(special.section).steps(type_name):
                found = self._served(self._file(step.target, special.section))
                if found is not None:
                    return found
        if type_name not in self._found:
            self._found[type_name] = self._served(type_name) or type_name
        return self._found[type_name]

    def find_all(self, type_name: str) -> frozenset[str]:
        """Return all types that may serve a type in this stack or below.

        It is among them: it serves itself in a template that it maps to.
        """
        if type_name in self._all_found:
            return self._all_found[type_name]
        found = {type_name}
        pending: list[Registry] = [{}, *self._sections.values()]
        for section in pending:
            with contextlib.suppress(errors.TemplateInvalid):
                found.add(self.find(type_name, Special(section)))
            pending += _maps(section).values()
        return self._all_found.setdefault(type_name, frozenset(found))

    def mapped(self, type_name: str) -> str | None:
        """Return what a type is mapped to first, be it served or not."""
        steps = self._steps(type_name)
        return next((step.target for step in steps), None)

    def _served(self, type_name: str) -> str | None:
        """Return the type or template that serves a type, if any does."""
        if is_template(type_name):
            return type_name
        found = self._follow((type_name,), set())
        return None if found is None else found.target

    def _steps(self, name: str) -> collections.abc.Iterator[_Step]:
        for level in self._levels:
            yield from level.steps(name)

    def _follow(
        self, followed: tuple[str, ...], tried: set[str]
    ) -> _Step | None:
        """Return what serves the last of some names, each mapped to the next.

        :param tried: names that nothing serves, told of those found here
        :returns: the mapping that leads to it, or the name itself; ``None``
            when nothing serves it
        """
        name = followed[-1]
        for step in self._steps(name):
            if step.target == name:
                break
            _check_step(followed, step.target)
            if step.target in tried:
                continue
            if is_template(step.target):
                target = self._file(step.target, self._registry)
                return dataclasses.replace(step, target=target)
            found = self._follow((*followed, step.target), tried)
            if found is not None:
                return found
        if self._is_served(name):
            return _Step(name, name)
        tried.add(name)
        if len(tried) > _MAX_TRIED:
            raise errors.TemplateInvalid(
                f"The resource_registry maps {followed[0][:100]} to more than"
                f" {_MAX_TRIED} types, none of which exists."
            )
        return None

    def _file(self, target: str, section: Registry) -> str:
        """Return the name under which the file of a template came.

        Clients put ``base_url`` before names that are relative; a registry
        that was written by hand may leave that to us.
        """
        base = section.get(BASE_URL) or self._registry.get(BASE_URL)
        if (
            not is_template(target)
            or target in self._files
            or not isinstance(base, str)
        ):
            return target
        name = parse.urljoin(base.removesuffix("/") + "/", target)
        return name if name in self._files else target


def _check_step(followed: tuple[str, ...], target: str) -> None:
    """Refuse a mapping that leads nowhere.

    :param followed: the names before it, each mapped to the next
    :raises orch.template.errors.TemplateInvalid: it does
    """
    if len(target) > _MAX_NAME_LENGTH:
        raise errors.TemplateInvalid(
            f"The resource_registry maps {followed[0][:100]} to a name"
            f" of more than {_MAX_NAME_LENGTH} characters."
        )
    if target in followed or len(followed) > _MAX_CHAIN:
        raise errors.TemplateInvalid(
            "The resource_registry maps types in a circle:"
            f" {' -> '.join([*followed, target])[:500]}",
            advice="Let one of these name a type that exists.",
        )


def _without(registry: Registry, name: str | None) -> Registry:
    """Return a registry without one of its entries."""
    return {key: one for key, one in registry.items() if key != name}


def _maps(section: Registry) -> dict[str, Registry]:
    """Return what a section says of the resources in a resource."""
    return {
        name: one for name, one in section.items() if isinstance(one, dict)
    }


def registry_as_written(section: Registry) -> dict[str, object]:
    """Return a registry as Heat shows it, without what is ``null``."""
    return {
        name: registry_as_written(one) if isinstance(one, dict) else one
        for name, one in section.items()
        if one is not None
    }


def _united(
    sections: collections.abc.Iterable[Registry], key: str
) -> tuple[str, ...]:
    """Return the words that the sections have under a key, each once."""
    return tuple(
        dict.fromkeys(
            word for section in sections for word in as_words(section.get(key))
        )
    )
