"""``OS::Heat::InstanceGroup``: so many instances of one configuration."""

import collections.abc
import typing

from orch.plugin import members as members_
from orch.plugin import schema
from orch.resources.groups import instances

Values = collections.abc.Mapping[str, object]


class InstanceGroup(instances.Group):
    """Instances whose number only an update of the stack changes."""

    type_name = "OS::Heat::InstanceGroup"
    policy_name = "RollingUpdate"
    members = members_.Members(member_type=instances.MEMBER_TYPE, count="Size")
    properties = (
        *instances.properties(needs_configuration=True),
        schema.Property(
            "Size",
            schema.Type.INTEGER,
            "How many instances there are.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
        ),
    )
    update_policy = (instances.rolling_update(policy_name),)

    def bounds(self, properties: Values) -> tuple[int, int]:
        """Return the size, twice: it is fixed."""
        size = max(typing.cast("int", properties["Size"]), 0)
        return size, size
