"""``OS::Heat::AutoScalingGroup``: members whose number signals change."""

import collections.abc
import dataclasses
import typing

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.plugin import holder
from orch.plugin import members as members_
from orch.plugin import resource
from orch.plugin import schema
from orch.plugin import signals
from orch.resources.groups import names
from orch.resources.groups import pace as pace_
from orch.resources.groups import policies
from orch.resources.groups import reading
from orch.resources.groups import roster
from orch.resources.groups import sizes

Values = collections.abc.Mapping[str, object]

_NAMED: typing.Final = "named"
"""In the data: the number that the next new member gets."""

_SIZE: typing.Final = "size"
"""In the data: the members that the group shall have."""

_DESIRED: typing.Final = "desired"
"""In the data: ``desired_capacity`` when the size was set. While that is the
same, the size stays, whatever else of the group changes."""

_ADJUSTED: typing.Final = "adjusted_at"
"""In the data: when the last adjustment was accepted. A retry of the change
that followed leaves it, so it does not begin the cooldown again."""


class AutoScalingResourceGroup(holder.Holder):
    """Resources of one definition, between a smallest and a largest number.

    Scaling policies change the number. It goes back to ``desired_capacity``
    only when that is changed.
    """

    type_name = "OS::Heat::AutoScalingGroup"
    shows_any_attribute = True
    members = members_.Members(
        definition="resource",
        count="desired_capacity",
        least="min_size",
        most="max_size",
    )
    properties = (
        schema.Property(
            "cooldown",
            schema.Type.INTEGER,
            "How long no policy may change the number again.",
            on_update=schema.OnUpdate.MODIFY,
            unit="seconds",
        ),
        schema.Property(
            "desired_capacity",
            schema.Type.INTEGER,
            "How many members there are, until a policy changes that; the"
            " smallest number when it is not given.",
            on_update=schema.OnUpdate.MODIFY,
        ),
        schema.Property(
            "max_size",
            schema.Type.INTEGER,
            "The most members.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
            constraints=(schema.Range(minimum=0),),
        ),
        schema.Property(
            "min_size",
            schema.Type.INTEGER,
            "The fewest members.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
            constraints=(schema.Range(minimum=0),),
        ),
        schema.Property(
            "resource",
            schema.Type.MAP,
            "The definition of each member, as a template has it.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
        ),
        schema.Property(
            "rolling_updates",
            schema.Type.MAP,
            "How members are changed when their definition is.",
            default={
                "max_batch_size": 1,
                "min_in_service": 0,
                "pause_time": 0,
            },
            on_update=schema.OnUpdate.MODIFY,
            fields=policies.PARTS,
        ),
    )
    attributes = (
        schema.Attribute(
            "current_size",
            schema.Type.INTEGER,
            "How many members there are that did not fail.",
        ),
        schema.Attribute(
            "outputs",
            schema.Type.MAP,
            "An attribute of each member, by name of the member:"
            " get_attr: [GROUP, outputs, ATTRIBUTE].",
        ),
        schema.Attribute(
            "outputs_list",
            schema.Type.LIST,
            "An attribute of each member:"
            " get_attr: [GROUP, outputs_list, ATTRIBUTE].",
        ),
        schema.Attribute(
            "refs",
            schema.Type.LIST,
            "What get_resource gives for each member.",
        ),
        schema.Attribute(
            "refs_map",
            schema.Type.MAP,
            "What get_resource gives for each member, by name.",
        ),
    )
    update_policy = (
        schema.Property(
            "rolling_updates",
            schema.Type.MAP,
            "Taken from old templates; the property of this name counts.",
            fields=policies.PARTS,
        ),
    )

    def __init__(
        self, conf: cfg.ConfigOpts, clock_: clock.Clock | None = None
    ) -> None:
        """Keep options and clock.

        :param clock_: tells how long ago the last adjustment was; the
            machine's when none is given
        """
        super().__init__(conf)
        self._clock = clock_ or clock.SystemClock()

    def reference_id(self, context: resource.Context) -> str:
        """Return the physical name, as Heat does."""
        return context.physical_name

    def data_of(
        self,
        context: resource.Context,
        members: collections.abc.Sequence[holder.Member],
    ) -> Values:
        """Return the size to come, and where the numbers of names go on."""
        there = [member.name for member in members]
        return {
            **context.data,
            _NAMED: names.next_number(context.token, _named(context), there),
            _SIZE: _size(context, members),
            _DESIRED: context.properties.get("desired_capacity"),
        }

    def adopted_data(
        self,
        context: resource.Context,
        members: collections.abc.Sequence[holder.Member],
    ) -> Values:
        """Return the data of a group that has the members of a document.

        Heat's documents tell no size: it is what policies made of it, not
        what the template desires.
        """
        size = context.data.get(_SIZE)
        if not isinstance(size, int) and members:
            size = len(members)
            desired = context.properties.get("desired_capacity")
            known = {**context.data, _SIZE: size, _DESIRED: desired}
            context = dataclasses.replace(context, data=known)
        return self.data_of(context, members)

    def stages(
        self,
        context: resource.Context,
        members: collections.abc.Sequence[holder.Member],
    ) -> collections.abc.Sequence[holder.Stage]:
        """Return the next batch, and all members as they shall be."""
        found = self.members.find_misfit(context.properties)
        if found is not None:
            raise errors.Invalid(found.text)
        taken = {member.name for member in members}
        given = typing.cast("Values", context.properties["resource"])
        alike = roster.Alike(
            roster.standing(members),
            lambda: names.fresh(context.token, _named(context), taken),
            _size(context, members),
            roster.written(given),
        )
        pace = pace_.of(context.properties.get("rolling_updates"))
        if pace is not None and alike.is_outdated:
            return roster.stages(alike.step(pace), alike.end, pace.pause_s)
        pause_s = pace.pause_s if pace else 0.0
        return roster.stages(alike.end(), alike.end, pause_s)

    def resized(
        self,
        context: resource.Context,
        members: collections.abc.Sequence[holder.Member],
        asked: signals.Resize,
    ) -> Values | None:
        """Return the data of the group with another size.

        :returns: ``None`` when the size stays, or the group has to settle
        """
        now = self._clock.now()
        cooldown_s = context.properties.get("cooldown")
        if sizes.is_too_early(now, context.data.get(_ADJUSTED), cooldown_s):
            return None
        before = _size(context, members)
        size = sizes.adjusted(
            before,
            asked.adjustment_type,
            asked.adjustment,
            asked.min_step,
            _bounds(context.properties),
        )
        if size == before:
            return None
        data = self.data_of(context, members)
        return {**data, _SIZE: size, _ADJUSTED: now}

    def read(
        self, context: resource.Context, path: holder.Path, view: holder.View
    ) -> object:
        """Return an attribute of the group, or of each member a list."""
        name, *rest = path
        key = str(name)
        members = sorted(
            (one for one in reading.current(view) if not one.is_failed),
            key=lambda one: (one.created_at, one.name),
        )
        called = [member.name for member in members]
        if key == "current_size":
            return len(members)
        if key == "refs":
            found = list(reading.references(members).values())
            return holder.part(found, rest)
        if key == "refs_map":
            return holder.part(reading.references(members), rest)
        if key == "outputs":
            inner = reading.inner(self.type_name, key, rest)
            return reading.of_each(view, called, inner)
        if key == "outputs_list":
            path = tuple(reading.inner(self.type_name, key, rest))
        elif key.startswith(reading.MEMBER):
            key = _by_place(key, called)
            return reading.of_one(context.name, view, members, key, rest)
        return list(reading.of_each(view, called, path).values())


def _by_place(key: str, called: collections.abc.Sequence[str]) -> str:
    """Return ``resource.NAME…`` for ``resource.PLACE…``, the oldest is 0."""
    place, *rest = key.removeprefix(reading.MEMBER).split(".", 1)
    if place.isascii() and place.isdigit() and int(place) < len(called):
        place = called[int(place)]
    return reading.MEMBER + ".".join((place, *rest))


def _bounds(properties: Values) -> tuple[int, int]:
    least, most = properties["min_size"], properties["max_size"]
    return typing.cast("int", least), typing.cast("int", most)


def _named(context: resource.Context) -> int:
    found = context.data.get(_NAMED)
    return found if isinstance(found, int) else 0


def _size(
    context: resource.Context,
    members: collections.abc.Sequence[holder.Member],
) -> int:
    """Return how many members there shall be.

    A group whose data say nothing, as one that was adopted, keeps those that
    it has.
    """
    bounds = _bounds(context.properties)
    desired = context.properties.get("desired_capacity")
    size = context.data.get(_SIZE)
    if isinstance(size, int) and desired == context.data.get(_DESIRED):
        return sizes.clamped(size, bounds)
    if isinstance(desired, int):
        return sizes.clamped(desired, bounds)
    if isinstance(size, int):
        return sizes.clamped(size, bounds)
    return sizes.clamped(len(roster.standing(members)), bounds)
