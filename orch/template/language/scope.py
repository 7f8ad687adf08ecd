"""What functions see while a template is resolved."""

import collections
import collections.abc
import dataclasses
import typing

from orch.context import deadline
from orch.context import function_time
from orch.model import flat_fields
from orch.model import marked
from orch.model import presigned
from orch.plugin import function
from orch.plugin import nested_stack
from orch.template import errors
from orch.template import inputs
from orch.template import problems
from orch.template import world as world_
from orch.template.text import value_size
from orch.template.text import values

_LOOK_WORK: typing.Final = 10_000
"""Work after which the time is looked at again, a few milliseconds."""


Checked = dict[int, tuple[object, bool, tuple[str, ...]]]
"""Values by their ids, whether something in them has the name of a secret,
and the addresses in them that are proof by themselves.
"""


class Budget:
    """How much work is left for the functions of one pass."""

    def __init__(self, limits: inputs.Limits, work: int | None = None) -> None:
        """Spend nothing yet.

        :param work: the work of the pass, where that is less than in a pass
            over all of a template
        """
        self._total = limits.work if work is None else work
        self._left = self._total
        self._next_look = self._total
        self._function_s = limits.function_s

    def spend(self, work: int) -> None:
        """Take work away.

        :raises orch.template.errors.WorkExceeded: no work is left, or no
            processor time of the request
        :raises orch.context.deadline.DeadlineExceeded: the caller of the
            request waits no longer
        """
        self._left -= work
        if self._left < 0 <= self._total:
            raise errors.WorkExceeded(
                "The template makes more than it may: its values and what"
                f" its functions do come to more than {self._total} items."
            )
        if self._left < self._next_look:
            self.check_time()
            self._next_look = self._left - _LOOK_WORK

    def check_time(self) -> None:
        """Raise an error if the request has no time left.

        :raises orch.template.errors.WorkExceeded: no processor time is left
        :raises orch.context.deadline.DeadlineExceeded: the caller of the
            request waits no longer
        """
        deadline.check()
        if 0 <= self._function_s < function_time.spent_s():
            raise errors.WorkExceeded(
                "The functions of the templates take longer than they may:"
                f" {self._function_s:g} seconds of processor time in one"
                " request. Let them compute less, or shorter texts."
            )


class Values(typing.Protocol):
    """The values of a template's parameters."""

    def __contains__(self, name: object) -> bool: ...

    def value(self, name: str) -> object:
        """Return the value of a parameter."""


class Shape(typing.Protocol):
    """What the template itself says of its resources."""

    def attribute_names(self, resource: str) -> collections.abc.Sequence[str]:
        """Return the attributes that a resource declares."""

    def check_attribute(self, resource: str, attribute: str | None) -> None:
        """Refuse a resource or attribute that does not exist."""

    def is_nested_stack(self, resource: str) -> bool:
        """Answer whether a resource is a stack of its own."""


class Conditions(typing.Protocol):
    """The conditions of a template."""

    def is_enabled(self, condition: object) -> bool:
        """Answer whether a condition holds."""


@dataclasses.dataclass(frozen=True)
class Statics:
    """What is the same for every resource of a template.

    :ivar sensitive: the parameters whose values are sensitive, or that have
        the name of a secret
    :ivar around: what the stack knows of those around it
    :ivar checked: lists and maps that parameters and mappings have
    """

    values: Values
    files: collections.abc.Mapping[str, str]
    mappings: collections.abc.Mapping[str, object]
    query_limits: tuple[int, int]
    sensitive: frozenset[str] = frozenset()
    around: inputs.ParentContext = inputs.NO_PARENT
    checked: Checked = dataclasses.field(default_factory=dict)


class SensitiveReads:
    """Notes where values are that something sensitive was read for.

    What a function returns is sensitive if anything that was read while it
    ran is, whatever it made of that: a digest, a piece. Of a value that has
    parts with names of secrets, nothing is noted where a function returns it
    as it is: the names are still there. An address that is proof by itself is
    recognized wherever it is whole, so what has each one in it that was read
    is not sensitive for that; a piece of one is.
    """

    __slots__ = (
        "_addresses",
        "_checked",
        "_count",
        "_functions",
        "_named",
        "_path",
        "_paths",
    )

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._count = 0
        self._named: object = ()
        self._checked: Checked = {}
        self._addresses: list[str] = []
        self._functions = 0
        self._path: list[marked.Step] = []
        self._paths: list[marked.Path] = []

    @property
    def count(self) -> int:
        """How many sensitive values and such addresses were read."""
        return self._count + len(self._addresses)

    def note(
        self,
        value: object,
        *,
        is_sensitive: bool,
        checked: Checked | None = None,
    ) -> None:
        """Note that a value was read.

        :param is_sensitive: all of it; where not, parts of it may be, by
            their names
        :param checked: values that were looked at before; ``None`` for those
            of this pass
        """
        if is_sensitive:
            self._count += 1
        elif isinstance(value, str):
            self._addresses += _find_addresses(value)
        elif isinstance(value, dict | list):
            checked = self._checked if checked is None else checked
            # A value that is kept has no other's id.
            if id(value) not in checked:
                checked[id(value)] = (
                    value,
                    any(marked.find_named(value)),
                    tuple(_find_addresses(value)),
                )
            _, has_named, addresses = checked[id(value)]
            if has_named:
                self._count += 1
                self._named = value
            self._addresses += addresses

    def resolve(self, node: function.Node, scope: function.Scope) -> object:
        """Return the value of a node; note where it is sensitive."""
        if isinstance(node, values.Container):
            return node.resolve(scope)
        before, addresses = self._count, len(self._addresses)
        # What is read is not kept for the next pass, so each one notes it.
        self._count += node.has_secret_names
        value: object = function.OMITTED
        self._functions += 1
        try:
            value = node.resolve(scope)
        finally:
            self._functions -= 1
            if not self._functions and (
                self._count > before + (value is self._named)
                or not _has_all(value, self._addresses[addresses:])
            ):
                self._paths.append(tuple(self._path))
        return value

    def resolve_part(
        self, key: marked.Step, node: function.Node, scope: function.Scope
    ) -> object:
        """Return the value of a part of a container, as :meth:`resolve`."""
        self._path.append(key)
        try:
            return self.resolve(node, scope)
        finally:
            self._path.pop()

    def take_paths(self) -> marked.Paths:
        """Return the paths that were noted since the last call."""
        found = tuple(self._paths)
        self._paths.clear()
        return found


def _find_addresses(value: object) -> collections.abc.Iterator[str]:
    """Yield the addresses in a value that are proof by themselves."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            yield from presigned.find_presigned(part)
        elif isinstance(part, collections.abc.Mapping):
            pending += part.values()
        elif isinstance(part, list | tuple):
            pending += part


def _has_all(value: object, addresses: list[str]) -> bool:
    """Whether a value has each of the addresses in it, as often as here."""
    if not addresses:
        return True
    found = list(_find_addresses(value))
    return all(
        sum(each.count(address) for each in found) >= times
        for address, times in collections.Counter(addresses).items()
    )


@dataclasses.dataclass(frozen=True)
class Scope:
    """One pass: the statics, and the world as it is now.

    :ivar marks_unknown: values that are not known yet are marked where they
        stand, instead of ending the pass
    :ivar reads: what was read that is sensitive
    """

    statics: Statics
    conditions: Conditions
    shape: Shape
    world: world_.World
    budget: Budget
    marks_unknown: bool = False
    reads: SensitiveReads = dataclasses.field(default_factory=SensitiveReads)

    @property
    def sensitive_reads(self) -> int:
        """How many sensitive values have been read in this pass."""
        return self.reads.count

    @property
    def argument_scope(self) -> "Scope":
        """The scope in which arguments are resolved: no marks in there."""
        if not self.marks_unknown:
            return self
        return dataclasses.replace(self, marks_unknown=False)

    @property
    def query_limits(self) -> tuple[int, int]:
        """How many iterations and bytes a query may take."""
        return self.statics.query_limits

    def parameter(
        self, name: str, path: collections.abc.Sequence[object] = ()
    ) -> object:
        """Return the value of a parameter, or a part of it.

        :raises KeyError, IndexError, TypeError, ValueError: the path leads
            nowhere
        """
        found = self.statics.values.value(name)
        for step in path:
            found = values.value_at(found, [values.position(found, step)])
        self.reads.note(
            found,
            is_sensitive=name in self.statics.sensitive or _has_secret(path),
            checked=self.statics.checked,
        )
        return found

    def has_parameter(self, name: str) -> bool:
        """Answer whether the template has that parameter."""
        return name in self.statics.values

    def file(self, name: str) -> str | None:
        """Return the text of a file that came with the template."""
        return self.statics.files.get(name)

    def mapping(
        self, name: str, path: collections.abc.Sequence[object] = ()
    ) -> object:
        """Return a map of the section ``Mappings``, or a part of it."""
        if name not in self.statics.mappings:
            raise errors.FunctionFailed(
                f'There is no map "{name}" in Mappings.',
                advice=problems.suggest_name(name, self.statics.mappings),
            )
        found = self.statics.mappings[name]
        for step in path:
            try:
                found = values.value_at(found, [step])
            except (KeyError, IndexError, TypeError):
                raise errors.FunctionFailed(
                    f'The map "{name}" has no "{step}".',
                    advice=problems.suggest_name(
                        str(step), found if isinstance(found, dict) else ()
                    ),
                ) from None
        self.reads.note(
            found,
            is_sensitive=_has_secret((name, *path)),
            checked=self.statics.checked,
        )
        return found

    def is_enabled(self, condition: object) -> bool:
        """Answer whether a condition holds."""
        return self.conditions.is_enabled(condition)

    def reference_id(self, resource: str) -> object:
        """Return what stands for a resource."""
        self.shape.check_attribute(resource, None)
        found = self.world.reference_id(resource)
        self.reads.note(
            found, is_sensitive=self.world.is_sensitive(resource, None, found)
        )
        return found

    def attribute(
        self,
        resource: str,
        attribute: str,
        path: collections.abc.Sequence[object] = (),
    ) -> object:
        """Return the value of an attribute of a resource, or a part of it.

        What a resource that holds a stack shows depends on the whole path.

        :raises KeyError, IndexError, TypeError: the path leads nowhere
        """
        self.shape.check_attribute(resource, attribute)
        key, rest = attribute, path
        if path and self.shape.is_nested_stack(resource):
            key, rest = nested_stack.path_key((attribute, *path)), ()
        found = values.value_at(self.world.attribute(resource, key), rest)
        self.reads.note(
            found,
            is_sensitive=_has_secret(path)
            or self.world.is_sensitive(resource, key, found),
        )
        return found

    def attribute_names(self, resource: str) -> collections.abc.Sequence[str]:
        """Return the names of the attributes that a resource declares."""
        return self.shape.attribute_names(resource)

    def check_attribute(self, resource: str, attribute: str | None) -> None:
        """Refuse a resource or attribute that does not exist."""
        self.shape.check_attribute(resource, attribute)

    def facade(self, part: str) -> object:
        """Return a part of the resource that holds this stack."""
        around = self.statics.around
        if around.facade is None:
            raise ValueError("no resource of another stack holds this one")
        value = around.facade[part]
        if world_.has_unknown(value):
            raise world_.NotYetKnown(f"the {part} is not known yet")
        self.reads.note(value, is_sensitive=around.has_sensitive_facade)
        return value

    def spend(self, work: int) -> None:
        """Count work against the limit of the pass."""
        self.budget.spend(work)

    def weigh(self, value: object) -> None:
        """Count a value, with all in it, against the limit of the pass."""
        value_size.spend_value_size(value, self.budget.spend)


def _has_secret(path: collections.abc.Iterable[object]) -> bool:
    """Answer whether a step of a path has the name of a secret."""
    return any(flat_fields.is_secret(str(each)) for each in path)
