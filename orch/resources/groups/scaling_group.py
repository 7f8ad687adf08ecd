"""Base of the groups of like members, of which any may be removed."""

import abc
import collections.abc
import dataclasses
import hashlib
import itertools
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import members as members_
from orch.plugin import nested_stack
from orch.plugin import signals
from orch.resources.groups import adjustment
from orch.resources.groups import attributes
from orch.resources.groups import batching as group_batching
from orch.resources.groups import membership

_DIGITS: typing.Final = "abcdefghijklmnopqrstuvwxyz234567"
_LENGTH: typing.Final = 12
_MODULUS: typing.Final = 1 << 5 * _LENGTH
_FACTOR: typing.Final = 0x9E3779B97F4A7C1 | 1
_INVERSE: typing.Final = pow(_FACTOR, -1, _MODULUS)
_MAX_NUMBER: typing.Final = 1 << 40
"""Numbers from here on are of names that another installation gave."""


def member_name(token: str, number: int) -> str:
    """Return the name of a member.

    :param number: from 0 on
    """
    left = (_offset(token) + number * _FACTOR) % _MODULUS
    digits = []
    for _ in range(_LENGTH):
        left, digit = divmod(left, 32)
        digits.append(_DIGITS[digit])
    return "".join(digits)


def find_number(token: str, named: str) -> int | None:
    """Return the number of a name, ``None`` where the group gave it not."""
    if len(named) != _LENGTH or not set(named) <= set(_DIGITS):
        return None
    value = 0
    for digit in reversed(named):
        value = value * 32 + _DIGITS.index(digit)
    number = (value - _offset(token)) * _INVERSE % _MODULUS
    return number if number < _MAX_NUMBER else None


def generate_unused_names(
    token: str, first: int, taken: collections.abc.Collection[str]
) -> collections.abc.Iterator[str]:
    """Yield unused names, from a number on, without an end."""
    for number in itertools.count(first):
        found = member_name(token, number)
        if found not in taken:
            yield found


def next_number(
    token: str, known: int, taken: collections.abc.Iterable[str]
) -> int:
    """Return the number above all that were given.

    :param known: what it was before
    """
    numbers = (find_number(token, each) for each in taken)
    given = (number + 1 for number in numbers if number is not None)
    return max((known, *given))


def _offset(token: str) -> int:
    digest = hashlib.sha256(token.encode()).digest()
    return int.from_bytes(digest[:8], "big")


Values = collections.abc.Mapping[str, object]

_NAMED: typing.Final = "named"
"""In the data: the number that the next new member gets."""

_SIZE: typing.Final = "size"
"""In the data: the members that the group shall have."""

_DESIRED: typing.Final = "desired"
"""In the data: the desired size when the size was set. While that is the
same, the size stays, whatever else of the group changes."""

_ADJUSTED: typing.Final = "adjusted_at"
"""In the data: when its size was set last, be it by its creation, a template
or a policy. A retry of the change that followed leaves it, so it does not
begin the cooldown again."""


class ScalingGroup(nested_stack.NestedStackResource):
    """Resources of one definition, between a minimum and a maximum.

    Where it is scalable, policies change the number. It goes back to what is
    desired only when that is changed.
    """

    members: typing.ClassVar[members_.Members]

    prefers_oldest_members: typing.ClassVar[bool] = False
    """Where nothing says how fast members change, they do not change."""

    def bounds(self, properties: Values) -> tuple[int, int]:
        """Return the fewest and the most members."""
        named = self.members
        minimum, maximum = properties[named.minimum], properties[named.maximum]
        return typing.cast("int", minimum), typing.cast("int", maximum)

    def find_desired(self, properties: Values) -> int | None:
        """Return the size that is wanted, until a policy changes that.

        :returns: ``None`` where the properties do not say
        """
        found = properties.get(self.members.count)
        return found if isinstance(found, int) else None

    @abc.abstractmethod
    def definition(
        self, context: call_context.Context
    ) -> membership.Definition:
        """Return what each member shall be.

        :raises orch.errors.Invalid: that cannot be told
        """

    @abc.abstractmethod
    def find_batch_policy(
        self, context: call_context.Context
    ) -> group_batching.BatchPolicy | None:
        """Return how fast members change; ``None`` for all at once.

        :raises orch.errors.Invalid: what is said of it is wrong
        """

    def find_cooldown(self, properties: Values) -> object:
        """Return the seconds in which the size stays; ``None`` for none."""
        return None

    def reference_id(self, context: call_context.Context) -> str:
        """Return the physical name, as Heat does."""
        return context.physical_name

    def data_of(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> Values:
        """Return the size to come, and where the numbers of names go on."""
        there = [member.name for member in members]
        size = self._size(context, members)
        data = {
            **context.data,
            _NAMED: next_number(context.token, _find_number(context), there),
            _SIZE: size,
            _DESIRED: self.find_desired(context.properties),
        }
        cooldown_s = self.find_cooldown(context.properties)
        if cooldown_s and self.is_scalable and size != context.data.get(_SIZE):
            data[_ADJUSTED] = self.clock.now()
        return data

    def adopted_data(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> Values:
        """Return the data of a group that has the members of a document.

        Heat's documents tell no size: it is what policies made of it, not
        what the template desires.
        """
        size = context.data.get(_SIZE)
        if not isinstance(size, int) and members:
            size = len(members)
            desired = self.find_desired(context.properties)
            known = {**context.data, _SIZE: size, _DESIRED: desired}
            context = dataclasses.replace(context, data=known)
        return self.data_of(context, members)

    def stages(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> collections.abc.Sequence[nested_stack.Stage]:
        """Return the next batch, and all members as they shall be."""
        self._check_size(context.properties)
        taken = {member.name for member in members}
        alike = membership.UniformMembers(
            membership.current_members(members),
            lambda: generate_unused_names(
                context.token, _find_number(context), taken
            ),
            self._size(context, members),
            self.definition(context),
        )
        batch_policy = self.find_batch_policy(context)
        if batch_policy is not None and alike.is_outdated:
            return membership.build_stages(alike, batch_policy)
        prefers_oldest = batch_policy is None and self.prefers_oldest_members
        pause_s = batch_policy.pause_s if batch_policy else 0.0
        return [
            membership.build_last_stage(
                alike.end(prefers_oldest=prefers_oldest), pause_s
            )
        ]

    def _check_size(self, properties: Values) -> None:
        """Return only if the group may have the size that it shall have.

        :raises orch.errors.Invalid: it may not
        """
        size_fault = self.members.find_size_fault(properties)
        if size_fault is not None:
            raise errors.Invalid(size_fault.text)

    def resized(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
        resize: signals.Resize,
    ) -> Values | None:
        """Return the data of the group with another size.

        :returns: ``None`` when the size stays, or the group has to settle
        :raises orch.errors.NotSupported: its size is fixed
        """
        if not self.is_scalable:
            return super().resized(context, members, resize)
        now = self.clock.now()
        cooldown_s = self.find_cooldown(context.properties)
        if adjustment.is_too_early(
            now, context.data.get(_ADJUSTED), cooldown_s
        ):
            return None
        before = self._size(context, members)
        size = adjustment.adjusted_size(
            before,
            resize.adjustment_type,
            resize.adjustment,
            resize.min_step,
            self.bounds(context.properties),
        )
        if size == before:
            return None
        data = self.data_of(context, members)
        return {**data, _SIZE: size, _ADJUSTED: now}

    def _size(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> int:
        """Return how many members there shall be.

        A group whose data say nothing, as one that was adopted, keeps those
        that it has.
        """
        bounds = self.bounds(context.properties)
        desired = self.find_desired(context.properties)
        size = context.data.get(_SIZE)
        if isinstance(size, int) and desired == context.data.get(_DESIRED):
            return adjustment.clamp_size(size, bounds)
        if isinstance(desired, int):
            return adjustment.clamp_size(desired, bounds)
        if isinstance(size, int):
            return adjustment.clamp_size(size, bounds)
        return adjustment.clamp_size(
            len(membership.current_members(members)), bounds
        )


def members_of(view: nested_stack.ChildView) -> list[nested_stack.Member]:
    """Return the members that did not fail, the oldest first."""
    return sorted(
        (one for one in attributes.current_members(view) if not one.is_failed),
        key=lambda one: (one.created_at, one.name),
    )


def _find_number(context: call_context.Context) -> int:
    found = context.data.get(_NAMED)
    return found if isinstance(found, int) else 0
