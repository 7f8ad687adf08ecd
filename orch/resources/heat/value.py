"""``OS::Heat::Value``: gives a name to a computed value of a template."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import type_files

Check = collections.abc.Callable[[object], str]
"""Returns what is wrong with a value, an empty text when it fits."""


@type_files.described("OS::Heat::Value")
class Value(no_physical_resource.EffectFreeResource):
    """A value, checked against a type, and shown as an attribute."""

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a value that is not of the type that it claims."""
        type_name = properties.get("type")
        value = properties.get("value")
        if type_name is None or value is None:
            return
        wrong = _CHECKS[str(type_name)](value)
        if wrong:
            raise errors.Invalid(wrong, [errors.Problem(wrong, path="value")])

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Check the value, which may have become known only now."""
        self.validate(context.properties)
        return context.physical_name

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Check the new value, which may have become known only now."""
        self.validate(context.properties)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the value as the template gave it."""
        return {"value": context.properties.get("value")}


def _check_string(value: object) -> str:
    if isinstance(value, bool | int | str):
        return ""
    return f"Value must be a string; got {value!r}"


def _check_number(value: object) -> str:
    try:
        float(typing.cast("str", value))
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


def _check_list(value: object) -> str:
    return (
        "" if isinstance(value, list | tuple) else f'"{value!r}" is not a list'
    )


def _check_json(value: object) -> str:
    is_map = isinstance(value, collections.abc.Mapping)
    return "" if is_map else f'"{value}" is not a map'


def _check_boolean(value: object) -> str:
    text = str(value).lower()
    return (
        ""
        if text in ("true", "false")
        else (f'"{text}" is not a valid boolean')
    )


_CHECKS: typing.Final[collections.abc.Mapping[str, Check]] = {
    "string": _check_string,
    "number": _check_number,
    "comma_delimited_list": _check_list,
    "json": _check_json,
    "boolean": _check_boolean,
}
