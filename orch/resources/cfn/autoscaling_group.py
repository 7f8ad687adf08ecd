"""``AWS::AutoScaling::AutoScalingGroup``: instances that signals scale."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import type_files
from orch.resources.groups import instance_group
from orch.resources.groups import membership

Values = collections.abc.Mapping[str, object]

_COOLDOWN: typing.Final = "Cooldown"
_MIN_SIZE: typing.Final = "MinSize"
_INSTANCE: typing.Final = "InstanceId"
_ZONES: typing.Final = "VPCZoneIdentifier"
_NAME_TAG: typing.Final = "metering.AutoScalingGroupName"


@type_files.described("AWS::AutoScaling::AutoScalingGroup")
class AutoScalingGroup(instance_group.LaunchedGroup):
    """Instances of a launch configuration, between two sizes."""

    policy_name = "AutoScalingRollingUpdate"
    is_scalable = True

    def validate(self, properties: Values) -> None:
        """Refuse what nothing here can do.

        :raises orch.errors.NotSupported: it is asked for
        """
        super().validate(properties)
        if properties.get(_INSTANCE):
            raise errors.NotSupported(
                f"{_INSTANCE} of {self.type_name} is not supported: no"
                " compute service is asked here; name a launch configuration"
            )
        zones = properties.get(_ZONES)
        if isinstance(zones, list) and len(zones) > 1:
            raise errors.NotSupported(
                f"Anything other than one {_ZONES} is not supported."
            )
        minimum = properties.get(_MIN_SIZE)
        if isinstance(minimum, int) and minimum < 0:
            raise errors.Invalid(
                "The size of AutoScalingGroup can not be less than zero."
            )

    def find_cooldown(self, properties: Values) -> object:
        """Return how long no policy may change the number again."""
        return properties.get(_COOLDOWN)

    def definition(
        self, context: call_context.Context
    ) -> membership.Definition:
        """Return what the launch configuration says, and the tags.

        :raises orch.errors.Invalid: there is none
        """
        if not context.properties.get("LaunchConfigurationName"):
            raise instance_group.NoConfiguration(
                "Either 'InstanceId' or 'LaunchConfigurationName' must be"
                " provided; of these only the second is supported here"
            )
        return super().definition(context)

    def tags(self, context: call_context.Context) -> list[dict[str, object]]:
        """Return the tags of each member, those of the group among them."""
        group = self.reference_id(context)
        return [*super().tags(context), {"Key": _NAME_TAG, "Value": group}]

    def placement(self, properties: Values) -> dict[str, object]:
        """Return the subnet of each member."""
        zones = properties.get(_ZONES)
        if isinstance(zones, list) and zones:
            return {"SubnetId": zones[0]}
        return {}
