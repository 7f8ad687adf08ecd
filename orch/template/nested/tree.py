"""Stacks in stacks as they are read before they exist, each kind once."""

import collections
import collections.abc
import dataclasses
import math
import typing

from orch.template import body as body_
from orch.template import inputs
from orch.template import load_request as setting_
from orch.template import problems
from orch.template import resource_count
from orch.template import source as source_
from orch.template import world
from orch.template.environment import registry
from orch.template.parameters import values as parameters_
from orch.template.resources import declaration

_MAX_VARIANTS: typing.Final = 16
"""Sets of values with which one template is checked in one place."""

_MIN_TEXT: typing.Final = 300_000
"""Characters of nested templates that may be checked for any request."""

_TEXT_SHARE: typing.Final = 3
"""How often all templates of a request may be checked beyond that."""

_MAX_TEXT_SHOWN: typing.Final = 5_000_000
"""Characters of nested templates of which one answer may tell."""

_MAX_SHOWN: typing.Final = 100_000
"""Resources in an answer, where they are not limited."""

Values = collections.abc.Mapping[str, object]
_Key = tuple[object, ...]


@dataclasses.dataclass(frozen=True)
class Nested:
    """One stack in a stack.

    :ivar resource: the resource that holds it
    :ivar counts: how many resources stand for each one in its body, where
        that is not one
    :ivar is_numbered: these differ, by a number in their properties
    """

    resource: declaration.Declaration
    source: source_.Source
    parameters: parameters_.Parameters
    body: body_.Body
    context: setting_.LoadContext
    counts: collections.abc.Mapping[str, int]
    is_numbered: bool

    @property
    def has_unlike_stacks(self) -> bool:
        """Whether a stack in its body stands for others of other sizes."""
        return self.is_numbered and any(
            each.is_nested_stack
            for each in self.body.resources.parsed.values()
        )


class Tree:
    """The stacks below one stack; those that are alike are read once.

    Templates that name one another may describe far more stacks than
    anybody could run. How much of them is read grows with their text alone.
    """

    def __init__(
        self,
        defaults: parameters_.Given,
        text: int,
        max_variants: int,
        max_resources: int = -1,
    ) -> None:
        """Read nothing yet.

        :param defaults: of parameters, by name; they hold for all stacks
        :param text: how many characters may be read in all
        :param max_variants: with how many sets of values one template is
            read in one place
        :param max_resources: of all stacks that are shown
        """
        self.count = resource_count.ResourceCount(max_resources)
        self._defaults = defaults
        self._left = text
        self._max_variants = max_variants
        self._variants: collections.Counter[_Key] = collections.Counter()
        self._read: dict[_Key, Nested] = {}
        self._reported: dict[_Key, problems.Fault] = {}
        self._below: dict[tuple[int, str], Nested | None] = {}
        self._sizes: dict[int, float] = {}

    @classmethod
    def to_check(
        cls,
        defaults: parameters_.Given,
        files: collections.abc.Mapping[str, str],
    ) -> "Tree":
        """Return one that reads as much as is needed to see what is wrong.

        What is not looked at is checked when its stack is made.
        """
        size = sum(
            len(text)
            for name, text in files.items()
            if registry.is_template(name)
        )
        return cls(defaults, _MIN_TEXT + _TEXT_SHARE * size, _MAX_VARIANTS)

    @classmethod
    def to_show(
        cls, defaults: parameters_.Given, limits: inputs.Limits
    ) -> "Tree":
        """Return one that reads all stacks."""
        limit = limits.resources if limits.resources >= 0 else _MAX_SHOWN
        return cls(defaults, _MAX_TEXT_SHOWN, _MAX_SHOWN, limit)

    def bodies(self) -> list[body_.Body]:
        """Return the templates of all stacks that were looked at."""
        return [one.body for one in self._read.values()]

    def is_new_fault(self, fault: problems.Fault) -> bool:
        """Answer whether a fault of a nested template was not told yet.

        Stacks of one template with different values share its faults.
        """
        key = id(fault.document), fault.path, fault.message
        return self._reported.setdefault(key, fault) is fault

    def place(
        self, body: body_.Body, resource: str, nested: Nested | None
    ) -> None:
        """Record the stack that a resource holds.

        :param nested: ``None`` where it is not read
        """
        self._below[id(body), resource] = nested

    def estimate_size(self, body: body_.Body) -> float:
        """Return about how many resources a stack has, with those below it.

        Members of a group count as the first one does; what is not known
        before the run counts as little as it can be.

        :returns: infinity where a stack below was not read, or where stacks
            that are members of a group differ by their number
        """
        return self._size(body, {})

    def _size(
        self, body: body_.Body, counts: collections.abc.Mapping[str, int]
    ) -> float:
        if id(body) not in self._sizes:
            self._sizes[id(body)] = sum(
                count * (1 + self._size_below(body, name))
                for name in body.resources.parsed
                if (count := counts.get(name, 1))
            )
        return self._sizes[id(body)]

    def _size_below(self, body: body_.Body, resource: str) -> float:
        place = id(body), resource
        if place not in self._below:
            return 0
        nested = self._below[place]
        if nested is None or nested.has_unlike_stacks:
            return math.inf
        return self._size(nested.body, nested.counts)

    def enter(
        self,
        declared: declaration.Declaration,
        source: source_.Source,
        values: Values,
        around: inputs.ParentContext,
        context: setting_.LoadContext,
        counts: collections.abc.Mapping[str, int],
        *,
        is_numbered: bool = False,
    ) -> tuple[Nested, bool] | None:
        """Return the stack that a resource holds, and whether it is new.

        :param source: the template of the stack
        :param values: its parameters, as far as they are known
        :param around: what it knows of the stacks around it
        :param context: that of the template with the resource
        :param counts: see :class:`Nested`
        :param is_numbered: see :class:`Nested`
        :returns: ``None`` when too much was read already
        """
        type_map = context.type_map.below(
            declared.name, declared.declared_type
        )
        given = {
            name: world.UNKNOWN if world.has_unknown(value) else value
            for name, value in values.items()
            if value is not None
        }
        place: _Key = id(source), id(type_map), around.depth
        key = (
            *place,
            *map(_key, (given, around.facade or {})),
            around.sensitive_parameters,
            around.sensitive_parts,
            around.has_sensitive_facade,
        )
        if key in self._read:
            return self._read[key], False
        self._variants[place] += 1
        if self._variants[place] > self._max_variants:
            return None
        self._left -= source.document.size + 1
        if self._left < 0:
            return None
        self._read[key] = self._nested(
            declared,
            source,
            given,
            dataclasses.replace(context, type_map=type_map, around=around),
            counts,
            is_numbered=is_numbered,
        )
        return self._read[key], True

    def _nested(
        self,
        declared: declaration.Declaration,
        source: source_.Source,
        given: Values,
        context: setting_.LoadContext,
        counts: collections.abc.Mapping[str, int],
        *,
        is_numbered: bool,
    ) -> Nested:
        parameters = parameters_.Parameters(
            source_.with_defaults(source.schemas, self._defaults),
            parameters_.UserValues(given, self._defaults),
            parameters_.pseudo_parameters(
                source.version.format, context.identity
            ),
            limits=context.limits,
            is_strict=False,
        )
        body = setting_.begin_body(source, parameters, context)
        body.read(parameters)
        return Nested(
            declared, source, parameters, body, context, counts, is_numbered
        )


def _key(values: Values) -> _Key:
    """Return what tells values apart, without looking into large ones."""
    return tuple(
        (
            name,
            type(value),
            id(value) if isinstance(value, dict | list) else value,
        )
        for name, value in values.items()
    )
