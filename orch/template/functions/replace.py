"""``str_replace`` and its stricter forms: placeholders in a text."""

import typing

from orch.plugin import function
from orch.template.text import value_size
from orch.template.text import values as text_values


class StrReplace(function.Function):
    """Gives a text in which placeholders are replaced by values."""

    __slots__ = ()

    is_strict: typing.ClassVar[bool] = False

    def check(self) -> None:
        """Refuse anything but a map with ``template`` and ``params``."""
        arguments = text_values.need_map(self.name, self.arguments)
        if "params" not in arguments or "template" not in arguments:
            raise KeyError(
                f'"{self.name}" syntax should be {self.name}:'
                " {template: text with var1, params: {var1: value}}"
            )
        self._check_params(arguments["params"])

    def _check_params(self, params: object) -> None:
        params = text_values.plain_items(params)
        if not text_values.is_map(params) and not isinstance(
            params, function.Node
        ):
            raise TypeError(f'"{self.name}" parameters must be a mapping')

    def parts(self, scope: function.Scope) -> tuple[object, object]:
        """Return placeholders and text, resolved."""
        arguments = self.resolved(scope)
        assert isinstance(arguments, dict)
        return arguments.get("params"), arguments.get("template")

    def evaluate(self, scope: function.Scope) -> object:
        """Return the text; what was put in is not searched again."""
        params, template = self.parts(scope)
        if not isinstance(template, str):
            raise TypeError(f'"{self.name}" template must be a string')
        if not text_values.is_map(params):
            raise TypeError(f'"{self.name}" params must be a map')
        names = sorted(sorted(params), key=len, reverse=True)
        values = {name: self.text_of(name, params[name]) for name in names}
        scope.spend(len(names) * value_size.text_size(template) // 4)
        return self._replace(template, names, values, scope)

    def _replace(
        self,
        template: str,
        names: list[str],
        values: dict[str, str],
        scope: function.Scope,
    ) -> str:
        # Odd positions hold what was put in; it is not searched again.
        pieces = [template]
        missing = []
        for name in names:
            found: list[str] = []
            for place, piece in enumerate(pieces):
                if place % 2:
                    found.append(piece)
                    continue
                first, *others = piece.split(name)
                found.append(first)
                for other in others:
                    found += (values[name], other)
            if len(found) == len(pieces):
                missing.append(name)
            scope.spend(len(found))
            pieces = found
        if missing and self.is_strict:
            raise ValueError(
                "The following params were not found in the template:"
                f" {','.join(missing)}"
            )
        scope.spend(sum(map(value_size.text_size, pieces)))
        return "".join(pieces)

    def text_of(self, name: str, value: object) -> str:
        """Return a value as the text that replaces its placeholder.

        :raises TypeError: it has no such text
        """
        if value is None:
            return ""
        if isinstance(value, str | int | float):
            return str(value)
        raise TypeError(
            f'"{self.name}" params must be strings or numbers,'
            f" param {name} is not valid"
        )


class CfnReplace(StrReplace):
    """The same for CloudFormation: a list of placeholders and text."""

    __slots__ = ()

    def check(self) -> None:
        """Refuse anything but a list of a map and a text."""
        arguments = text_values.need_list(self.name, self.arguments)
        if len(arguments) != 2:
            raise ValueError(
                f'Incorrect arguments to "{self.name}" should be:'
                f' "{self.name}" : [ {{ "$var1": "foo" }}, "$var1 is" ]'
            )
        self._check_params(arguments[0])

    def parts(self, scope: function.Scope) -> tuple[object, object]:
        """Return placeholders and text, resolved."""
        arguments = self.resolved(scope)
        assert isinstance(arguments, list)
        return arguments[0], arguments[1]


class StrReplaceJson(StrReplace):
    """Gives a text in which placeholders are replaced by values."""

    __slots__ = ()

    def text_of(self, name: str, value: object) -> str:
        """Return a value as text; maps and lists as JSON."""
        if isinstance(value, list | dict):
            return text_values.as_json(value)
        return super().text_of(name, value)


class StrReplaceStrict(StrReplaceJson):
    """Gives a text in which every placeholder was found and replaced."""

    __slots__ = ()

    is_strict = True


class StrReplaceVeryStrict(StrReplaceStrict):
    """Gives a text in which every placeholder got a non-empty value."""

    __slots__ = ()

    def text_of(self, name: str, value: object) -> str:
        """Return a value as text, unless it is empty."""
        if value is None or value in ("", [], {}):
            raise ValueError(
                f"{self.name} has an undefined or empty value for param"
                f" {name}, must be a defined non-empty value"
            )
        return super().text_of(name, value)
