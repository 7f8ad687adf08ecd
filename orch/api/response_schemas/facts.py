"""Schemas of answers that ``orch.api.views.facts`` makes of facts."""

import collections.abc
import typing

from orch.api.response_schemas import shapes
from orch.rpc.contract import fields
from orch.rpc.contract import rest

_TYPES: typing.Final[dict[object, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
}


class Components:
    """Schemas of facts, those with a name of their own by that name."""

    def __init__(
        self,
        names: collections.abc.Mapping[type, str],
        added: collections.abc.Mapping[type, shapes.Members],
    ) -> None:
        """Make the schemas.

        :param names: of classes of facts; all others appear where they are
            used
        :param added: members that views add to facts of a class
        """
        self._names = names
        self._added = added
        self.named: typing.Final[dict[str, shapes.Schema]] = {
            name: self.members(kind) for kind, name in names.items()
        }
        """Schemas by name."""

    def of(self, kind: type) -> shapes.Schema:
        """Return the schema of facts, or what points to it."""
        name = self._names.get(kind)
        return self.members(kind) if name is None else shapes.ref(name)

    def many(self, kind: type) -> shapes.Schema:
        """Return the schema of a list of facts."""
        return shapes.many(self.of(kind))

    def members(self, kind: type) -> shapes.Schema:
        """Return the schema of facts itself."""
        return shapes.members(*self._split(kind))

    def _split(
        self, kind: type
    ) -> tuple[dict[str, shapes.Schema], dict[str, shapes.Schema]]:
        """Return the members that facts always have, and all others."""
        required: dict[str, shapes.Schema] = {}
        optional: dict[str, shapes.Schema] = {}
        for field in fields.fields(kind):
            if field.declared.has(rest.HIDDEN):
                continue
            stack = field.declared.find(rest.Stack)
            if stack is not None:
                required.update(_stack_members(stack))
                continue
            if field.declared.has(rest.INLINE):
                self._add_inline(field, required, optional)
                continue
            is_always_there = (
                field.is_required
                or field.declared.find(rest.Default) is not None
            )
            found = required if is_always_there else optional
            found[field.name] = self._value(field.declared)
        required.update(self._added.get(kind, {}))
        return required, optional

    def _add_inline(
        self,
        field: fields.Field,
        required: dict[str, shapes.Schema],
        optional: dict[str, shapes.Schema],
    ) -> None:
        always, others = self._split(typing.cast(type, field.declared.hint))
        if field.is_required:
            required.update(always)
        else:
            others = {**always, **others}
        optional.update(
            (name, schema)
            for name, schema in others.items()
            if name not in required
        )

    def _value(self, declared: fields.Declared) -> shapes.Schema:
        schema = self._plain_value(declared)
        for_null = declared.find(rest.ForNull)
        is_null = declared.is_nullable and (
            for_null is None or for_null.value is None
        )
        if not is_null or not schema:
            return schema
        if "enum" in schema:
            words = typing.cast("list[object]", schema["enum"])
            return {**schema, "enum": [*words, None]}
        if "type" in schema:
            return {**schema, "type": [schema["type"], "null"]}
        return shapes.either(shapes.NULL, schema)

    def _plain_value(self, declared: fields.Declared) -> shapes.Schema:
        words = declared.find(rest.Words)
        if words is not None:
            return shapes.one_of(*words.texts)
        if declared.has(rest.TIME):
            return shapes.MOMENT
        if fields.is_facts(declared.hint):
            return self.of(declared.hint)
        if declared.origin is dict:
            return self._map(declared)
        if declared.arguments:
            return shapes.many(self._items(declared))
        schema: shapes.Schema = {}
        if declared.hint in _TYPES:
            schema = {"type": _TYPES[declared.hint]}
        elif declared.hint is not object:
            raise TypeError(f"{declared.hint} has no schema.")
        bounds = declared.find(rest.Bounds)
        if bounds is not None:
            schema["minimum"] = bounds.minimum
            if bounds.maximum is not None:
                schema["maximum"] = bounds.maximum
        return schema

    def _map(self, declared: fields.Declared) -> shapes.Schema:
        if not declared.arguments:
            return shapes.MAP
        items = self._items(declared)
        keys = declared.find(rest.Keys)
        if keys is not None:
            return shapes.members(dict.fromkeys(keys.texts, items))
        return shapes.map_of(items) if items else shapes.MAP

    def _items(self, declared: fields.Declared) -> shapes.Schema:
        return self._value(fields.declared(declared.arguments[-1]))


def _stack_members(mark: rest.Stack) -> dict[str, shapes.Schema]:
    found: dict[str, shapes.Schema] = {}
    for name in (mark.name, mark.id):
        if name:
            found[name] = shapes.TEXT
    if mark.rel:
        found["links"] = shapes.many(shapes.ref("Link"))
    return found
