"""``AWS::AutoScaling::ScalingPolicy``: a signal changes a group's size."""

import collections.abc

from orch.plugin import resource
from orch.plugin import schema
from orch.resources.groups import policy
from orch.resources.groups import sizes


class AWSScalingPolicy(policy.Policy):
    """A change of the size of a group, made whenever an alarm asks for it."""

    type_name = "AWS::AutoScaling::ScalingPolicy"
    names = policy.Names(
        group="AutoScalingGroupName",
        adjustment_type="AdjustmentType",
        adjustment="ScalingAdjustment",
        min_step="MinAdjustmentStep",
        cooldown="Cooldown",
    )
    adjustment_types = {  # noqa: RUF012 - declared as a class variable above
        "ChangeInCapacity": sizes.CHANGE,
        "ExactCapacity": sizes.EXACT,
        "PercentChangeInCapacity": sizes.PERCENT,
    }
    properties = (
        schema.Property(
            "AdjustmentType",
            schema.Type.STRING,
            "Whether the adjustment is a difference, a size or percent.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
            constraints=(
                schema.AllowedValues(
                    values=(
                        "ChangeInCapacity",
                        "ExactCapacity",
                        "PercentChangeInCapacity",
                    )
                ),
            ),
        ),
        schema.Property(
            "AutoScalingGroupName",
            schema.Type.STRING,
            "The group: Ref of it.",
            required=True,
        ),
        schema.Property(
            "Cooldown",
            schema.Type.INTEGER,
            "How long signals after an adjustment change nothing.",
            on_update=schema.OnUpdate.MODIFY,
            unit="seconds",
        ),
        schema.Property(
            "MinAdjustmentStep",
            schema.Type.INTEGER,
            "How many members a percentage changes at least.",
            on_update=schema.OnUpdate.MODIFY,
            constraints=(schema.Range(minimum=0),),
        ),
        schema.Property(
            "ScalingAdjustment",
            schema.Type.INTEGER,
            "Members or percent; below 0 the group shrinks.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
        ),
    )
    attributes = (
        schema.Attribute(
            "AlarmUrl",
            schema.Type.STRING,
            "The address for an alarm; it needs no account.",
        ),
    )

    def reference_id(self, context: resource.Context) -> str:
        """Return the address for an alarm, which alarms take as an action."""
        if context.physical_id is None:
            return context.physical_name
        return self.address(context)

    def read_attributes(
        self,
        context: resource.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the address.

        :raises orch.plugin.addresses.NoKey: none can be sealed
        """
        return {"AlarmUrl": self.address(context)}
