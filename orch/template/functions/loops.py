"""``repeat``: one template for each member of lists."""

import itertools
import math
import typing

from orch.plugin import function
from orch.template.text import value_size
from orch.template.text import values as text_values


class Repeat(function.Function):
    """Gives a list: a template with placeholders, once for each member."""

    __slots__ = ()

    takes_maps: typing.ClassVar[bool] = False

    def check(self) -> None:
        """Refuse anything but a map with ``for_each`` and ``template``."""
        arguments = text_values.need_map(self.name, self.arguments)
        if "for_each" not in arguments or "template" not in arguments:
            raise KeyError(
                f'"{self.name}" syntax should be {self.name}:'
                ' {template: text with %var%, for_each: {"%var%": [a, b]}}'
            )
        for_each = text_values.plain_items(arguments["for_each"])
        if not isinstance(for_each, dict | function.Node):
            raise TypeError(
                f'The "for_each" argument to "{self.name}" must contain a map'
            )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the list; the last placeholder varies fastest."""
        arguments = self.resolved(scope)
        assert isinstance(arguments, dict)
        for_each, template = arguments.get("for_each"), arguments["template"]
        if not text_values.is_map(for_each):
            raise TypeError(
                f'The "for_each" argument to "{self.name}" must contain a map'
            )
        if not for_each:
            raise ValueError(
                f'The "for_each" argument to "{self.name}" must not be empty'
            )
        lists = [self._members(one) for one in for_each.values()]
        names = list(for_each)
        sizes: list[int] = []
        value_size.spend_value_size(template, sizes.append)
        size = sum(sizes) or 1
        done = []
        for values in self.iterations(lists, arguments, scope):
            scope.spend(size * len(names))
            pairs = list(zip(names, values, strict=True))
            done.append(_fill(template, pairs, scope))
        return done

    def iterations(
        self,
        lists: list[list[object]],
        arguments: dict[str, object],
        scope: function.Scope,
    ) -> typing.Iterable[tuple[object, ...]]:
        """Return the members to put in, one tuple a round."""
        scope.spend(math.prod(map(len, lists)))
        return itertools.product(*lists)

    def _members(self, value: object) -> list[object]:
        if value is None:
            return []
        if text_values.is_list(value):
            return value
        if self.takes_maps and text_values.is_map(value):
            return list(value)
        kinds = "lists or maps" if self.takes_maps else "lists"
        raise TypeError(
            f'The values of the "for_each" argument to "{self.name}" must be'
            f" {kinds}"
        )


class RepeatMaps(Repeat):
    """Gives a list: a template, once for each member or key."""

    __slots__ = ()

    takes_maps = True


class RepeatPermutations(RepeatMaps):
    """Gives a list: a template, for each combination or side by side."""

    __slots__ = ()

    def check(self) -> None:
        """Refuse ``permutations`` that is no boolean as well."""
        super().check()
        arguments = text_values.need_map(self.name, self.arguments)
        permutations = arguments.get("permutations", True)
        if not isinstance(permutations, bool | function.Node):
            raise TypeError(
                '"permutations" should be boolean type for'
                f" {self.name} function."
            )

    def iterations(
        self,
        lists: list[list[object]],
        arguments: dict[str, object],
        scope: function.Scope,
    ) -> typing.Iterable[tuple[object, ...]]:
        """Return combinations, or members that stand side by side."""
        permutations = arguments.get("permutations", True)
        if not isinstance(permutations, bool):
            raise TypeError(
                '"permutations" should be boolean type for'
                f" {self.name} function."
            )
        if permutations:
            return super().iterations(lists, arguments, scope)
        if len({len(one) for one in lists}) != 1:
            raise ValueError(
                f"For {self.name}, the length of for_each values should be"
                " equal if no nested loop."
            )
        return zip(*lists, strict=True)


def _fill(
    template: object, values: list[tuple[str, object]], scope: function.Scope
) -> object:
    """Return the template with the placeholders replaced everywhere."""
    if isinstance(template, str):
        return _fill_text(template, values, scope)
    if text_values.is_list(template):
        return [_fill(one, values, scope) for one in template]
    if text_values.is_map(template):
        return {
            _fill_text(key, values, scope): _fill(one, values, scope)
            for key, one in template.items()
        }
    return template


def _fill_text(
    template: str, values: list[tuple[str, object]], scope: function.Scope
) -> str:
    """Return the text with the placeholders replaced, one by one."""
    for name, value in values:
        if not isinstance(value, str):
            raise TypeError(
                f"the member {repr(value)[:100]} that replaces {name}"
                " must be a string"
            )
        places = template.count(name)
        if places:
            scope.spend(places * value_size.text_size(value))
            template = template.replace(name, value)
    return template
