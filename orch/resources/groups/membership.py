"""The next members of a group, and their definitions."""

import collections.abc
import dataclasses
import json
import typing

from orch import errors
from orch.plugin import nested_stack
from orch.resources.groups import batching as group_batching

Definition = collections.abc.Mapping[str, object]
Define = collections.abc.Callable[[str], Definition]
"""Returns the definition that a member of this name shall have."""

_VERSION: typing.Final = "2015-04-30"

MAX_MEMBERS: typing.Final = 100_000
"""More members are not even counted against the limits of a stack: to write
them down would take all memory of a worker."""


@dataclasses.dataclass(frozen=True, slots=True)
class Membership:
    """The members of a group by name, for one stage of its stack.

    :ivar is_end: they are all that is wanted
    """

    members: collections.abc.Mapping[str, Definition]
    is_end: bool


def check_size(desired: int) -> None:
    """Return only if a group may have so many members.

    :raises orch.errors.LimitExceeded: no group may
    """
    if desired > MAX_MEMBERS:
        raise errors.LimitExceeded(
            f"Request limit exceeded: a group has at most {MAX_MEMBERS}"
            " members,"
            f" not {desired}."
        )


def current_members(
    members: collections.abc.Iterable[nested_stack.Member],
) -> list[nested_stack.Member]:
    """Return the members that the group has, without those that go."""
    return [member for member in members if member.definition]


def without_missing(parts: Definition) -> Definition:
    """Return a definition without the parts that are not given.

    It is as it is read again from a stored template, so that both compare.
    """
    given = {name: part for name, part in parts.items() if part is not None}
    found: Definition = json.loads(json.dumps(given))
    return found


def build_template(
    members: collections.abc.Mapping[str, Definition],
) -> collections.abc.Mapping[str, object]:
    """Return the template of a stack that has these members."""
    return {
        "heat_template_version": _VERSION,
        # In one order, whichever members changed last: what is equal shall
        # be written alike. Shorter names first, so numbers count.
        "resources": {
            name: dict(members[name])
            for name in sorted(members, key=lambda name: (len(name), name))
        },
    }


class Transition(typing.Protocol):
    """The stages by which a group gets its desired members."""

    def step(self, batch_policy: group_batching.BatchPolicy) -> Membership:
        """Return the members after the next batch."""

    def end(self) -> Membership:
        """Return all members as they shall be."""

    def batches(self, batch_policy: group_batching.BatchPolicy) -> int:
        """Return how many batches there are on the way to that."""


def build_last_stage(
    end: Membership, pause_s: float = 0.0
) -> nested_stack.Stage:
    """Return the stage in which all members are as they shall be."""
    return nested_stack.Stage(
        template=build_template(end.members), pause_s=pause_s
    )


def build_stages(
    way: Transition, batch_policy: group_batching.BatchPolicy
) -> list[nested_stack.Stage]:
    """Return the stage of the next batch, and that of the end if it is not."""
    membership = way.step(batch_policy)
    pauses_s = 0.0
    if batch_policy.pause_s:
        pauses_s = batch_policy.pause_s * max(way.batches(batch_policy) - 1, 0)
    found = [membership] if membership.is_end else [membership, way.end()]
    return [
        nested_stack.Stage(
            template=build_template(each.members),
            pause_s=batch_policy.pause_s,
            pauses_s=pauses_s,
        )
        for each in found
    ]


class NamedMembers:
    """Members whose names are their numbers in a row."""

    def __init__(
        self,
        there: collections.abc.Iterable[nested_stack.Member],
        names: collections.abc.Callable[[int], list[str]],
        desired: int,
        define: Define,
    ) -> None:
        """Look at the members that there are.

        :param there: without those that have to go at once
        :param names: returns the first so many names of the row
        :raises orch.errors.LimitExceeded: no group may be so large
        """
        check_size(desired)
        self._current = {member.name: member for member in there}
        self._names = names
        self._desired = desired
        self._define = define

    @property
    def is_outdated(self) -> bool:
        """A member that stays has another definition than it shall have."""
        return any(
            name in self._current and self._is_other(name)
            for name in self._names(self._desired)
        )

    @property
    def is_short(self) -> bool:
        """A member is missing."""
        return any(
            name not in self._current for name in self._names(self._desired)
        )

    def end(self) -> Membership:
        """Return all members as they shall be."""
        found = {
            name: self._define(name) for name in self._names(self._desired)
        }
        return Membership(found, is_end=True)

    def step(self, batch_policy: group_batching.BatchPolicy) -> Membership:
        """Return the members after the next batch.

        The last ones in the row change first, and go first.
        """
        capacity, changes = group_batching.next_batch(
            batch_policy, *self._counts()
        )
        places = {name: at for at, name in enumerate(self._names(capacity))}
        order = sorted(
            self._current, key=lambda name: self._priority(name, places)
        )
        retained = order[max(len(order) - capacity, 0) :]
        new = [name for name in places if name not in self._current]
        new = new[: capacity - len(retained)]
        left = changes - len(new)
        found = {}
        for name in retained:
            found[name] = self._current[name].definition
            if left > 0 and name in places and self._has_to_change(name):
                found[name] = self._define(name)
                left -= 1
        found.update((name, self._define(name)) for name in new)
        is_end = found == self.end().members
        return Membership(found, is_end=is_end)

    def batches(self, batch_policy: group_batching.BatchPolicy) -> int:
        """Return how many batches there are on the way to the end."""
        return group_batching.count_batches(batch_policy, *self._counts())

    def _counts(self) -> tuple[int, int, int]:
        """Return the members wanted, those there, and those as wanted."""
        done = sum(
            name in self._current and not self._has_to_change(name)
            for name in self._names(self._desired)
        )
        return self._desired, len(self._current), done

    def _priority(
        self, name: str, places: collections.abc.Mapping[str, int]
    ) -> tuple[int, int]:
        """Return who changes or goes first: those with the smallest."""
        place = places.get(name)
        if place is None:
            return (0, 0)
        if place >= self._desired:
            return (3, -place)
        return (1 if self._current[name].is_failed else 2, -place)

    def _has_to_change(self, name: str) -> bool:
        return self._current[name].is_failed or self._is_other(name)

    def _is_other(self, name: str) -> bool:
        return self._current[name].definition != self._define(name)


class UniformMembers:
    """Members with the same definition, of which any may be removed."""

    def __init__(
        self,
        there: collections.abc.Iterable[nested_stack.Member],
        fresh: collections.abc.Callable[[], collections.abc.Iterator[str]],
        desired: int,
        definition: Definition,
    ) -> None:
        """Look at the members that there are.

        :param fresh: yields unused names
        :raises orch.errors.LimitExceeded: no group may be so large
        """
        check_size(desired)
        self._fresh = fresh
        self._desired = desired
        self._definition = definition
        self._order = sorted(
            there,
            key=lambda member: (
                not member.is_failed,
                not self._is_other(member),
                member.created_at,
                member.name,
            ),
        )
        """Who goes, or changes, first: the failed ones, then those with
        another definition, then the oldest.
        """

    @property
    def is_outdated(self) -> bool:
        """A member has another definition than it shall have."""
        return any(map(self._is_other, self._order))

    def end(self, *, prefers_oldest: bool = False) -> Membership:
        """Return the members as they shall be.

        :param prefers_oldest: those with another definition stay as they are
        """
        found = {
            member.name: member.definition
            if prefers_oldest
            else self._definition
            for member in self._retained(self._desired)
        }
        self._fill(found, self._desired)
        return Membership(found, is_end=True)

    def step(self, batch_policy: group_batching.BatchPolicy) -> Membership:
        """Return the members after the next batch."""
        capacity, changes = group_batching.next_batch(
            batch_policy, *self._counts()
        )
        retained = self._retained(capacity)
        left = changes - (capacity - len(retained))
        found = {}
        for member in retained:
            found[member.name] = member.definition
            if left > 0 and self._has_to_change(member):
                found[member.name] = self._definition
                left -= 1
        self._fill(found, capacity)
        is_end = len(found) == self._desired and all(
            each == self._definition for each in found.values()
        )
        return Membership(found, is_end=is_end)

    def batches(self, batch_policy: group_batching.BatchPolicy) -> int:
        """Return how many batches there are on the way to the end."""
        return group_batching.count_batches(batch_policy, *self._counts())

    def _counts(self) -> tuple[int, int, int]:
        """Return the members wanted, those there, and those as wanted."""
        done = sum(not self._has_to_change(member) for member in self._order)
        return self._desired, len(self._order), min(done, self._desired)

    def _retained(self, capacity: int) -> list[nested_stack.Member]:
        return self._order[max(len(self._order) - capacity, 0) :]

    def _fill(self, found: dict[str, Definition], capacity: int) -> None:
        fresh = self._fresh()
        while len(found) < capacity:
            found[next(fresh)] = self._definition

    def _has_to_change(self, member: nested_stack.Member) -> bool:
        return member.is_failed or self._is_other(member)

    def _is_other(self, member: nested_stack.Member) -> bool:
        return member.definition != self._definition
