"""The types of parameters, one small class each.

A type turns what a user gave into the value that ``get_param`` sees, and
that value into the text that ``stack show`` prints.
"""

import abc
import collections.abc
import json
import typing

from orch import json_depth
from orch.plugin import schema
from orch.template import errors

_TRUE = frozenset({"1", "t", "true", "on", "y", "yes"})
_FALSE = frozenset({"0", "f", "false", "off", "n", "no"})


class ParameterType(abc.ABC):
    """Base of all types.

    :cvar name: name in HOT templates
    :cvar shown: name in the answer of ``/validate`` and in CFN templates
    :cvar kind: the type of properties that constraints treat it as
    """

    name: typing.ClassVar[str]
    shown: typing.ClassVar[str]
    kind: typing.ClassVar[schema.Type]

    @abc.abstractmethod
    def parse(self, given: object) -> object:
        """Return the value.

        :raises ValueError: it is none of this type
        :raises TypeError: likewise
        """

    def default_to_check(self, default: object) -> object:
        """Return what constraints see of a default: what is written.

        A default of a wrong type shows when its value is asked for.

        :raises ValueError: it can be no default
        """
        return default

    def text(self, value: object) -> str:
        """Return the value as text."""
        return str(value)


class String(ParameterType):
    """A text; anything has one."""

    name = "string"
    shown = "String"
    kind = schema.Type.STRING

    def parse(self, given: object) -> object:
        """Return the text of it."""
        return given if isinstance(given, str) else str(given)


class Number(ParameterType):
    """A whole number or a float."""

    name = "number"
    shown = "Number"
    kind = schema.Type.NUMBER

    def parse(self, given: object) -> object:
        """Return the number that it is or says."""
        return to_number(given)


class Boolean(ParameterType):
    """True or false, by many words."""

    name = "boolean"
    shown = "Boolean"
    kind = schema.Type.BOOLEAN

    def parse(self, given: object) -> object:
        """Return what the word says."""
        word = str(given).strip().lower()
        if word in _TRUE:
            return True
        if word in _FALSE:
            return False
        known = ", ".join(repr(one) for one in sorted(_TRUE | _FALSE))
        raise ValueError(
            f"Unrecognized value '{given}', acceptable values are: {known}"
        )


class CommaDelimitedList(ParameterType):
    """A list of texts, or a text with commas."""

    name = "comma_delimited_list"
    shown = "CommaDelimitedList"
    kind = schema.Type.LIST

    def parse(self, given: object) -> object:
        """Return the list; spaces around commas belong to the members."""
        if isinstance(given, list):
            return [str(one) for one in given]
        if isinstance(given, str):
            return given.split(",") if given else []
        raise ValueError(
            "Value must be a comma-delimited list string:"
            f" {type(given).__name__!r} object has no attribute 'split'"
        )

    def default_to_check(self, default: object) -> object:
        """Return the list; of an empty text, one with an empty member.

        :raises ValueError: it is neither list nor text
        """
        return (
            default.split(",")
            if isinstance(default, str)
            else self.parse(default)
        )

    def text(self, value: object) -> str:
        """Return the members with commas between them."""
        assert isinstance(value, list)
        return ",".join(value)


class Json(ParameterType):
    """Any value, given as itself or as JSON text."""

    name = "json"
    shown = "Json"
    kind = schema.Type.MAP

    def parse(self, given: object) -> object:
        """Return the value.

        :raises orch.template.errors.TooLarge: it is nested too deep
        """
        if not given:
            return given
        try:
            if isinstance(given, str):
                return json_depth.parse_json(given)
            json_depth.check_depth(given)
            return given
        except json_depth.TooDeepError as error:
            raise errors.TooLarge(str(error)) from None
        except ValueError as error:
            raise ValueError(f"Value must be valid JSON: {error}") from None

    def text(self, value: object) -> str:
        """Return the JSON of it."""
        return json.dumps(value)


TYPES: collections.abc.Mapping[str, ParameterType] = {
    one.name: one
    for one in (String(), Number(), Boolean(), CommaDelimitedList(), Json())
}
"""The types under the names that HOT gives them."""


def to_number(value: object) -> int | float:
    """Return the number that a value is or says.

    :raises ValueError: it says none
    :raises TypeError: it cannot say one
    """
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str):
        raise TypeError(
            "int() argument must be a string, a bytes-like object or a real"
            f" number, not {type(value).__name__!r}"
        )
    try:
        return int(value)
    except ValueError:
        return float(value)
