"""``OS::Heat::InstanceGroup``: a number of instances of a configuration."""

import collections.abc
import typing

from orch.plugin import type_files
from orch.resources.groups import instance_group

Values = collections.abc.Mapping[str, object]


@type_files.described("OS::Heat::InstanceGroup")
class InstanceGroup(instance_group.LaunchedGroup):
    """Instances whose number only an update of the stack changes."""

    policy_name = "RollingUpdate"

    def bounds(self, properties: Values) -> tuple[int, int]:
        """Return the size, twice: it is fixed."""
        size = max(typing.cast("int", properties["Size"]), 0)
        return size, size
