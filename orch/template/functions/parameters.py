"""``get_param``: the value of a parameter, or a part of it."""

from orch.plugin import function
from orch.template.text import values


class GetParam(function.Function):
    """Gives a parameter's value; further arguments are a path into it."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the value; an empty text where the path leads nowhere."""
        arguments = self.resolved(scope)
        if not arguments:
            raise ValueError(f'Function "{self.name}" must have arguments')
        if isinstance(arguments, str):
            return scope.parameter(arguments)
        if not values.is_list(arguments):
            raise TypeError(
                f'Argument to "{self.name}" must be string or list'
            )
        name, *path = arguments
        if not isinstance(name, str):
            raise TypeError(f'Parameter name in "{self.name}" must be string')
        if not path:
            return scope.parameter(name)
        try:
            return scope.parameter(name, path)
        except (KeyError, IndexError, TypeError, ValueError):
            return ""
