"""Functions of conditions, and ``if``, which reads them."""

import typing

from orch.plugin import function
from orch.template.functions import listed
from orch.template.text import values


class Equals(listed.ListFunction):
    """Answers whether two values are equal."""

    __slots__ = ()

    usage = 'Arguments to "{name}" must be of the form: [value_1, value_2]'

    def evaluate(self, scope: function.Scope) -> object:
        """Return the answer."""
        one, other = self.resolved_list(scope)
        return one == other


class Not(function.Function):
    """Answers whether a condition does not hold."""

    __slots__ = ()

    def check(self) -> None:
        """Refuse no condition, or many."""
        if isinstance(values.plain_items(self.arguments), list) or (
            self.arguments in ("", None)
        ):
            raise ValueError(
                f'Arguments to "{self.name}" must be of the form: condition'
            )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the answer."""
        return not scope.is_enabled(self.resolved(scope))


class NotList(listed.ListFunction):
    """Answers whether the only condition of a list does not hold."""

    __slots__ = ()

    size = 1
    usage = 'Arguments to "{name}" must be of the form: [condition]'

    def evaluate(self, scope: function.Scope) -> object:
        """Return the answer."""
        return not scope.is_enabled(self.resolved_list(scope)[0])


class And(function.Function):
    """Answers whether all conditions hold."""

    __slots__ = ()

    ends_with: typing.ClassVar[bool] = False

    def check(self) -> None:
        """Refuse anything but a list of two or more."""
        arguments = values.plain_items(self.arguments)
        if not values.is_list(arguments):
            raise TypeError(
                f'Arguments to "{self.name}" must be a list of conditions'
            )
        if len(arguments) < 2:
            raise ValueError(
                "The minimum number of condition arguments to"
                f' "{self.name}" is 2.'
            )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the answer; conditions after the decisive one stay unread."""
        arguments = values.need_list(self.name, self.arguments)
        for argument in arguments:
            condition = function.resolve(argument, scope.argument_scope)
            if scope.is_enabled(condition) is self.ends_with:
                return self.ends_with
        return not self.ends_with


class Or(And):
    """Answers whether at least one condition holds."""

    __slots__ = ()

    ends_with = True


class If(function.Macro):
    """Evaluates to one of two values; without the second, to nothing."""

    sizes: typing.ClassVar[tuple[int, ...]] = (2, 3)

    @classmethod
    def expand(
        cls, name: str, arguments: object, parser: function.Parser
    ) -> object:
        """Return the value that the condition chooses."""
        if not values.is_list(arguments) or len(arguments) not in cls.sizes:
            raise ValueError(
                f'Arguments to "{name}" must be of the form: [condition_name,'
                " value_if_true, value_if_false]"
            )
        if parser.is_enabled(arguments[0]):
            return parser.parse(arguments[1])
        if len(arguments) == 2:
            return function.OMITTED
        return parser.parse(arguments[2])


class IfThree(If):
    """Evaluates to one of two values."""

    sizes = (3,)
