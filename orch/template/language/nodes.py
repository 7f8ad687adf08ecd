"""Lists and maps of a parsed template that have functions in them."""

from orch.plugin import function
from orch.template import world
from orch.template.language import scope as scope_
from orch.template.text import values as text_values


class List(text_values.Container):
    """A list with nodes among its members."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the list with its members resolved."""
        values = []
        marks = isinstance(scope, scope_.Scope) and scope.marks_unknown
        for part in self.parts:
            if isinstance(part, function.Node):
                values.append(_member(part, scope, marks))
            else:
                values.append(part)
        return values


class Map(text_values.Container):
    """A map with nodes among its values."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the map with its values resolved."""
        assert isinstance(self.parts, dict)
        values = {}
        marks = isinstance(scope, scope_.Scope) and scope.marks_unknown
        for key, part in self.parts.items():
            if isinstance(part, function.Node):
                values[key] = _member(part, scope, marks)
            else:
                values[key] = part
        return values


def _member(
    part: function.Node, scope: function.Scope, marks_unknown: bool
) -> object:
    """Return the value of a member, or its mark when it is not known yet."""
    if not marks_unknown:
        return part.resolve(scope)
    try:
        return part.resolve(scope)
    except world.NotYetKnown:
        return world.UNKNOWN
