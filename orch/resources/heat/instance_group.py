"""``OS::Heat::InstanceGroup``: a number of instances of a configuration."""

import collections.abc
import typing

from orch.plugin import members as members_
from orch.plugin import schema
from orch.resources.groups import instance_group

Values = collections.abc.Mapping[str, object]


class InstanceGroup(instance_group.LaunchedGroup):
    """Instances whose number only an update of the stack changes."""

    type_name = "OS::Heat::InstanceGroup"
    policy_name = "RollingUpdate"
    members = members_.Members(
        member_type=instance_group.MEMBER_TYPE, count="Size"
    )
    properties = (
        *instance_group.group_properties(needs_configuration=True),
        schema.Property(
            "Size",
            schema.Type.INTEGER,
            "How many instances there are.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
        ),
    )
    update_policy = (instance_group.rolling_update_policy(policy_name),)

    def bounds(self, properties: Values) -> tuple[int, int]:
        """Return the size, twice: it is fixed."""
        size = max(typing.cast("int", properties["Size"]), 0)
        return size, size
