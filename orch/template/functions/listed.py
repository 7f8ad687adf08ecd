"""The base of functions whose arguments are a list of fixed length."""

import typing

from orch.plugin import function
from orch.template.text import values


class ListFunction(function.Function):
    """A function that takes a list of :attr:`size` arguments.

    :cvar usage: the error of other arguments; ``{name}`` in it is the name
        of the function
    """

    __slots__ = ()

    size: typing.ClassVar[int] = 2
    usage: typing.ClassVar[str]

    def check(self) -> None:
        """Refuse anything but a list of that length."""
        arguments = values.plain_items(self.arguments)
        if not values.is_list(arguments) or len(arguments) != self.size:
            raise ValueError(self.usage.format(name=self.name))

    def resolved_list(self, scope: function.Scope) -> list[object]:
        """Return the values of the arguments, counted as work."""
        arguments = self.resolved(scope)
        assert isinstance(arguments, list)
        return arguments
