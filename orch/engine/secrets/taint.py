"""Where what is hidden may stand in a stack: more than its text.

A function may have cut a hidden parameter to pieces, and a service may show
what it was given. So whatever is made of an attribute of a resource is
suspect where that was given something hidden; where a function may have made
something else of it on the way, a digest, nobody could tell by the value.
"""

import collections.abc
import re
import typing
import weakref

from orch.engine.secrets import child_templates
from orch.engine.secrets import named
from orch.engine.secrets import references
from orch.template import template
from orch.template.language import functions_of_version

_IDS: typing.Final = frozenset({"get_resource", "Ref"})
"""Functions that lead to a resource, and to no attribute of it."""
_WAITS: typing.Final = frozenset({"depends_on", "DependsOn"})
_ATTRIBUTE: typing.Final = "get_attr"
_IN_TEXT: typing.Final = re.compile(r"\$\{\s*([^.}]+)\.")
_KEEPING: typing.Final = frozenset(
    {
        "Fn::Base64",
        "Fn::FindInMap",
        "Fn::GetAZs",
        "Fn::GetAtt",
        "Fn::If",
        "Fn::Join",
        "Fn::MemberListToMap",
        "Fn::Replace",
        "Fn::ResourceFacade",
        "Fn::Select",
        "Fn::Split",
        "Ref",
        "contains",
        "filter",
        "get_attr",
        "get_file",
        "get_param",
        "get_resource",
        "if",
        "list_concat",
        "list_concat_unique",
        "list_join",
        "make_url",
        "map_merge",
        "map_replace",
        "repeat",
        "resource_facade",
        "str_replace",
        "str_replace_strict",
        "str_replace_vstrict",
        "str_split",
    }
)
"""Functions that take texts apart and put them together, and leave the parts
as they are. All others make something else of what they are given."""


class Hiding:
    """What a template may have hidden values in.

    :ivar is_anywhere: it may be in any value, for a resource that stands for
        the stack was given it and is no template of a user
    :ivar parameters: those that are hidden
    :ivar resources: those that may have something of them
    :ivar altered: those of them that may have something which is no part
        of it any more
    :ivar secrets: those whose ids are hidden too
    :ivar by_ids: any id may be made of what its resource was given
    """

    def __init__(
        self,
        parsed_template: template.Template,
        given: collections.abc.Iterable[str] | None = (),
        inner: collections.abc.Iterable[str] = (),
        altering: collections.abc.Iterable[str] = (),
        secrets: collections.abc.Iterable[str] = (),
        *,
        by_ids: bool = False,
    ) -> None:
        """Follow what is hidden through a template.

        :param given: parameters that the stack around gives such values;
            ``None`` where they may be anywhere
        :param inner: resources whose stacks hide something themselves
        :param altering: resources whose stacks may make something else of
            what they are given, or of what they hide themselves
        :param secrets: resources whose attributes and ids are hidden
        :param by_ids: any id may be made of what its resource was given
        """
        self.by_ids = by_ids
        self.secrets = frozenset(secrets)
        self._section = _resources(parsed_template)
        self._properties = parsed_template.version.format.resource.properties
        self.is_anywhere = given is None
        self.parameters = frozenset(
            (*hidden_parameters(parsed_template), *(given or ()))
        )
        self._readers: dict[str, list[str]] = {}
        inner = self.secrets.union(inner)
        self.resources = self._follow(inner)
        self._altering = frozenset[str]()
        self.altered = frozenset[str]()
        if not self.is_idle:
            self._altering = _altering(parsed_template)
            self.altered = self._alter(frozenset(altering))

    @property
    def is_idle(self) -> bool:
        """Whether nothing is hidden in any place."""
        return not (self.is_anywhere or self.parameters or self.resources)

    def hides(
        self,
        resource: str,
        name: str,
        names: collections.abc.Container[str],
    ) -> bool:
        """Answer whether something hidden may go into a property.

        :param names: of all properties that the resource has
        """
        return self.is_anywhere or (
            resource in self.resources
            and self.mentions(self._property(resource, name, names))
        )

    def alters(
        self,
        resource: str,
        name: str,
        names: collections.abc.Container[str],
    ) -> bool:
        """Answer whether something else, made of it, may go into a property.

        :param names: of all properties that the resource has
        """
        return self.is_given(resource) and self.is_altered(
            self._property(resource, name, names)
        )

    def is_altered(self, written: object) -> bool:
        """Answer whether that may go into what is written."""
        if self.altered and not self.altered.isdisjoint(self._read(written)):
            return True
        return _calls(written, self._altering) and self.mentions(written)

    def takes_secret(
        self,
        resource: str,
        name: str,
        names: collections.abc.Container[str],
    ) -> bool:
        """Answer whether a secret itself may go into a property.

        :param names: of all properties that the resource has
        """
        return resource in self.resources and self.reads_secret(
            self._property(resource, name, names)
        )

    def reads_secret(self, written: object) -> bool:
        """Answer whether what is written reads a secret of a resource.

        That is one that makes up secrets, or an attribute with the name of
        one.
        """
        return named.reads_named(written) or (
            bool(self.secrets)
            and not self.secrets.isdisjoint(self._read(written))
        )

    def is_given(self, resource: str) -> bool:
        """Answer whether a resource may have something hidden."""
        return self.is_anywhere or resource in self.resources

    def is_hidden(self, parameter: str) -> bool:
        """Answer whether a parameter may have something hidden."""
        return self.is_anywhere or parameter in self.parameters

    def mentions(self, written: object) -> bool:
        """Answer whether something hidden may go into what is written."""
        if (
            self.is_anywhere
            or references.mentions(written, self.parameters)
            or named.reads_named(written)
        ):
            return True
        return bool(self.resources) and not self.resources.isdisjoint(
            self._read(written)
        )

    def given(
        self, resource: str, inner: template.Template
    ) -> frozenset[str] | None:
        """Return the parameters of a stack that a resource stands for.

        :returns: those that may be given something hidden; ``None`` where
            it may be anywhere in that stack
        """
        if self.is_anywhere:
            return None
        declared = self._section.get(resource)
        if resource not in self.resources or not isinstance(declared, dict):
            return frozenset()
        properties = declared.get(self._properties)
        if not self.mentions(properties):
            return frozenset()
        schemas = inner.parameters.schemas
        if not isinstance(properties, dict) or not all(
            name in schemas for name in properties
        ):
            return None
        return frozenset(
            name
            for name, written in properties.items()
            if self.mentions(written)
        )

    def _property(
        self,
        resource: str,
        name: str,
        names: collections.abc.Container[str],
    ) -> object:
        return _one(
            _given_to(self._section, self._properties, resource), name, names
        )

    def _follow(self, inner: collections.abc.Iterable[str]) -> frozenset[str]:
        found = list(inner)
        if not (self.parameters or found or named.reads_named(self._section)):
            return frozenset()
        for name, declared in self._section.items():
            if not isinstance(declared, dict):
                continue
            written = {
                key: each
                for key, each in declared.items()
                if key not in _WAITS
            }
            if references.mentions(
                written, self.parameters
            ) or named.reads_named(written):
                found.append(name)
            for each in set(self._read(written)):
                self._readers.setdefault(each, []).append(name)
        return self._behind(found)

    def _alter(self, altering: frozenset[str]) -> frozenset[str]:
        return self._behind(
            name
            for name in self.resources
            if name in altering
            or _calls(self._section.get(name), self._altering)
        )

    def _behind(self, names: collections.abc.Iterable[str]) -> frozenset[str]:
        """Return these resources, and all that may have something of them."""
        found = list(names)
        known: set[str] = set()
        while found:
            name = found.pop()
            if name not in known:
                known.add(name)
                found += self._readers.get(name, ())
        return frozenset(known)

    def _read(self, written: object) -> collections.abc.Iterator[str]:
        """Return the resources whose attributes may be read; some twice."""
        if isinstance(written, str):
            for name in (
                written,
                written.partition(".")[0],
                *_IN_TEXT.findall(written),
            ):
                if name in self._section:
                    yield name
        elif isinstance(written, dict):
            for key, each in written.items():
                if key == _ATTRIBUTE and not self._is_named(each):
                    yield from self._section
                if (
                    self.by_ids
                    or key not in _IDS
                    or (isinstance(each, str) and each in self.secrets)
                ):
                    yield from self._read(each)
        elif isinstance(written, list):
            for each in written:
                yield from self._read(each)

    def _is_named(self, arguments: object) -> bool:
        """Answer whether it is plain which resource is read."""
        return (
            isinstance(arguments, list)
            and bool(arguments)
            and isinstance(arguments[0], str)
            and arguments[0] in self._section
        )


_KEPT: weakref.WeakKeyDictionary[
    template.Template, dict[tuple[frozenset[str] | None, bool], Hiding]
] = weakref.WeakKeyDictionary()
_MADE: weakref.WeakKeyDictionary[
    template.Template, dict[frozenset[str], frozenset[str]]
] = weakref.WeakKeyDictionary()
"""Each stack in a stack asks again about the template of the one around. What
is kept here goes with the template."""


def within(
    parsed_template: template.Template,
    given: frozenset[str] | None,
    *,
    by_ids: bool = False,
) -> Hiding:
    """Return where hidden values may go in a template of a stack.

    What stacks in it hide themselves counts too, as far as it can be seen
    before they are there.

    :param given: as :class:`Hiding` has it
    :param by_ids: as :class:`Hiding` has it
    """
    kept = _KEPT.setdefault(parsed_template, {})
    found = kept.get((given, by_ids))
    if found is None:
        found = kept[given, by_ids] = _follow(parsed_template, given, by_ids)
    return found


def _follow(
    parsed_template: template.Template,
    given: frozenset[str] | None,
    by_ids: bool,
) -> Hiding:
    section = _resources(parsed_template)
    inner = child_templates.find_holders(
        parsed_template, section, child_templates.declares_hidden
    )
    if not (
        given is None or given or inner or hidden_parameters(parsed_template)
    ):
        return Hiding(parsed_template)
    functions = _altering(parsed_template)
    altering = child_templates.find_holders(
        parsed_template,
        section,
        lambda written: references.speaks_of(written, functions),
    )
    # What such stacks hide is a text that nobody here knows.
    return Hiding(
        parsed_template, given, inner, inner | altering, by_ids=by_ids
    )


def derived_texts(
    parsed_template: template.Template, names: frozenset[str]
) -> frozenset[str]:
    """Return the texts that functions of a template make of parameters."""
    kept = _MADE.setdefault(parsed_template, {})
    found = kept.get(names)
    if found is None:
        found = kept[names] = parsed_template.derived_texts(names)
    return found


def given_by(
    around: collections.abc.Iterable[Hiding],
    resource: str,
    inner: template.Template,
) -> frozenset[str] | None:
    """Return the parameters that may have been given something hidden.

    ``None`` where it may be anywhere in the stack.
    """
    names: frozenset[str] = frozenset()
    for each in around:
        given = each.given(resource, inner)
        if given is None:
            return None
        names |= given
    return names


def _calls(written: object, functions: frozenset[str]) -> bool:
    """Answer whether one of the functions is called in what is written."""
    if isinstance(written, dict):
        return not functions.isdisjoint(written) or any(
            _calls(each, functions) for each in written.values()
        )
    return isinstance(written, list) and any(
        _calls(each, functions) for each in written
    )


def _altering(parsed_template: template.Template) -> frozenset[str]:
    """Return the functions that make something else of their arguments."""
    return (
        frozenset(
            functions_of_version.functions_of_version(parsed_template.version)
        )
        - _KEEPING
    )


def _resources(
    parsed_template: template.Template,
) -> collections.abc.Mapping[str, object]:
    section = parsed_template.raw.get(parsed_template.version.format.resources)
    return section if isinstance(section, dict) else {}


def hidden_parameters(parsed_template: template.Template) -> frozenset[str]:
    """Return the names of those that are not to be shown."""
    return frozenset(
        name
        for name, schema in parsed_template.parameters.schemas.items()
        if schema.is_hidden
    )


def written(
    parsed_template: template.Template,
    resource: str,
    name: str,
    names: collections.abc.Container[str],
) -> object:
    """Return what the template writes for a property.

    Where a function gives all properties at once, that is the function.
    """
    return _one(properties(parsed_template, resource), name, names)


def properties(parsed_template: template.Template, resource: str) -> object:
    """Return what the template writes for all properties of a resource."""
    return _given_to(
        _resources(parsed_template),
        parsed_template.version.format.resource.properties,
        resource,
    )


def _given_to(
    section: collections.abc.Mapping[str, object], key: str, resource: str
) -> object:
    declared = section.get(resource)
    return declared.get(key) if isinstance(declared, dict) else None


def _one(
    given: object, name: str, names: collections.abc.Container[str]
) -> object:
    if isinstance(given, dict) and all(each in names for each in given):
        return given.get(name)
    return given
