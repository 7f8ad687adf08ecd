"""Makes attributes of the client's classes from fields of the contract."""

import collections.abc
import dataclasses
import typing

from orch.rpc.contract import fields
from orch.rpc.contract import rest
from tools.client_values import classes

Refer = collections.abc.Callable[[type], str]
"""Returns the name of the client's class of some facts, as source."""

_REQUIRED: typing.Final = object()
"""The default of what has none."""


@dataclasses.dataclass(frozen=True)
class Attribute:
    """An attribute of a class, each part as source.

    :ivar value: an expression of ``body``; empty for a parameter of ``of``
    :ivar default: empty for none
    :ivar key: of its field, empty for none
    """

    name: str
    annotation: str
    value: str
    default: str
    key: str = ""
    text: str = ""


@dataclasses.dataclass(frozen=True)
class _Kind:
    """How one type of values is read.

    :ivar get: reads it where null is not allowed; an expression
    :ivar find: reads it or ``None``
    :ivar empty: what ``get`` returns where there is none
    """

    annotation: str
    get: str
    find: str
    empty: object = _REQUIRED


def make_attributes(
    value: classes.Value, refer: Refer
) -> collections.abc.Iterator[Attribute]:
    """Yield the attributes of a class: its fields, then its extras.

    :raises TypeError: a field has a type that no parser reads
    :raises ValueError: the class names a field that does not exist
    """
    found = fields.fields(value.facts)
    named = {*value.names, *value.omitted, *value.required, *value.defaults}
    unknown = named - {each.key for each in found}
    if unknown:
        raise ValueError(f"{value.name} has no fields {sorted(unknown)}.")
    for field in found:
        if field.key in value.omitted or field.declared.has(rest.HIDDEN):
            continue
        yield _make_attribute(value, field, refer)
    for name, extra in value.extras.items():
        yield Attribute(
            name, extra.annotation, extra.value, extra.default, text=extra.text
        )


def _make_attribute(
    value: classes.Value, field: fields.Field, refer: Refer
) -> Attribute:
    name, declared = value.find_attribute(field.key), field.declared
    stack = declared.find(rest.Stack)
    if stack is not None:
        if not stack.rel:
            raise TypeError(f"{value.name}.{field.key} has no link.")
        expression = f'stack_identity.get_stack(body, "{stack.rel}")'
        annotation, default = "stack_identity.StackIdentity", ""
    elif declared.has(rest.INLINE):
        if not field.is_required:
            raise TypeError(f"{value.name}.{field.key} may be missing.")
        annotation = refer(typing.cast(type, declared.hint))
        expression, default = f"{annotation}.of(body)", ""
    elif declared.hint is object:
        annotation = "object"
        expression, default = _read_object(field)
    else:
        try:
            annotation, expression, default = _read(value, field, refer)
        except TypeError as error:
            raise TypeError(f"{value.name}.{field.key}: {error}") from None
    return Attribute(name, annotation, expression, default, field.key)


def _read_object(field: fields.Field) -> tuple[str, str]:
    """Return what reads a value of any type, and its default."""
    if _is_optional(field):
        absent = "response_parser.ABSENT"
        return f'body.get("{field.name}", {absent})', absent
    return f'body.get("{field.name}")', "None"


def _read(
    value: classes.Value, field: fields.Field, refer: Refer
) -> tuple[str, str, str]:
    """Return annotation, what reads the value, and its default."""
    kind = _find_kind(field.name, field.declared, refer)
    if field.key in value.required:
        if field.declared.hint is not str:
            raise TypeError("only a text can be required.")
        expression = f'response_parser.required_text(body, "{field.name}")'
        return kind.annotation, expression, ""
    default = _find_default(value, field, kind)
    if default is None:
        return f"{kind.annotation} | None", kind.find, "None"
    if default is _REQUIRED:
        return kind.annotation, kind.get, ""
    expression = kind.get
    if default != kind.empty:
        expression = f"{expression[:-1]}, {default!r})"
    return kind.annotation, expression, _write_default(default)


def _find_default(
    value: classes.Value, field: fields.Field, kind: _Kind
) -> object:
    """Return what the value is where the body has none, or null."""
    for_null = field.declared.find(rest.ForNull)
    default = field.declared.find(rest.Default)
    if field.key in value.defaults:
        return value.defaults[field.key]
    if for_null is not None:
        return for_null.value
    if field.declared.is_nullable or _is_optional(field):
        return None
    if default is not None and default.value:
        return default.value
    return kind.empty


def _is_optional(field: fields.Field) -> bool:
    """Whether bodies may lack the field."""
    return not field.is_required and field.declared.find(rest.Default) is None


def _write_default(default: object) -> str:
    if default == {}:
        return "dataclasses.field(default_factory=dict)"
    return repr(default)


def _find_kind(name: str, declared: fields.Declared, refer: Refer) -> _Kind:
    """Return how values of a type are read from under a name.

    :raises TypeError: no parser reads them
    """

    def call(function: str, *arguments: str) -> str:
        given = ", ".join(("body", f'"{name}"', *arguments))
        return f"response_parser.{function}({given})"

    def pair(word: str) -> tuple[str, str]:
        return call(f"get_{word}"), call(f"find_{word}")

    if declared.has(rest.TIME):
        return _Kind(
            "datetime.datetime", call("required_time"), call("find_time")
        )
    if declared.hint in _SCALARS:
        annotation, word, empty = _SCALARS[declared.hint]
        return _Kind(annotation, *pair(word), empty)
    if fields.is_facts(declared.hint):
        target = refer(declared.hint)
        get = f"{target}.of({call('get_map')})"
        return _Kind(target, get, call("find_value", f"{target}.of"))
    if not declared.arguments:
        raise TypeError(f"no parser reads {declared.hint}.")
    item = fields.declared(declared.arguments[-1])
    if declared.origin is list:
        return _find_list_kind(item, call, refer)
    return _find_map_kind(item, call, refer)


_Call = collections.abc.Callable[..., str]


def _find_list_kind(item: fields.Declared, call: _Call, refer: Refer) -> _Kind:
    if item.hint is str:
        return _Kind(
            "tuple[str, ...]", call("get_texts"), call("find_texts"), ()
        )
    if fields.is_facts(item.hint):
        target, of = refer(item.hint), f"{refer(item.hint)}.of"
    elif item.origin is dict:
        target, of = "response_parser.Json", "response_parser.read_map"
    else:
        raise TypeError(f"no parser reads a list of {item.hint}.")
    return _Kind(
        f"tuple[{target}, ...]",
        call("get_values", of),
        call("find_values", of),
        (),
    )


def _find_map_kind(item: fields.Declared, call: _Call, refer: Refer) -> _Kind:
    annotation = "response_parser.Json"
    get = call("find_map")
    find = call("find_value", "response_parser.read_map")
    if item.hint is object:
        return _Kind(annotation, get, find, {})
    if fields.is_facts(item.hint):
        target = refer(item.hint)
        get = call("get_value_map", f"{target}.of")
    elif item.hint is int or item.hint is str:
        target = item.hint.__name__
        word = {int: "integer", str: "text"}[item.hint]
        get = call(f"get_{word}_map")
    else:
        raise TypeError(f"no parser reads a map of {item.hint}.")
    annotation = f"collections.abc.Mapping[str, {target}]"
    return _Kind(annotation, get, f"({get} or None)", {})


_SCALARS: typing.Final[dict[object, tuple[str, str, object]]] = {
    str: ("str", "text", ""),
    int: ("int", "integer", 0),
    float: ("float", "number", 0.0),
    bool: ("bool", "boolean", False),
}
"""Annotation, word in the names of parsers, and what is empty."""
