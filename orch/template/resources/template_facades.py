"""Checks that a template matches the type that it replaces.

An environment may map a type to a template. Who uses the type must not need
to know: the template has the parameters that the type has as required
properties, asks for no others, and gives the attributes of the type. That
holds for types that something here serves: where nothing does, the template
is all there is to go by. The sentences are Heat's, which clients compare.
"""

import collections.abc
import dataclasses

from orch.plugin import schema
from orch.template import errors
from orch.template import problems
from orch.template.environment import registry
from orch.template.resources import declaration
from orch.template.resources import nested_type
from orch.template.resources import type_info

Faults = collections.abc.Iterator[problems.Fault]

_NUMBERS = (schema.Type.INTEGER, schema.Type.NUMBER)


def facade_of(
    declared: declaration.Declaration, metadata: object
) -> dict[str, object]:
    """Return what a stack may know of the resource that holds it."""
    return {
        "metadata": metadata,
        "deletion_policy": declared.deletion_policy,
        "update_policy": declared.update_policy,
    }


@dataclasses.dataclass(frozen=True)
class Facade:
    """How a type looks from outside."""

    properties: collections.abc.Sequence[schema.Property]
    attributes: collections.abc.Sequence[schema.Attribute]


@dataclasses.dataclass(frozen=True)
class Facades:
    """Finds the types that templates replace."""

    types: type_info.Types
    type_map: registry.TypeMap
    library: nested_type.Library

    def faults(self, parsed: declaration.Parsed, path: errors.Path) -> Faults:
        """Return where a template is not like the type it stands in for.

        :param path: of the type
        """
        nested = parsed.nested
        facade = self._find(parsed.declaration)
        if nested is None or facade is None:
            return
        name = parsed.declaration.declared_type
        for why, advice in _differences(facade, nested, name):
            yield problems.Fault(path, why, errors.FacadeInvalid, advice)

    def _find(self, declared: declaration.Declaration) -> Facade | None:
        """Return the type that would serve if the template did not."""
        name = declared.declared_type
        if registry.is_template(name):
            return None
        mapped = self.type_map.find(name)
        if mapped != declared.type_name:
            name = mapped
        if registry.is_template(name):
            return self._find_template(name)
        plugin = self.types.find(name)
        if plugin is None or plugin.is_schema_only or not plugin.is_facade:
            return None
        return Facade(plugin.properties, plugin.attributes)

    def _find_template(self, name: str) -> Facade | None:
        try:
            found = self.library.find(name)
        except problems.Fault:
            return None
        if found is None:
            return None
        return Facade(found.properties, found.attributes)


def _differences(
    facade: Facade, nested: nested_type.NestedType, type_name: str
) -> collections.abc.Iterator[tuple[str, str]]:
    """Return what a template has otherwise than it should, with advice."""
    mine = {one.name: one for one in nested.properties}
    theirs = {one.name: one for one in facade.properties}
    for name, one in theirs.items():
        if name in mine:
            if not _is_alike(one.type, mine[name].type):
                yield (
                    f"Property {name} type mismatch between facade"
                    f" {type_name} ({one.type.value}) and provider"
                    f" ({mine[name].type.value})",
                    "",
                )
        elif one.required:
            yield (
                f"Required property {name} for facade {type_name} missing in"
                " provider",
                "",
            )
    for name, one in mine.items():
        if one.required and name not in theirs:
            yield (
                f"Provider requires property {name} unknown in facade"
                f" {type_name}",
                "Give the parameter a default.",
            )
    given = {one.name for one in nested.attributes}
    for attribute in facade.attributes:
        if not attribute.is_hidden and attribute.name not in given:
            yield (
                f"Attribute {attribute.name} for facade {type_name} missing in"
                " provider",
                "",
            )


def _is_alike(facade: schema.Type, nested: schema.Type) -> bool:
    """Answer whether a parameter can be a property; none is an integer."""
    if facade in (nested, schema.Type.ANY):
        return True
    return facade in _NUMBERS and nested in _NUMBERS
