"""``OS::Heat::ScalingPolicy``: a signal changes the size of a group."""

import collections.abc

from orch.plugin import addresses
from orch.plugin import resource
from orch.plugin import schema
from orch.resources.groups import policy
from orch.resources.groups import sizes


class AutoScalingPolicy(policy.Policy):
    """A change of the size of a group, made whenever an alarm asks for it."""

    type_name = "OS::Heat::ScalingPolicy"
    names = policy.Names(
        group="auto_scaling_group_id",
        adjustment_type="adjustment_type",
        adjustment="scaling_adjustment",
        min_step="min_adjustment_step",
        cooldown="cooldown",
    )
    adjustment_types = {  # noqa: RUF012 - declared as a class variable above
        each: each for each in (sizes.CHANGE, sizes.EXACT, sizes.PERCENT)
    }
    properties = (
        schema.Property(
            "adjustment_type",
            schema.Type.STRING,
            "Whether the adjustment is a difference, a size or percent.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
            constraints=(
                schema.AllowedValues(
                    values=(sizes.CHANGE, sizes.EXACT, sizes.PERCENT)
                ),
            ),
        ),
        schema.Property(
            "auto_scaling_group_id",
            schema.Type.STRING,
            "The group: get_resource of it.",
            required=True,
        ),
        schema.Property(
            "cooldown",
            schema.Type.NUMBER,
            "How long signals after an adjustment change nothing.",
            on_update=schema.OnUpdate.MODIFY,
            unit="seconds",
        ),
        schema.Property(
            "min_adjustment_step",
            schema.Type.INTEGER,
            "How many members a percentage changes at least.",
            on_update=schema.OnUpdate.MODIFY,
            constraints=(schema.Range(minimum=0),),
        ),
        schema.Property(
            "scaling_adjustment",
            schema.Type.NUMBER,
            "Members or percent; below 0 the group shrinks.",
            required=True,
            on_update=schema.OnUpdate.MODIFY,
        ),
    )
    attributes = (
        schema.Attribute(
            "alarm_url",
            schema.Type.STRING,
            "The address for an alarm; it needs no account.",
        ),
        schema.Attribute(
            "signal_url",
            schema.Type.STRING,
            "The address for a caller with an account.",
        ),
    )

    def read_attributes(
        self,
        context: resource.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the addresses.

        :raises orch.plugin.addresses.NoKey: none can be sealed
        """
        found: dict[str, object] = {}
        if "alarm_url" in names:
            found["alarm_url"] = self.address(context)
        if "signal_url" in names:
            here = addresses.Addresses(self.conf).of_resource(context)
            found["signal_url"] = f"{here}/signal"
        return found
