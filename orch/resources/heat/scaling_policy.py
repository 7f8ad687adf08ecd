"""``OS::Heat::ScalingPolicy``: a signal changes the size of a group."""

import collections.abc
import typing

from orch.plugin import addresses
from orch.plugin import call_context
from orch.plugin import type_files
from orch.resources.groups import adjustment
from orch.resources.groups import scaling_policy

_TYPES: typing.Final = {
    each: each
    for each in (adjustment.CHANGE, adjustment.EXACT, adjustment.PERCENT)
}


@type_files.described("OS::Heat::ScalingPolicy")
class AutoScalingPolicy(scaling_policy.ScalingPolicy):
    """A change of a group's size, made at each signal of an alarm."""

    names = scaling_policy.Names(
        group="auto_scaling_group_id",
        adjustment_type="adjustment_type",
        adjustment="scaling_adjustment",
        min_step="min_adjustment_step",
        cooldown="cooldown",
    )
    adjustment_types = _TYPES
    refers_to = names.group

    def read_attributes(
        self,
        context: call_context.Context,
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
