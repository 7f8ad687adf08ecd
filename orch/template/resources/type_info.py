"""What is known of the types of resources, worked out once for each."""

import collections.abc
import contextlib
import dataclasses
import typing

from orch.model import marked
from orch.plugin import resource as plugin_
from orch.plugin import schema
from orch.template import problems
from orch.template import secret_literals
from orch.template.environment import registry
from orch.template.resources import nested_type
from orch.template.resources import properties


class Types(typing.Protocol):
    """The resource types that are installed."""

    def find(self, type_name: str) -> plugin_.Resource | None:
        """Return what serves a type, or ``None``."""

    def names(self) -> collections.abc.Sequence[str]:
        """Return the names of all types."""


@dataclasses.dataclass(frozen=True, slots=True)
class TypeInfo:
    """What is known of a type.

    :ivar plugin: what serves it; ``None`` for a template
    :ivar nested: the template that it is; ``None`` for all others
    :ivar is_open: it takes properties that it does not declare
    :ivar has_any: it shows attributes that it does not declare
    :ivar sensitive: its properties that are secrets, or have parts that are
    :ivar secret_names: of all of these properties and parts
    """

    plugin: plugin_.Resource | None
    nested: nested_type.NestedType | None
    attributes: tuple[str, ...]
    readable: frozenset[str]
    coercer: properties.Coercer
    policy: properties.Coercer
    is_open: bool
    has_any: bool
    can_snapshot: bool
    sensitive: schema.Properties = ()
    secret_names: frozenset[str] = frozenset()

    def find_sensitive(
        self, values: collections.abc.Mapping[str, object]
    ) -> collections.abc.Iterator[marked.Path]:
        """Yield the paths of what is a secret among values of properties."""
        return _paths_in(self.sensitive, values, ())


class TypeCatalogue:
    """The types that a template and those nested in it may use."""

    def __init__(
        self,
        types: Types,
        library: nested_type.Library,
        type_map: registry.TypeMap,
    ) -> None:
        """Work out nothing yet.

        :param type_map: of the outermost template
        """
        self._types = types
        self._type_map = type_map
        self._library = library
        self._found: dict[str, TypeInfo | None] = {}

    def find(self, type_name: str) -> TypeInfo | None:
        """Return what is known of a type; ``None`` when nothing serves it.

        A template is found once it was read.
        """
        if type_name not in self._found:
            plugin = self._types.find(type_name)
            self._found[type_name] = _type_info(plugin) if plugin else None
        return self._found[type_name]

    def read(self, type_name: str) -> TypeInfo | None:
        """Return a type, reading the template that it may be.

        :returns: ``None`` when nothing serves it, or the template is wrong
        :raises problems.Fault: it is a template that is not there
        """
        if registry.is_template(type_name) and type_name not in self._found:
            nested = self._library.find(type_name)
            self._found[type_name] = None
            if nested is not None:
                # Templates may name each other in a circle.
                self._found[type_name] = _nested_type_info(nested, ())
                given = secret_literals.find_given(
                    nested.source.document.root,
                    nested.source.version.format,
                    self.secret_names,
                )
                self._found[type_name] = _nested_type_info(nested, {*given})
        return self.find(type_name)

    def secret_names(self, type_name: str) -> frozenset[str]:
        """Return the names of the properties of a type that are secrets.

        :param type_name: as a template names it; the properties are those of
            all types that may serve it
        """
        return frozenset().union(
            *map(self._secret_names, self._type_map.find_all(type_name))
        )

    def _secret_names(self, type_name: str) -> frozenset[str]:
        found = None
        with contextlib.suppress(problems.Fault):
            found = self.read(type_name)
        return found.secret_names if found else frozenset()

    def faults(
        self, type_name: str
    ) -> collections.abc.Sequence[problems.Fault]:
        """Return why the template that a type is cannot be read."""
        return self._library.faults(type_name)

    def names(self) -> collections.abc.Sequence[str]:
        """Return the names of all types that are installed."""
        return self._types.names()


def _type_info(plugin: plugin_.Resource) -> TypeInfo:
    attributes = tuple(one.name for one in plugin.attributes)
    return TypeInfo(
        plugin,
        None,
        attributes,
        frozenset({*attributes, plugin_.SHOW}),
        properties.Coercer(plugin.properties),
        properties.Coercer(plugin.update_policy),
        plugin.accepts_any_property,
        plugin.accepts_any_property or plugin.shows_any_attribute,
        plugin.can_snapshot,
        _sensitive(plugin.properties),
        frozenset(_names_in(plugin.properties)),
    )


def _sensitive(declared: schema.Properties) -> schema.Properties:
    return tuple(each for each in declared if each.has_sensitive)


def _names_in(
    declared: schema.Properties,
) -> collections.abc.Iterator[str]:
    """Yield the names of all that is sensitive, former ones too."""
    for each in _sensitive(declared):
        part = each
        while part.items is not None and not part.is_sensitive:
            part = part.items
        if part.is_sensitive:
            yield from (each.name, *each.former_names)
        else:
            yield from _names_in(part.fields)


def _paths_in(
    declared: schema.Properties, values: object, path: marked.Path
) -> collections.abc.Iterator[marked.Path]:
    if not isinstance(values, collections.abc.Mapping):
        return
    for each in declared:
        if each.name in values and each.has_sensitive:
            place = (*path, each.name)
            yield from _paths_of(each, values[each.name], place)


def _paths_of(
    declared: schema.Property, value: object, path: marked.Path
) -> collections.abc.Iterator[marked.Path]:
    if declared.is_sensitive:
        yield path
    elif declared.items is None:
        yield from _paths_in(declared.fields, value, path)
    elif isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for step, each in parts:
            yield from _paths_of(declared.items, each, (*path, step))


def _nested_type_info(
    nested: nested_type.NestedType, given: collections.abc.Container[str]
) -> TypeInfo:
    """Return a template as a type.

    Beside its outputs it shows what its own resources show, which is looked
    up when it is asked for: no name of an attribute is refused before.

    :param given: parameters that it gives to sensitive properties
    """
    sensitive = tuple(
        each
        if each.is_sensitive
        else dataclasses.replace(each, is_sensitive=True)
        for each in nested.properties
        if each.is_sensitive or each.name in given
    )
    attributes = tuple(one.name for one in nested.attributes)
    return TypeInfo(
        None,
        nested,
        attributes,
        frozenset(attributes),
        properties.Coercer(nested.properties),
        properties.Coercer(()),
        is_open=False,
        has_any=True,
        can_snapshot=False,
        sensitive=sensitive,
        secret_names=frozenset(each.name for each in sensitive),
    )
