"""A parsed part of a template, and how the parts are parsed."""

import collections.abc
import dataclasses

from orch import errors
from orch.context import function_time
from orch.model import flat_fields
from orch.model import marked
from orch.plugin import function
from orch.template import errors as template_errors
from orch.template import problems
from orch.template import world
from orch.template.language import functions_of_version
from orch.template.language import scope as scope_
from orch.template.text import values as text_values


class List(text_values.Container):
    """A list with nodes among its members."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the list with its members resolved."""
        # No comprehension: in Python 3.11 it costs a frame more a level, and
        # values nest as deep as frames allow.
        values: list[object] = []
        for part in self.parts:
            if isinstance(part, function.Node):
                values.append(_member(len(values), part, scope))
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
        for key, part in self.parts.items():
            if isinstance(part, function.Node):
                values[key] = _member(key, part, scope)
            else:
                values[key] = part
        return values


def _member(
    key: marked.Step, part: function.Node, scope: function.Scope
) -> object:
    """Return the value of a member, or its mark when it is not known yet."""
    if not isinstance(scope, scope_.Scope):
        return part.resolve(scope)
    try:
        return scope.reads.resolve_part(key, part, scope)
    except world.NotYetKnown:
        if not scope.marks_unknown:
            raise
        return world.UNKNOWN


Functions = collections.abc.Mapping[str, functions_of_version.Callee]
Call = tuple[function.Function, template_errors.Path]


@dataclasses.dataclass(frozen=True, slots=True)
class Expression:
    """A value of the template that may hold functions.

    :ivar value: a plain value, a node, or :data:`function.OMITTED`
    :ivar calls: all functions in it, each with its place
    :ivar is_static: it never depends on a resource
    """

    path: template_errors.Path
    value: object
    calls: tuple[Call, ...] = ()
    is_static: bool = True

    def resolve(
        self, scope: function.Scope, key: marked.Step | None = None
    ) -> object:
        """Return the value.

        :param key: under which the value is in what is resolved
        :raises orch.errors.OrchError: whatever a function raised, as one
        """
        if not isinstance(self.value, function.Node):
            return self.value
        try:
            with function_time.running(), problems.values_omitted(scope):
                value = self._resolve(self.value, scope, key)
                scope.weigh(value)
        except errors.OrchError:
            raise
        except Exception as error:
            fault = problems.fault_of(error, self.path)
            raise template_errors.FunctionFailed(fault.message) from error
        return value

    @staticmethod
    def _resolve(
        node: function.Node, scope: function.Scope, key: marked.Step | None
    ) -> object:
        if not isinstance(scope, scope_.Scope):
            return node.resolve(scope)
        if key is None:
            return scope.reads.resolve(node, scope)
        return scope.reads.resolve_part(key, node, scope)

    def references(
        self, scope: function.Scope
    ) -> collections.abc.Iterator[tuple[function.Reference, Call]]:
        """Return all resources that it speaks of, with the place.

        :raises problems.Fault: a function cannot tell
        """
        for call in self.calls:
            try:
                with problems.values_omitted(scope):
                    for reference in call[0].references(scope):
                        yield reference, call
            except world.NotYetKnown:
                continue
            except Exception as error:
                raise problems.fault_of(error, call[1]) from error


@dataclasses.dataclass(frozen=True)
class Dialect:
    """The functions that one kind of place may use.

    :ivar removed: names that an older version of the language had
    :ivar forbidden: names that the language has, and this place refuses
    """

    functions: Functions
    removed: frozenset[str] = frozenset()
    forbidden: frozenset[str] = frozenset()


class Parser:
    """Makes expressions of the parts of one template."""

    def __init__(
        self,
        dialect: Dialect,
        decide: collections.abc.Callable[[object, template_errors.Path], bool]
        | None = None,
        budget: scope_.Budget | None = None,
    ) -> None:
        """Keep what parsing needs.

        :param budget: the time that functions may take to be parsed;
            ``None`` for any
        :param decide: says whether a condition, as written, holds; where
            there are no conditions, ``None``
        """
        self._functions = dialect.functions
        self._unavailable = dialect.removed | dialect.forbidden
        self._dialect = dialect
        self._decide = decide
        self._budget = budget
        self._path: list[str | int] = []
        self._calls: list[Call] = []
        self._dynamic = 0
        self._depth = 0
        self._secret_names = 0

    def expression(
        self, value: object, path: template_errors.Path
    ) -> Expression:
        """Return a part of the template, parsed.

        :raises problems.Fault: a function in it is used wrongly
        """
        if not isinstance(value, dict | list):
            return Expression(path, value)
        self._path = list(path)
        self._calls = []
        self._dynamic = 0
        self._depth = 0
        try:
            parsed = self.parse(value)
        except RecursionError as error:
            raise problems.fault_of(error, path) from None
        if self._calls and self._budget is not None:
            self._budget.check_time()
        return Expression(path, parsed, tuple(self._calls), self._dynamic == 0)

    def parse(self, value: object) -> object:
        """Return a part with its functions as nodes; plain parts as is."""
        if isinstance(value, dict):
            return self._map(value)
        if isinstance(value, list):
            return self._list(value)
        return value

    def is_enabled(self, condition: object) -> bool:
        """Answer whether a condition, as written, holds."""
        if self._decide is None:
            raise ValueError("Conditions are not possible here")
        return self._decide(condition, tuple(self._path))

    def _map(self, value: dict[str, object]) -> object:
        if len(value) == 1:
            ((name, arguments),) = value.items()
            callee = self._functions.get(name)
            if callee is not None:
                return self._call(name, callee, arguments)
            if name in self._unavailable:
                self._refuse(name)
        dynamic = self._dynamic
        parts: dict[str, object] | None = None
        for key, one in value.items():
            if self._depth and one is not None:
                self._secret_names += flat_fields.is_secret(str(key))
            if not isinstance(one, dict | list):
                continue
            self._path.append(key)
            parsed = self.parse(one)
            self._path.pop()
            if parsed is not one:
                if parts is None:
                    parts = dict(value)
                if parsed is function.OMITTED:
                    del parts[key]
                else:
                    parts[key] = parsed
        if parts is None:
            return value
        return self._container(Map(parts), dynamic)

    def _list(self, value: list[object]) -> object:
        dynamic = self._dynamic
        parts: list[object] | None = None
        for place, one in enumerate(value):
            if isinstance(one, dict | list):
                self._path.append(place)
                parsed = self.parse(one)
                self._path.pop()
                if parsed is not one and parts is None:
                    parts = value[:place]
                one = parsed
            if parts is not None and one is not function.OMITTED:
                parts.append(one)
        if parts is None:
            return value
        return self._container(List(parts), dynamic)

    def _container(self, node: List | Map, dynamic: int) -> function.Node:
        node.is_static = dynamic == self._dynamic
        return node

    def _call(
        self, name: str, callee: functions_of_version.Callee, arguments: object
    ) -> object:
        self._path.append(name)
        dynamic = self._dynamic
        secret_names = self._secret_names
        try:
            with function_time.running():
                if issubclass(callee, function.Macro):
                    expanded = callee.expand(name, arguments, self)
                    self._path.pop()
                    return expanded
                self._depth += 1
                parsed = self.parse(arguments)
                self._depth -= 1
                if parsed is function.OMITTED:
                    parsed = None
                node = callee(name, parsed)
        except Exception as error:
            raise problems.fault_of(error, tuple(self._path)) from error
        if not callee.is_pure:
            self._dynamic += 1
        node.is_static = dynamic == self._dynamic
        node.has_secret_names = secret_names < self._secret_names
        self._calls.append((node, tuple(self._path)))
        self._path.pop()
        return node

    def _refuse(self, name: str) -> None:
        path = (*self._path, name)
        if name in self._dialect.forbidden:
            raise problems.Fault(
                path, f'The function "{name}" is invalid in this context'
            )
        raise problems.Fault(
            path,
            "The template version is invalid: The function"
            f" {name} is not supported in this version of HOT.",
        )
