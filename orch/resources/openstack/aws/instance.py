"""``AWS::EC2::Instance``: a server of Nova."""

import collections.abc
import dataclasses
import posixpath
import typing

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import wire
from orch.resources.openstack.aws import tags
from orch.resources.openstack.nova import attributes
from orch.resources.openstack.nova import server

_TAGS: typing.Final = "Tags"
_GROUPS: typing.Final = ("SecurityGroups", "SecurityGroupIds")
_INTERFACES: typing.Final = "NetworkInterfaces"
_SUBNET: typing.Final = "SubnetId"
_DEVICES: typing.Final = "BlockDeviceMappings"
_ZONE: typing.Final = "AvailabilityZone"
_ROOT: typing.Final = ("vda", "sda", "xvda")
_NOT_BOOTED: typing.Final = -1
_CFNTOOLS: typing.Final = "HEAT_CFNTOOLS"
_NAMES: typing.Final = {
    _ZONE: "availability_zone",
    "ImageId": "image",
    "InstanceType": "flavor",
    "KeyName": "key_name",
    "UserData": "user_data",
}
"""Properties that have another name with a server, and the same value."""
_CHANGED: typing.Final = {
    "InstanceType": "flavor",
    _INTERFACES: "networks",
    _SUBNET: "networks",
    _TAGS: "metadata",
}

Values = collections.abc.Mapping[str, object]
Names = collections.abc.Collection[str]


class Instance(server.Server):
    """A server. Its tags are metadata."""

    is_facade = False
    """Members of groups have it too. Heat calls these otherwise, and lets any
    template serve for them."""

    def validate(self, properties: Values) -> None:
        """Refuse groups beside interfaces, and devices without a snapshot."""
        if properties.get(_INTERFACES) and any(map(properties.get, _GROUPS)):
            raise errors.Invalid(
                "Cannot define the following properties at the same time:"
                f" {'/'.join(_GROUPS)}, {_INTERFACES}."
            )
        for each in wire.to_maps(properties.get(_DEVICES)):
            ebs = each.get("Ebs")
            if "Ebs" in each and not ebs:
                raise errors.Invalid(
                    f"Ebs is missing, this is required for {_DEVICES}."
                )
            if isinstance(ebs, dict) and not ebs.get("SnapshotId", True):
                raise errors.Invalid(
                    f"SnapshotId is missing, this is required for {_DEVICES}."
                )
            size = ebs.get("VolumeSize") if isinstance(ebs, dict) else None
            if size and not str(size).isdecimal():
                raise errors.Invalid(
                    f"VolumeSize {size!r} is no number of gigabytes."
                )

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Ask for the server, and for its port in a subnet before."""
        return super().create(_native_context(context))

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it runs."""
        return super().is_created(_native_context(context))

    def update(
        self, context: call_context.Context, before: Values, changed: Names
    ) -> call_context.CreateResult:
        """Begin to bring about what differs, and nothing else."""
        names = {_CHANGED[name] for name in changed if name in _CHANGED}
        return super().update(
            _native_context(context), _native_properties(before), names
        )

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once all of it has come about."""
        return super().is_updated(_native_context(context))

    def properties_to_release(
        self, before: Values, after: Values
    ) -> collections.abc.Mapping[str, list[typing.Any]]:
        """Return its interfaces without those of the other server."""
        released = super().properties_to_release(
            _native_properties(before), _native_properties(after)
        )
        given = wire.to_list(before.get(_INTERFACES))
        if not given or not released:
            return {}
        left = [each["port"] for each in released["networks"]]
        return {_INTERFACES: [e for e in given if _interface_id(e) in left]}

    def release(self, context: call_context.Context, released: Values) -> None:
        """Take from it what it has and the replacement asks for.

        :raises orch.errors.Busy: the service has not done it yet
        """
        native = _native_context(context)
        successor = _native_properties(context.successor or {})
        super().release(
            dataclasses.replace(native, successor=successor), released
        )

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that the service reports.

        :raises orch.plugin.reality.Vanished: it waits to be reclaimed
        """
        given = context.properties
        live = super().reality_of(_native_context(context), body)
        found = {
            name: live[native]
            for name, native in _NAMES.items()
            if native in live
        }
        metadata = live["metadata"]
        assert isinstance(metadata, dict)
        found[_TAGS] = tags.from_map(metadata)
        groups = [name for name in _GROUPS if given.get(name)]
        if len(groups) == 1 and "security_groups" in live:
            found[groups[0]] = live["security_groups"]
        return found

    def read_attributes(
        self, context: call_context.Context, names: Names
    ) -> Values:
        """Return its zone, and its address under all other names."""
        body = self.body(context)
        address = _find_address(body)
        zone = context.properties.get(_ZONE) or body.get(
            "OS-EXT-AZ:availability_zone"
        )
        return {name: zone if name == _ZONE else address for name in names}

    def restored_properties(self, properties: Values, kept: Values) -> Values:
        """Return that it begins with the image of the snapshot."""
        native = super().restored_properties({}, kept)
        return {**properties, "ImageId": native["image"]}


def _native_context(context: call_context.Context) -> call_context.Context:
    """Return a context with the properties that a server has."""
    native = _native_properties(context.properties)
    return dataclasses.replace(context, properties=native)


def _native_properties(given: Values) -> dict[str, object]:
    """Return properties as those of ``OS::Nova::Server``."""
    found: dict[str, object] = {
        native: given.get(name) for name, native in _NAMES.items()
    }
    devices = [
        *map(_device, wire.to_maps(given.get(_DEVICES))),
        *map(_volume, wire.to_maps(given.get("Volumes"))),
    ]
    if any("boot_index" not in each for each in devices):
        del found["image"]
    groups = [
        each for name in _GROUPS for each in wire.to_list(given.get(name))
    ]
    return {
        **found,
        "user_data_format": _CFNTOOLS,
        "metadata": tags.to_map(given.get(_TAGS)),
        "security_groups": list(dict.fromkeys(groups)),
        "networks": _networks(given),
        "block_device_mapping_v2": devices,
        "scheduler_hints": _hints(given),
    }


def _hints(given: Values) -> dict[str, object]:
    """Return the hints; one that is given several times as a list."""
    found: dict[str, list[object]] = {}
    for each in wire.to_maps(given.get("NovaSchedulerHints")):
        found.setdefault(str(each["Key"]), []).append(each["Value"])
    return {
        key: values if len(values) > 1 else values[0]
        for key, values in found.items()
    }


def _networks(given: Values) -> list[dict[str, object]] | None:
    """Return the interfaces in their order, or else the subnet."""
    interfaces = [
        each if isinstance(each, dict) else {"NetworkInterfaceId": each}
        for each in wire.to_list(given.get(_INTERFACES))
    ]
    if interfaces:
        interfaces.sort(key=lambda each: int(each.get("DeviceIndex") or 0))
        return [{"port": each["NetworkInterfaceId"]} for each in interfaces]
    return [{"subnet": given[_SUBNET]}] if given.get(_SUBNET) else None


def _interface_id(given: object) -> object:
    return given["NetworkInterfaceId"] if isinstance(given, dict) else given


def _device(given: Values) -> dict[str, object]:
    """Return a volume that is created from a snapshot."""
    ebs = given.get("Ebs")
    assert isinstance(ebs, dict)
    name = posixpath.basename(str(given["DeviceName"]))
    found: dict[str, object] = {
        "device_name": given["DeviceName"],
        "snapshot_id": ebs.get("SnapshotId"),
        "delete_on_termination": ebs.get("DeleteOnTermination"),
    }
    if ebs.get("VolumeSize"):
        found["volume_size"] = int(str(ebs["VolumeSize"]))
    return found if name in _ROOT else {**found, "boot_index": _NOT_BOOTED}


def _volume(given: Values) -> dict[str, object]:
    """Return a volume that exists without the server."""
    return {
        "device_name": given["Device"],
        "volume_id": given["VolumeId"],
        "boot_index": _NOT_BOOTED,
        "delete_on_termination": False,
    }


def _find_address(body: wire.Body) -> str | None:
    """Return an address of a server: of its last network by name, as Heat."""
    addresses = attributes.list_networks(body, [])
    for name in sorted(addresses, reverse=True):
        for each in addresses[name]:
            return each
    return None
