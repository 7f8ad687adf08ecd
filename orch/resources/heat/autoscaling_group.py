"""``OS::Heat::AutoScalingGroup``: members whose number signals change."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.plugin import type_files
from orch.resources.groups import attributes as group_attributes
from orch.resources.groups import batching as group_batching
from orch.resources.groups import membership
from orch.resources.groups import scaling_group

Values = collections.abc.Mapping[str, object]


@type_files.described("OS::Heat::AutoScalingGroup")
class AutoScalingResourceGroup(scaling_group.ScalingGroup):
    """Resources of one definition, between a minimum and a maximum.

    Scaling policies change the number. It goes back to ``desired_capacity``
    only when that is changed.
    """

    is_scalable = True

    def find_cooldown(self, properties: Values) -> object:
        """Return ``cooldown``."""
        return properties.get("cooldown")

    def find_batch_policy(
        self, context: call_context.Context
    ) -> group_batching.BatchPolicy | None:
        """Return what the property says; that of the policy is ignored."""
        return group_batching.read_batch_policy(
            context.properties.get("rolling_updates")
        )

    def definition(
        self, context: call_context.Context
    ) -> membership.Definition:
        """Return the definition of each member, as it was given."""
        given = typing.cast("Values", context.properties["resource"])
        return membership.without_missing(given)

    def read(
        self,
        context: call_context.Context,
        path: nested_stack.Path,
        view: nested_stack.ChildView,
    ) -> object:
        """Return an attribute of the group, or of each member a list."""
        name, *rest = path
        key = str(name)
        members = scaling_group.members_of(view)
        called = [member.name for member in members]
        if key == "current_size":
            return len(members)
        if key == "outputs_list":
            inner = group_attributes.member_path(self.type_name, key, rest)
            return list(
                group_attributes.read_each(view, called, inner).values()
            )
        if key.startswith(group_attributes.MEMBER):
            path = (_by_place(key, called), *rest)
        return group_attributes.read_members(
            self.type_name, context.name, path, view, members, "outputs"
        )


def _by_place(key: str, called: collections.abc.Sequence[str]) -> str:
    """Return ``resource.NAME…`` for ``resource.PLACE…``, the oldest is 0."""
    place, *rest = key.removeprefix(group_attributes.MEMBER).split(".", 1)
    if place.isascii() and place.isdigit() and int(place) < len(called):
        place = called[int(place)]
    return group_attributes.MEMBER + ".".join((place, *rest))
