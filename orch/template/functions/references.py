"""Functions that speak of resources: their ids and attributes."""

import collections.abc

from orch import errors
from orch.plugin import function
from orch.template.functions import listed
from orch.template.text import values


class GetResource(function.Function):
    """Returns the reference of a resource, usually its physical id."""

    __slots__ = ()

    is_pure = False

    def check(self) -> None:
        """Refuse anything but the name of a resource.

        A number, boolean or null is a name that no resource has.
        """
        if isinstance(values.plain_items(self.arguments), list | dict):
            raise TypeError(
                f'Argument to "{self.name}" must be the name of a resource'
            )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the reference id."""
        return scope.reference_id(self._resource(scope))

    def references(
        self, scope: function.Scope
    ) -> collections.abc.Iterable[function.Reference]:
        """Return the resource."""
        yield function.Reference(self._resource(scope))

    def _resource(self, scope: function.Scope) -> str:
        name = self.resolved(scope)
        if isinstance(name, list | dict):
            raise TypeError(
                f'Argument to "{self.name}" must be the name of a resource'
            )
        return str(name)


class Ref(GetResource):
    """Returns a parameter's value, or else the reference of a resource."""

    __slots__ = ()

    def check(self) -> None:
        """Refuse anything but a name as it is."""
        super().check()
        if isinstance(self.arguments, function.Node):
            raise TypeError(f'"{self.name}" takes a name, not a function')

    def evaluate(self, scope: function.Scope) -> object:
        """Return the parameter's value or the reference id."""
        name = self._resource(scope)
        if scope.has_parameter(name):
            return scope.parameter(name)
        return scope.reference_id(name)

    def references(
        self, scope: function.Scope
    ) -> collections.abc.Iterable[function.Reference]:
        """Return the resource, when it is one."""
        name = self._resource(scope)
        if not scope.has_parameter(name):
            yield function.Reference(name, is_loose=True)


class GetAttr(listed.ListFunction):
    """Gives the value of a resource's attribute, or a part of it."""

    __slots__ = ()

    is_pure = False
    usage = (
        'Arguments to "{name}" must be of the form'
        " [resource_name, attribute, (path), ...]"
    )
    least = 2

    def check(self) -> None:
        """Refuse anything but a list that names a resource."""
        arguments = values.plain_items(self.arguments)
        if not values.is_list(arguments):
            raise TypeError(f'Argument to "{self.name}" must be a list')
        if len(arguments) < self.least:
            raise ValueError(self.usage.format(name=self.name))

    def evaluate(self, scope: function.Scope) -> object:
        """Return the value; ``None`` where the path leads nowhere."""
        resource, attribute, *path = self.resolved_list(scope)
        if not isinstance(resource, str) or not isinstance(attribute, str):
            raise TypeError(self.usage.format(name=self.name))
        try:
            return scope.attribute(resource, attribute, path)
        except (KeyError, IndexError, TypeError):
            return None

    def inspect(self, scope: function.Scope) -> None:
        """Refuse an attribute that the resource does not declare."""
        # The path says nothing of that, and may be long.
        resource, attribute = (
            function.resolve(part, scope.argument_scope)
            for part in values.need_list(self.name, self.arguments)[:2]
        )
        if not isinstance(resource, str) or not isinstance(attribute, str):
            raise TypeError(self.usage.format(name=self.name))
        scope.check_attribute(resource, attribute)

    def references(
        self, scope: function.Scope
    ) -> collections.abc.Iterable[function.Reference]:
        """Return resource and attribute."""
        parts = values.need_list(self.name, self.arguments)
        named = function.resolve(parts[0], scope.argument_scope)
        if isinstance(named, list | dict):
            raise TypeError(f'Resource name in "{self.name}" must be a string')
        resource = str(named)
        if len(parts) < 2:
            yield function.Reference(resource, is_open=True)
            return
        try:
            attribute = function.resolve(parts[1], scope.argument_scope)
        except errors.OrchError:
            attribute = None
        if isinstance(attribute, str):
            path = _known(parts[2:], scope)
            yield function.Reference(resource, attribute, path=path)
        else:
            yield function.Reference(resource, is_open=True)


class GetAttrOrAll(GetAttr):
    """The same; without an attribute's name it gives a map of all."""

    __slots__ = ()

    usage = (
        'Arguments to "{name}" can be of the next forms: [resource_name] or'
        " [resource_name, attribute, (path), ...]"
    )
    least = 1

    def _named(self) -> list[object]:
        """Return the arguments; a null stands for no attribute's name."""
        parts = values.need_list(self.name, self.arguments)
        return parts[:1] if parts[1:] == [None] else parts

    def inspect(self, scope: function.Scope) -> None:
        """Refuse a resource, or attribute, that does not exist."""
        parts = self._named()
        if len(parts) > 1:
            super().inspect(scope)
        else:
            name = function.resolve(parts[0], scope.argument_scope)
            scope.check_attribute(str(name), None)

    def evaluate(self, scope: function.Scope) -> object:
        """Return the attribute's value, or the map of all."""
        parts = self._named()
        if len(parts) > 1:
            return super().evaluate(scope)
        name = function.resolve(parts[0], scope.argument_scope)
        if not isinstance(name, str):
            raise TypeError(self.usage.format(name=self.name))
        return {
            attribute: scope.attribute(name, attribute)
            for attribute in scope.attribute_names(name)
        }


class CfnGetAtt(GetAttr):
    """The same for CloudFormation: resource and attribute, no path."""

    __slots__ = ()

    usage = (
        'Arguments to "{name}" must be of the form [resource_name, attribute]'
    )

    def check(self) -> None:
        """Refuse anything but a list of two."""
        super().check()
        listed.ListFunction.check(self)


def _known(
    parts: collections.abc.Iterable[object], scope: function.Scope
) -> tuple[object, ...]:
    """Return a path; empty when it depends on what is not known yet."""
    try:
        return tuple(
            function.resolve(part, scope.argument_scope) for part in parts
        )
    except errors.OrchError:
        return ()
