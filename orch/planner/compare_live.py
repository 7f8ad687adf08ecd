"""Compares what is wanted of a thing with what it is in the world.

What the rows say counts only where the world says nothing. What stood right
after our last change (the *baseline*) tells the form in which the service
itself writes what we gave it: that is no change.
"""

import collections.abc
import dataclasses

from orch.model import resource as model_resource
from orch.plugin import resource
from orch.plugin import schema
from orch.template import world

Values = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class LiveDifference:
    """How a thing differs.

    :ivar changed: names of the properties that surely differ
    :ivar unsure: names of those that may differ
    :ivar drifted: of the changed ones, those that the template leaves as
        they were
    :ivar put_back: values of properties that the template does not give and
        that are to be as they were
    :ivar left: names of those that have drifted and that are not put right:
        the type never changes them, or a new thing is too high a price
    :ivar is_stale: something is as wanted already, and not as the row says
    """

    changed: tuple[str, ...]
    unsure: tuple[str, ...]
    drifted: tuple[str, ...]
    put_back: Values
    left: tuple[str, ...] = ()
    is_stale: bool = False


def compare_live(
    plugin: resource.Resource,
    row: model_resource.Resource,
    after: Values,
    live: Values,
    changed: collections.abc.Sequence[str],
    unsure: collections.abc.Sequence[str],
    *,
    is_narrowed: bool = False,
) -> LiveDifference:
    """Return how a thing differs from what is wanted of it.

    :param after: resolved properties, unknown ones marked
    :param live: those of them that are known as they are now
    :param changed: names that differ by what the rows say
    :param unsure: names of those that may, by what the rows say
    :param is_narrowed: nothing is replaced for what has drifted
    """
    observed = [
        name for name in live if name in plugin.schemas or name in after
    ]
    look = _LiveComparison(plugin, row, after, live, is_narrowed)
    surely: list[str] = []
    maybe: list[str] = []
    for name in dict.fromkeys((*row.properties, *after, *observed)):
        if world.has_unknown(after.get(name)):
            maybe.append(name)
        elif name not in live:
            surely += [name] if name in changed else []
            maybe += [name] if name in unsure else []
        elif look.is_to_change(name):
            surely.append(name)
    return LiveDifference(
        tuple(surely),
        tuple(maybe),
        tuple(n for n in surely if n in live and look.is_as_before(n)),
        {n: look.baseline[n] for n in surely if look.is_put_back(n)},
        tuple(n for n in live if n not in surely + maybe and look.is_left(n)),
        any(look.is_stale(n) for n in live if n not in surely + maybe),
    )


def overlay_live(
    plugin: resource.Resource,
    row: model_resource.Resource,
    after: Values,
    live: Values,
    observed: LiveDifference,
) -> dict[str, object]:
    """Return the properties of a row with those that are known now upon.

    What is not to be changed is as it is wanted, or in the words in which it
    was wanted: whoever compares it with that finds no difference.
    """
    before = dict(row.properties)
    for name in live:
        if name in observed.changed or name in observed.unsure:
            before[name] = live[name]
        elif name in after and not world.has_unknown(after[name]):
            before[name] = after[name]
    return before


def update_rule(plugin: resource.Resource, name: str) -> schema.OnUpdate:
    """Return what a change of a property costs, by the schema."""
    declared = plugin.schemas.get(name)
    if declared is not None:
        return declared.on_update
    # A template that has lost a parameter is another template, no more.
    is_lost = plugin.is_nested_stack
    return schema.OnUpdate.MODIFY if is_lost else schema.OnUpdate.REPLACE


@dataclasses.dataclass(frozen=True, slots=True)
class _LiveComparison:
    """One thing, property by property.

    Values are compared as the type compares them.
    """

    plugin: resource.Resource
    row: model_resource.Resource
    after: Values
    live: Values
    is_narrowed: bool

    @property
    def baseline(self) -> Values:
        return self.row.baseline or {}

    def is_to_change(self, name: str) -> bool:
        """Answer whether a property that is known is not as wanted."""
        if not self._is_given(name):
            return self.is_put_back(name) and not self._stays(name)
        if self._was_tried(name):
            # The act that an interrupted update began may go on still.
            return True
        if self._is_like(name, self.after.get(name), self.live[name]):
            return False
        if not self.is_as_before(name):
            return not self._is_beyond(name)
        if name not in self.baseline:
            # It may be the form in which the service writes what was given:
            # no reason to replace what stands.
            return self._may_change(name) and not (
                self._needs_new(name) or self._stays(name)
            )
        is_own_form = self._is_like(name, self.baseline[name], self.live[name])
        return not is_own_form and not self._stays(name)

    def is_as_before(self, name: str) -> bool:
        """Answer whether the template leaves a property as it was."""
        return self._is_like(name, self.after.get(name), self._stored(name))

    def is_put_back(self, name: str) -> bool:
        """Answer whether a property that nobody gives is not as it was."""
        if self._is_given(name) or name not in self.live:
            return False
        return name in self.baseline and not self._is_like(
            name, self.baseline[name], self.live[name]
        )

    def is_left(self, name: str) -> bool:
        """Answer whether a property has drifted, and stays so."""
        if not self.is_as_before(name):
            return self._is_beyond(name)
        if not self._is_given(name) and name not in self.baseline:
            return False
        if not self._stays(name):
            return False
        expected = self.baseline.get(name, self._stored(name))
        return not self._is_like(name, expected, self.live[name])

    def is_stale(self, name: str) -> bool:
        """Answer whether the row says something else of what is as wanted."""
        if name in self.after and self.after[name] != self._stored(name):
            return True
        if not self._is_like(name, self.after.get(name), self.live[name]):
            return False
        return name in self.baseline and not self._is_like(
            name, self.baseline[name], self.live[name]
        )

    def _is_given(self, name: str) -> bool:
        """Answer whether the template gives a property, or has until now."""
        return (
            self.after.get(name) is not None or self._stored(name) is not None
        )

    def _stored(self, name: str) -> object:
        """Return what the row says of a property.

        One that the type did not have yet stood at its default.
        """
        if name in self.row.properties:
            return self.row.properties[name]
        declared = self.plugin.schemas.get(name)
        return declared.default if declared else None

    def _was_tried(self, name: str) -> bool:
        """Answer whether an update that did not complete was at it."""
        tried = self.row.desired_properties
        return tried is not None and not self._is_like(
            name, tried.get(name), self._stored(name)
        )

    def _stays(self, name: str) -> bool:
        """Answer whether a drift of a property is not put right.

        What nobody gives is not worth a new thing, which would have what
        the service gives it.
        """
        if not self._may_change(name) or self._is_beyond(name):
            return True
        is_spared = self.is_narrowed or not self._is_given(name)
        return is_spared and self._needs_new(name)

    def _is_beyond(self, name: str) -> bool:
        """Answer whether the type leaves it as somebody else has made it."""
        if self._is_given(name):
            wanted = self.after.get(name)
            return self.plugin.leaves(
                name, self._stored(name), wanted, self.live[name]
            )
        expected = self.baseline.get(name)
        return self.plugin.leaves(name, expected, expected, self.live[name])

    def _needs_new(self, name: str) -> bool:
        """Answer whether only a new thing would be as wanted."""
        if update_rule(self.plugin, name) is schema.OnUpdate.REPLACE:
            return True
        wanted = {n: v for n, v in self.after.items() if _is_known(v)}
        if not self._is_given(name):
            wanted[name] = self.baseline.get(name)
        before = {**self.row.properties, name: self.live[name]}
        return self.plugin.needs_replacement(before, wanted, (name,))

    def _may_change(self, name: str) -> bool:
        """Answer whether the type can put a property right at all.

        A drift that nobody can mend is no reason to refuse the update.
        """
        declared = self.plugin.schemas.get(name)
        return (
            declared is None
            or declared.on_update is not schema.OnUpdate.REFUSE
        )

    def _is_like(self, name: str, one: object, other: object) -> bool:
        return self.plugin.is_like(name, one, other)


def _is_known(value: object) -> bool:
    return not world.has_unknown(value)
