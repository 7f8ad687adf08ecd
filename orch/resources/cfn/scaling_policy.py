"""``AWS::AutoScaling::ScalingPolicy``: a signal changes a group's size."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.plugin import type_files
from orch.resources.groups import adjustment
from orch.resources.groups import scaling_policy

_TYPES: typing.Final = {
    "ChangeInCapacity": adjustment.CHANGE,
    "ExactCapacity": adjustment.EXACT,
    "PercentChangeInCapacity": adjustment.PERCENT,
}


@type_files.described("AWS::AutoScaling::ScalingPolicy")
class AWSScalingPolicy(scaling_policy.ScalingPolicy):
    """A change of a group's size, made at each signal of an alarm."""

    names = scaling_policy.Names(
        group="AutoScalingGroupName",
        adjustment_type="AdjustmentType",
        adjustment="ScalingAdjustment",
        min_step="MinAdjustmentStep",
        cooldown="Cooldown",
    )
    adjustment_types = _TYPES
    refers_to = names.group

    def reference_id(self, context: call_context.Context) -> str:
        """Return the address for an alarm, which alarms take as an action."""
        if context.physical_id is None:
            return context.physical_name
        return self.address(context)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the address.

        :raises orch.plugin.addresses.NoKey: none can be sealed
        """
        return {"AlarmUrl": self.address(context)}
