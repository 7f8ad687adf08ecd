"""``AWS::AutoScaling::LaunchConfiguration``: how groups make instances."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import schema
from orch.resources.groups import instance_group

_INSTANCE: typing.Final = "InstanceId"


def _text(name: str, text: str, constraint: str = "") -> schema.Property:
    constraints = (schema.CustomConstraint(name=constraint),)
    return schema.Property(
        name,
        schema.Type.STRING,
        text,
        constraints=constraints if constraint else (),
    )


class LaunchConfiguration(no_physical_resource.NoPhysicalResource):
    """Values for the members of groups; no physical resource."""

    type_name = instance_group.CONFIGURATION
    properties = (
        schema.Property(
            "BlockDeviceMappings",
            schema.Type.LIST,
            "Volumes that each instance has.",
            items=schema.Property(
                "*",
                schema.Type.MAP,
                fields=(
                    schema.Property(
                        "DeviceName",
                        schema.Type.STRING,
                        "The name of the device within the instance.",
                        required=True,
                    ),
                    schema.Property(
                        "Ebs",
                        schema.Type.MAP,
                        "The volume.",
                        fields=(
                            schema.Property(
                                "DeleteOnTermination",
                                schema.Type.BOOLEAN,
                                "Whether it goes with the instance.",
                                default=True,
                            ),
                            schema.Property(
                                "Iops",
                                schema.Type.NUMBER,
                                "Operations in a second that it must allow.",
                            ),
                            _text(
                                "SnapshotId",
                                "The snapshot that it is made of.",
                                "cinder.snapshot",
                            ),
                            _text("VolumeSize", "Its size in gigabytes."),
                            _text("VolumeType", "Its type."),
                        ),
                    ),
                    schema.Property(
                        "NoDevice",
                        schema.Type.MAP,
                        "Takes the device away from the image.",
                    ),
                    _text("VirtualName", "Its name, as ephemeral0."),
                ),
            ),
        ),
        _text("ImageId", "The image of each instance.", "glance.image"),
        _text(
            _INSTANCE,
            "A server that the instances would be made like; it must be left"
            " out, since no compute service is asked here.",
            "nova.server",
        ),
        _text("InstanceType", "The flavor of each instance.", "nova.flavor"),
        _text("KeyName", "The key pair of each instance.", "nova.keypair"),
        instance_group.key_value_property(
            "NovaSchedulerHints", "Hints for where instances are made."
        ),
        schema.Property(
            "SecurityGroups",
            schema.Type.LIST,
            "The security groups of each instance.",
        ),
        _text("UserData", "Data that each instance starts with."),
    )

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        """Answer yes: it says something, and does nothing by itself."""
        return True

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse to look at a server.

        :raises orch.errors.NotSupported: one is named
        """
        if properties.get(_INSTANCE):
            raise errors.NotSupported(
                f"{_INSTANCE} of {self.type_name} is not supported: no"
                " compute service is asked here; set ImageId and InstanceType"
            )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Return the physical name; there is nothing behind it.

        :raises orch.errors.NotSupported: a server is named
        """
        self.validate(context.properties)
        return context.physical_name
