"""Base of the groups whose members a launch configuration defines."""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import nested_stack
from orch.resources.groups import attributes as group_attributes
from orch.resources.groups import batching as group_batching
from orch.resources.groups import membership
from orch.resources.groups import scaling_group

Values = collections.abc.Mapping[str, object]

MEMBER_TYPE: typing.Final = "AWS::EC2::Instance"
"""The type of all members; an environment may map it to another one."""

CONFIGURATION: typing.Final = "AWS::AutoScaling::LaunchConfiguration"

_HEATS_MEMBER_TYPE: typing.Final = "OS::Heat::ScaledResource"
"""What documents of Heat call the type of members; Heat maps it to ours."""

_NAME: typing.Final = "LaunchConfigurationName"
_BALANCERS: typing.Final = "LoadBalancerNames"
_TAGS: typing.Final = "Tags"
_LIST: typing.Final = "InstanceList"
_ADDRESS: typing.Final = "PublicIp"
_NO_ADDRESS: typing.Final = "0.0.0.0"  # noqa: S104 - nothing listens there

_TAKEN: typing.Final = (
    "ImageId",
    "InstanceType",
    "KeyName",
    "UserData",
    "SecurityGroups",
    "NovaSchedulerHints",
    "BlockDeviceMappings",
)
"""Properties that a member has from the launch configuration."""

_METERING: typing.Final = "metering."
_GROUP_TAG: typing.Final = "metering.groupname"


class NoConfiguration(errors.Invalid):
    """A group names no launch configuration of its stack."""

    code = "orch.group.no_launch_configuration"


class LaunchedGroup(scaling_group.ScalingGroup):
    """Instances that are all made from one launch configuration."""

    refers_to = _NAME
    prefers_oldest_members = True
    policy_name: typing.ClassVar[str]
    """Its key in the update policy."""

    def validate(self, properties: Values) -> None:
        """Refuse what needs services that are not served here.

        :raises orch.errors.NotSupported: it is asked for
        """
        if properties.get(_BALANCERS):
            raise errors.NotSupported(
                f"{_BALANCERS} of {self.type_name} is not supported: no load"
                " balancer here can be notified of the members; leave it out"
            )

    def stages(
        self,
        context: call_context.Context,
        members: collections.abc.Sequence[nested_stack.Member],
    ) -> collections.abc.Sequence[nested_stack.Stage]:
        """Return the next batch, and all members as they shall be."""
        # Once more: when it was asked first, not all values were known.
        self.validate(context.properties)
        return super().stages(context, [_as_ours(one) for one in members])

    def find_batch_policy(
        self, context: call_context.Context
    ) -> group_batching.BatchPolicy | None:
        """Return what the update policy says."""
        found = context.update_policy.get(self.policy_name)
        return group_batching.read_batch_policy(
            found, group_batching.CFN_NAMES
        )

    def definition(
        self, context: call_context.Context
    ) -> membership.Definition:
        """Return what the launch configuration says, and the tags.

        :raises NoConfiguration: there is none
        """
        found = context.referred
        if found is None or found.type_name != CONFIGURATION:
            name = context.properties.get(_NAME)
            raise NoConfiguration(
                f"({name}) reference can not be found: set {_NAME} to Ref of"
                f" a resource of type {CONFIGURATION} of the same stack"
            )
        given = {name: found.properties.get(name) for name in _TAKEN}
        given[_TAGS] = self.tags(context)
        given.update(self.placement(context.properties))
        return membership.without_missing(
            {
                "type": MEMBER_TYPE,
                "properties": _without_nothing(given),
                "metadata": dict(found.metadata) or None,
            }
        )

    def tags(self, context: call_context.Context) -> list[dict[str, object]]:
        """Return the tags of each member, that of the group among them.

        Who gives metering tags of their own gets no other.
        """
        given = typing.cast(
            "list[dict[str, object]]", context.properties.get(_TAGS) or []
        )
        if any(str(tag["Key"]).startswith(_METERING) for tag in given):
            return list(given)
        group = self.reference_id(context)
        return [*given, {"Key": _GROUP_TAG, "Value": group}]

    def placement(self, properties: Values) -> dict[str, object]:
        """Return properties of each member that say where it is made."""
        return {}

    def read(
        self,
        context: call_context.Context,
        path: nested_stack.Path,
        view: nested_stack.ChildView,
    ) -> object:
        """Return the addresses of the members.

        :raises orch.errors.Invalid: there is no such attribute
        """
        name, *rest = path
        if name != _LIST:
            raise errors.Invalid(f"{self.type_name} shows no attribute {name}")
        members = [one.name for one in scaling_group.members_of(view)]
        known = group_attributes.read_each(view, members, (_ADDRESS,))
        found = [str(known.get(one) or _NO_ADDRESS) for one in members]
        return nested_stack.find_part(",".join(found), rest)


def _as_ours(member: nested_stack.Member) -> nested_stack.Member:
    """Return a member under the name that its type has here."""
    if member.definition.get("type") != _HEATS_MEMBER_TYPE:
        return member
    definition = {**member.definition, "type": MEMBER_TYPE}
    return dataclasses.replace(member, definition=definition)


def _without_nothing(value: object) -> object:
    """Return a value without the keys, at any depth, that hold nothing."""
    if isinstance(value, collections.abc.Mapping):
        return {
            key: _without_nothing(one)
            for key, one in value.items()
            if one is not None
        }
    if isinstance(value, list):
        return [_without_nothing(one) for one in value]
    return value
