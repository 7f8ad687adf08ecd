"""``AWS::AutoScaling::ScalingPolicy``: a signal changes a group's size."""

import collections.abc
import typing

from orch.plugin import acts
from orch.plugin import schema
from orch.resources.groups import policy
from orch.resources.groups import sizes

_NAMES: typing.Final = policy.Names(
    group="AutoScalingGroupName",
    adjustment_type="AdjustmentType",
    adjustment="ScalingAdjustment",
    min_step="MinAdjustmentStep",
    cooldown="Cooldown",
)
_TYPES: typing.Final = {
    "ChangeInCapacity": sizes.CHANGE,
    "ExactCapacity": sizes.EXACT,
    "PercentChangeInCapacity": sizes.PERCENT,
}


class AWSScalingPolicy(policy.Policy):
    """A change of the size of a group, made whenever an alarm asks for it."""

    type_name = "AWS::AutoScaling::ScalingPolicy"
    names = _NAMES
    adjustment_types = _TYPES
    refers_to = _NAMES.group
    properties = policy.properties(_NAMES, _TYPES, schema.Type.INTEGER)
    attributes = (policy.alarm_address("AlarmUrl"),)

    def reference_id(self, context: acts.Context) -> str:
        """Return the address for an alarm, which alarms take as an action."""
        if context.physical_id is None:
            return context.physical_name
        return self.address(context)

    def read_attributes(
        self,
        context: acts.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the address.

        :raises orch.plugin.addresses.NoKey: none can be sealed
        """
        return {"AlarmUrl": self.address(context)}
