"""Functions that make lists and maps, or pick from them."""

import contextlib

from orch import json_depth
from orch.plugin import function
from orch.template import errors
from orch.template.functions import listed
from orch.template.text import values as text_values


class ListConcat(function.Function):
    """Gives one list of the members of several."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the list."""
        lists = self.resolved(scope)
        if not text_values.is_list(lists):
            raise TypeError(
                f'Incorrect arguments to "{self.name}" should be:'
                f' "{self.name}" : [ [ <value 1>, <value 2> ],'
                " [ <value 3>, <value 4> ] ]"
            )
        joined: list[object] = []
        for one in lists:
            if one is None:
                continue
            if not text_values.is_list(one):
                raise TypeError(
                    "Incorrect arguments: Items to concat must be lists."
                    f" {text_values.as_json(lists)[:500]} contains an item"
                    f" that is not a list: {text_values.as_json(one)[:200]}"
                )
            joined += one
        return joined


class ListConcatUnique(ListConcat):
    """Gives one list of the members of several, each only once."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the list; the first of equals stays."""
        joined = super().evaluate(scope)
        assert isinstance(joined, list)
        return text_values.unique_values(joined)


class Filter(listed.ListFunction):
    """Gives a list without the values named."""

    __slots__ = ()

    def check(self) -> None:
        """Refuse anything but a list of values and list."""
        arguments = text_values.plain_items(self.arguments)
        if not text_values.is_list(arguments):
            raise TypeError(f'Argument to "{self.name}" must be a list')
        if len(arguments) != 2:
            raise ValueError(
                f'"{self.name}" expected 2 arguments of the form'
                f" [values, sequence] but got {len(arguments)} arguments"
                " instead"
            )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the list without them."""
        values, sequence = self.resolved_list(scope)
        if not sequence:
            return sequence
        if not text_values.is_list(sequence):
            raise TypeError(f'"{self.name}" only works with lists')
        if not values:
            return sequence
        if not text_values.is_list(values):
            raise TypeError(f'"{self.name}" filters a list of values')
        return text_values.without_values(sequence, values)


class Contains(listed.ListFunction):
    """Answers whether a list or text has a value in it."""

    __slots__ = ()

    usage = (
        'Incorrect arguments to "{name}" should be:'
        ' "{name}" : [ "value1", [ "value1", "value2"]]'
    )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the answer."""
        value, sequence = self.resolved_list(scope)
        if isinstance(sequence, str) and not isinstance(value, str):
            raise TypeError(f'"{self.name}" looks for a text in a text')
        if not isinstance(sequence, list | str):
            raise TypeError(
                f'Second argument to "{self.name}" should be a sequence.'
            )
        return value in sequence


class Select(listed.ListFunction):
    """Gives the member of a list or map at a position or key."""

    __slots__ = ()

    usage = 'Arguments to "{name}" must be of the form [index, collection]'

    def evaluate(self, scope: function.Scope) -> object:
        """Return the member; an empty text when there is none."""
        index, where = self.resolved_list(scope)
        if isinstance(where, str) and where:
            scope.spend(len(where))
            try:
                where = json_depth.parse_json(where)
            except ValueError as error:
                raise ValueError(f'"{self.name}": {error}') from None
        if where is None or where == "":
            return ""
        return self._pick(index, where)

    def _pick(self, index: object, where: object) -> object:
        if text_values.is_map(where):
            if not isinstance(index, str):
                raise TypeError(f'Index to "{self.name}" must be a string')
            return where.get(index, "")
        if text_values.is_list(where):
            if isinstance(index, str | float):
                with contextlib.suppress(ValueError, OverflowError):
                    index = int(index)
            if not isinstance(index, int):
                raise TypeError(f'Index to "{self.name}" must be an integer')
            try:
                return where[index]
            except IndexError:
                return ""
        raise TypeError(f"Arguments to {self.name} not fully resolved")


class FindInMap(listed.ListFunction):
    """Gives a value of the section ``Mappings``."""

    __slots__ = ()

    size = 3
    usage = (
        'Arguments to "{name}" must be of the form [map_name, key, value_name]'
    )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the value."""
        name, *path = self.resolved_list(scope)
        if not isinstance(name, str):
            raise TypeError(f'Map name in "{self.name}" must be a string')
        return scope.mapping(name, path)


class AvailabilityZones(function.Function):
    """Gives the names of the availability zones."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Refuse: no compute service is there to ask.

        :raises orch.template.errors.FunctionFailed: always
        """
        raise errors.FunctionFailed(
            f'"{self.name}": there is no compute service that could name'
            " availability zones.",
            advice="Name the zones in a parameter.",
        )
