"""``OS::Heat::AutoScalingGroup``: members whose number signals change."""

import collections.abc
import typing

from orch.plugin import acts
from orch.plugin import holder
from orch.plugin import members as members_
from orch.plugin import schema
from orch.resources.groups import pace as pace_
from orch.resources.groups import policies
from orch.resources.groups import reading
from orch.resources.groups import roster
from orch.resources.groups import scaled

Values = collections.abc.Mapping[str, object]


class AutoScalingResourceGroup(scaled.Group):
    """Resources of one definition, between a smallest and a largest number.

    Scaling policies change the number. It goes back to ``desired_capacity``
    only when that is changed.
    """

    type_name = "OS::Heat::AutoScalingGroup"
    shows_any_attribute = True
    is_scalable = True
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

    def find_cooldown(self, properties: Values) -> object:
        """Return ``cooldown``."""
        return properties.get("cooldown")

    def find_pace(self, context: acts.Context) -> pace_.Pace | None:
        """Return what the property says; that of the policy is ignored."""
        return pace_.of(context.properties.get("rolling_updates"))

    def definition(self, context: acts.Context) -> roster.Definition:
        """Return the definition of each member, as it was given."""
        given = typing.cast("Values", context.properties["resource"])
        return roster.written(given)

    def read(
        self, context: acts.Context, path: holder.Path, view: holder.View
    ) -> object:
        """Return an attribute of the group, or of each member a list."""
        name, *rest = path
        key = str(name)
        members = scaled.members_of(view)
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
