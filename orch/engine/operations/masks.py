"""Hides from plans what users gave as hidden parameters.

A value is hidden where the template may put a hidden parameter into it, and
wherever it holds the text of one: attributes carry such texts on.
"""

import collections.abc
import typing

from orch.template import parameters
from orch.template import template
from orch.template import world

HIDDEN: typing.Final = parameters.HIDDEN
KNOWN_LATER: typing.Final = "known_later"

_SHORTEST = 4
"""A text with fewer characters is looked for as a whole value only."""


class Masks:
    """What is hidden by the templates of one stack, old and new."""

    def __init__(
        self,
        templates: collections.abc.Iterable[template.Template],
        *,
        is_blind: bool = False,
    ) -> None:
        """Look at the hidden parameters of these templates.

        :param is_blind: another one cannot be read, so all may be hidden
        """
        self._is_blind = is_blind
        self._templates = list(templates)
        self._names = [_hidden(each) for each in self._templates]
        self._texts = {
            text
            for bound, names in zip(self._templates, self._names, strict=True)
            for name in names
            for text in _texts(bound.parameters.value(name))
            if text
        }
        self._long = [each for each in self._texts if len(each) >= _SHORTEST]

    def within(
        self, templates: collections.abc.Iterable[template.Template]
    ) -> "Masks":
        """Return masks that cover what templates of inner stacks hide too."""
        return Masks([*self._templates, *templates], is_blind=self._is_blind)

    @property
    def is_blind(self) -> bool:
        """Whether anything may be hidden, for want of its template."""
        return self._is_blind

    def hides(
        self,
        resource: str,
        name: str,
        names: collections.abc.Container[str],
    ) -> bool:
        """Answer whether a hidden parameter goes into a property.

        :param names: of all properties that the resource has
        """
        return self._is_blind or any(
            _mentions(_written(bound, resource, name, names), hidden)
            for bound, hidden in zip(self._templates, self._names, strict=True)
            if hidden
        )

    def shown(self, value: object, *, is_hidden: bool) -> object:
        """Return the value of a property as JSON, what is hidden covered.

        ``{"known_later": true}`` stands for what comes into being only with
        the run.
        """
        if is_hidden and value is not None and value is not world.UNKNOWN:
            return HIDDEN
        return self._plain(value)

    def _plain(self, value: object) -> object:
        if value is world.UNKNOWN:
            return {KNOWN_LATER: True}
        if isinstance(value, collections.abc.Mapping):
            return {key: self._plain(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self._plain(each) for each in value]
        return HIDDEN if self._is_hidden(value) else value

    def _is_hidden(self, value: object) -> bool:
        if not self._texts or value is None or isinstance(value, bool):
            return False
        text = str(value)
        return text in self._texts or any(each in text for each in self._long)


def _hidden(bound: template.Template) -> frozenset[str]:
    return frozenset(
        name
        for name, schema in bound.parameters.schemas.items()
        if schema.is_hidden
    )


def _texts(value: object) -> collections.abc.Iterator[str]:
    """Return all texts and numbers in the value of a parameter."""
    if isinstance(value, collections.abc.Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _written(
    bound: template.Template,
    resource: str,
    name: str,
    names: collections.abc.Container[str],
) -> object:
    """Return what the template writes for a property.

    Where a function gives all properties at once, that is the function.
    """
    section = bound.raw.get(bound.version.format.resources)
    declared = section.get(resource) if isinstance(section, dict) else None
    if not isinstance(declared, dict):
        return None
    given = declared.get(bound.version.format.resource.properties)
    if isinstance(given, dict) and all(key in names for key in given):
        return given.get(name)
    return given


def _mentions(written: object, names: collections.abc.Collection[str]) -> bool:
    """Answer whether a text in what is written speaks of one of the names."""
    if isinstance(written, str):
        return any(name in written for name in names)
    if isinstance(written, dict):
        return any(_mentions(each, names) for each in written.values())
    if isinstance(written, list):
        return any(_mentions(each, names) for each in written)
    return False
