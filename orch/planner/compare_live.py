"""Compare the desired state of a resource with the live one.

The row counts only where no live value is known. The live properties right
after our last change (the *baseline*) have the form in which the service
itself writes what we gave it: that is no change.
"""

import collections.abc
import dataclasses

from orch.model import marked
from orch.model import resource as model_resource
from orch.plugin import resource
from orch.plugin import schema
from orch.template import world

Values = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class LiveDifference:
    """The differences between desired and live properties.

    :ivar changed: names of the properties that surely differ
    :ivar unsure: names of those that may differ
    :ivar drifted: of the changed ones, those that the template leaves as
        they were
    :ivar put_back: values of properties that the template does not give and
        that are to be as they were
    :ivar left: names of those that have drifted and that are not repaired:
        the type never changes them, or a replacement would cost too much
    :ivar is_stale: a live value is the desired one, and the row differs
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
    """Return how live properties differ from the desired ones.

    :param after: resolved properties, unknown ones marked
    :param live: the live values that are known
    :param changed: names that differ by the rows
    :param unsure: names of those that may, by the rows
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
    """Return the properties of a row, overlaid with the live ones.

    A property that is not to be changed has its desired value, in the form in
    which it was desired: a comparison with that finds no difference.
    """
    before = marked.merge(row.properties)
    for name in live:
        if name in observed.changed or name in observed.unsure:
            before[name] = live[name]
        elif name in after and not world.has_unknown(after[name]):
            before[name] = after[name]
    return before


def update_rule(plugin: resource.Resource, name: str) -> schema.OnUpdate:
    """Return the effect of a change of a property, by the schema."""
    declared = plugin.schemas.get(name)
    if declared is not None:
        return declared.on_update
    # A template that has lost a parameter is another template, no more.
    is_lost = plugin.is_nested_stack
    return schema.OnUpdate.MODIFY if is_lost else schema.OnUpdate.REPLACE


@dataclasses.dataclass(frozen=True, slots=True)
class _LiveComparison:
    """One physical resource, compared property by property.

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
        """Whether a known property differs from the desired one."""
        if not self._is_given(name):
            return self.is_put_back(name) and not self._stays(name)
        if self._was_tried(name):
            # The call of an interrupted update may still go on.
            return True
        if self._is_like(name, self.after.get(name), self.live[name]):
            return False
        if not self.is_as_before(name):
            return not self._is_beyond(name)
        if name not in self.baseline:
            # It may be the form in which the service writes what was given:
            # no reason to replace what exists.
            return self._may_change(name) and not (
                self._needs_new(name) or self._stays(name)
            )
        is_own_form = self._is_like(name, self.baseline[name], self.live[name])
        return not is_own_form and not self._stays(name)

    def is_as_before(self, name: str) -> bool:
        """Whether the template leaves a property as it was."""
        return self._is_like(name, self.after.get(name), self._stored(name))

    def is_put_back(self, name: str) -> bool:
        """Whether a property that the template does not give has drifted."""
        if self._is_given(name) or name not in self.live:
            return False
        return name in self.baseline and not self._is_like(
            name, self.baseline[name], self.live[name]
        )

    def is_left(self, name: str) -> bool:
        """Whether a property has drifted and is not repaired."""
        if not self.is_as_before(name):
            return self._is_beyond(name)
        if not self._is_given(name) and name not in self.baseline:
            return False
        if not self._stays(name):
            return False
        expected = self.baseline.get(name, self._stored(name))
        return not self._is_like(name, expected, self.live[name])

    def is_stale(self, name: str) -> bool:
        """Whether the row differs from a live value that is as desired."""
        if name in self.after and self.after[name] != self._stored(name):
            return True
        if not self._is_like(name, self.after.get(name), self.live[name]):
            return False
        return name in self.baseline and not self._is_like(
            name, self.baseline[name], self.live[name]
        )

    def _is_given(self, name: str) -> bool:
        """Whether the template gives a property, or has until now."""
        return (
            self.after.get(name) is not None or self._stored(name) is not None
        )

    def _stored(self, name: str) -> object:
        """Return the value of a property in the row.

        One that the type did not have yet had its default.
        """
        if name in self.row.properties:
            return self.row.properties[name]
        declared = self.plugin.schemas.get(name)
        return declared.default if declared else None

    def _was_tried(self, name: str) -> bool:
        """Whether an update that did not complete changed it."""
        tried = self.row.desired_properties
        return tried is not None and not self._is_like(
            name, tried.get(name), self._stored(name)
        )

    def _stays(self, name: str) -> bool:
        """Whether a drift of a property is not repaired.

        A property that the template does not give is not worth a replacement,
        which would have what the service gives it.
        """
        if not self._may_change(name) or self._is_beyond(name):
            return True
        is_spared = self.is_narrowed or not self._is_given(name)
        return is_spared and self._needs_new(name)

    def _is_beyond(self, name: str) -> bool:
        """Whether the type leaves a value that others have changed."""
        if self._is_given(name):
            wanted = self.after.get(name)
            return self.plugin.leaves(
                name, self._stored(name), wanted, self.live[name]
            )
        expected = self.baseline.get(name)
        return self.plugin.leaves(name, expected, expected, self.live[name])

    def _needs_new(self, name: str) -> bool:
        """Whether only a replacement would have the desired value."""
        if update_rule(self.plugin, name) is schema.OnUpdate.REPLACE:
            return True
        wanted = {n: v for n, v in self.after.items() if _is_known(v)}
        if not self._is_given(name):
            wanted[name] = self.baseline.get(name)
        before = marked.merge(self.row.properties, {name: self.live[name]})
        return self.plugin.needs_replacement(before, wanted, (name,))

    def _may_change(self, name: str) -> bool:
        """Whether the type can repair a property at all.

        A drift that cannot be repaired is no reason to refuse the update.
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
