"""Instances: servers under other names."""

import dataclasses
import typing

from orch import errors
from orch.conf import api
from orch.conf import signals
from orch.plugin import call_context
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack.nova import compute

Body = dict[str, typing.Any]

_SNAPSHOT: typing.Final = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b01"
_VOLUME: typing.Final = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b02"
_TAG: typing.Final = {"Key": "role", "Value": "web"}


class InstanceTest(clouds.CloudTestCase):
    kind = type_data.load_type("AWS::EC2::Instance")
    cloud: compute.Compute

    def setUp(self) -> None:
        super().setUp()
        self.use(compute.Compute())
        for group in (api, signals):
            group.SECTION.register(self.plugin.conf)
        self.ports = self.cloud.collections["/ports"].rows

    def existing(self, **given: object) -> call_context.Context:
        context = self.context(
            **{"ImageId": compute.IMAGE, "InstanceType": "small", **given}
        )
        made = self.plugin.create(context)
        assert isinstance(made, str)
        return dataclasses.replace(context, physical_id=made)

    def server(self, context: call_context.Context) -> Body:
        return self.cloud.server(context.physical_id)

    def refused(self, **given: object) -> str:
        error = self.assertRaises(
            errors.Invalid,
            self.plugin.validate,
            self.context(**given).properties,
        )
        return error.message

    def test_its_request_is_that_of_a_server(self) -> None:
        found = self.server(
            self.existing(
                KeyName="key",
                AvailabilityZone="nova",
                SecurityGroups=["web", "web"],
                SecurityGroupIds=["ssh"],
                NovaSchedulerHints=[{"Key": "group", "Value": "g"}],
                UserData="#!/bin/sh",
                Tags=[_TAG],
            )
        )

        self.assertEqual("shop-thing-abcdefghijkl", found["name"])
        self.assertEqual("1", found["flavorRef"])
        self.assertEqual(compute.IMAGE, found["imageRef"])
        self.assertEqual("key", found["key_name"])
        self.assertEqual("nova", found["availability_zone"])
        self.assertEqual("web", found["metadata"]["role"])
        self.assertEqual(
            [{"name": "web"}, {"name": "ssh"}],
            self.cloud.requests[-1].body["server"]["security_groups"],
        )
        self.assertEqual(
            {"group": "g"},
            self.cloud.requests[-1].body["os:scheduler_hints"],
        )

    def test_a_hint_of_several_values_is_a_list(self) -> None:
        self.existing(
            NovaSchedulerHints=[
                {"Key": key, "Value": value}
                for key, value in (
                    ("different_host", "a"),
                    ("group", "g"),
                    ("different_host", "b"),
                )
            ]
        )

        self.assertEqual(
            {"different_host": ["a", "b"], "group": "g"},
            self.cloud.requests[-1].body["os:scheduler_hints"],
        )

    def test_it_has_a_port_of_its_own_in_its_subnet(self) -> None:
        context = self.existing(SubnetId=compute.SUBNET)

        ((port_id, port),) = self.ports.items()
        self.assertEqual([{"port": port_id}], self.server(context)["networks"])
        self.assertEqual([{"subnet_id": compute.SUBNET}], port["fixed_ips"])
        del self.cloud.collections["/servers"].rows[str(context.physical_id)]
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual({}, self.ports)

    def test_its_interfaces_are_in_the_order_of_their_index(self) -> None:
        first, second = (
            self.cloud.add("/ports", network_id=compute.NET) for _ in "ab"
        )

        context = self.existing(
            NetworkInterfaces=[
                {"NetworkInterfaceId": second, "DeviceIndex": "1"},
                {"NetworkInterfaceId": first, "DeviceIndex": "0"},
            ]
        )

        self.assertEqual(
            [{"port": first}, {"port": second}],
            self.server(context)["networks"],
        )
        plain = self.existing(NetworkInterfaces=[second])
        self.assertEqual([{"port": second}], self.server(plain)["networks"])

    def test_volumes_are_its_devices(self) -> None:
        found = self.server(
            self.existing(
                Volumes=[{"Device": "/dev/vdc", "VolumeId": _VOLUME}],
                BlockDeviceMappings=[
                    {
                        "DeviceName": "vdb",
                        "Ebs": {
                            "SnapshotId": _SNAPSHOT,
                            "VolumeSize": "2",
                            "DeleteOnTermination": True,
                        },
                    }
                ],
            )
        )

        image, disk, volume = found["block_device_mapping_v2"]
        self.assertEqual(compute.IMAGE, image["uuid"])
        self.assertEqual(
            {
                "boot_index": -1,
                "delete_on_termination": True,
                "device_name": "vdb",
                "volume_size": 2,
                "uuid": _SNAPSHOT,
                "source_type": "snapshot",
                "destination_type": "volume",
            },
            disk,
        )
        self.assertEqual("/dev/vdc", volume["device_name"])
        self.assertEqual(_VOLUME, volume["uuid"])
        self.assertFalse(volume["delete_on_termination"])

    def test_it_starts_from_a_snapshot_that_is_its_first_disk(self) -> None:
        found = self.server(
            self.existing(
                BlockDeviceMappings=[
                    {
                        "DeviceName": "/dev/vda",
                        "Ebs": {"SnapshotId": _SNAPSHOT},
                    }
                ]
            )
        )

        (disk,) = found["block_device_mapping_v2"]
        self.assertEqual((0, _SNAPSHOT), (disk["boot_index"], disk["uuid"]))
        self.assertNotIn("imageRef", found)

    def test_type_tags_and_interfaces_change_in_place(self) -> None:
        context = self.existing(Tags=[_TAG], SubnetId=compute.SUBNET)
        port = self.cloud.add("/ports", network_id=compute.NET)
        after = dataclasses.replace(
            context,
            properties={
                **context.properties,
                "InstanceType": "large",
                "Tags": [{"Key": "role", "Value": "db"}],
                "NetworkInterfaces": [port],
            },
        )
        self.cloud.left_in["resize"] = "VERIFY_RESIZE"

        made = self.plugin.update(
            after,
            context.properties,
            {"InstanceType", "Tags", "NetworkInterfaces"},
        )
        assert made is not None
        after = dataclasses.replace(after, data=made.data)
        while self.plugin.is_updated(after) is not None:
            self.server(context)["status"] = "ACTIVE"

        found = self.server(context)
        self.assertEqual("2", found["flavor"]["id"])
        self.assertEqual("db", found["metadata"]["role"])
        self.assertEqual(
            [port], [each["port_id"] for each in found["interfaces"]]
        )
        self.assertIsNone(self.plugin.find(self.context(token="other")))
        again = self.plugin.find(context)
        self.assertEqual(context.physical_id, again)

    def test_a_replacement_gets_its_interfaces(self) -> None:
        first, second = (
            self.cloud.add("/ports", network_id=compute.NET) for _ in "ab"
        )
        of_first = {"NetworkInterfaceId": first, "DeviceIndex": "0"}
        successor = {"NetworkInterfaces": [of_first]}
        context = dataclasses.replace(
            self.existing(NetworkInterfaces=[of_first, second]),
            successor=successor,
        )

        released = self.plugin.properties_to_release(
            context.properties, successor
        )
        self.assertRaises(errors.Busy, self.plugin.release, context, released)
        self.plugin.release(context, released)

        self.assertEqual({"NetworkInterfaces": [second]}, released)
        self.assertEqual(
            [second],
            [each["port_id"] for each in self.server(context)["interfaces"]],
        )
        self.assertEqual({first, second}, set(self.ports))

    def test_one_in_a_subnet_gives_no_interface(self) -> None:
        for given in ({}, {"SubnetId": compute.SUBNET}):
            self.assertEqual(
                {},
                self.plugin.properties_to_release(
                    given, {"NetworkInterfaces": ["port"]}
                ),
            )

    def test_drift_is_told_under_its_own_names(self) -> None:
        context = self.existing(
            Tags=[_TAG], SecurityGroups=["default"], KeyName="key"
        )
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual(
            {
                "ImageId": compute.IMAGE,
                "InstanceType": "1",
                "KeyName": "key",
                "SecurityGroups": ["default"],
                "Tags": [_TAG],
            },
            live,
        )

        self.server(context)["metadata"]["role"] = "db"

        self.assertEqual(["Tags"], self.differing(context, live))

    def test_its_address_is_that_of_the_last_network(self) -> None:
        context = self.existing()
        self.server(context).update(
            {
                "addresses": {
                    "a": [{"addr": "10.0.0.1"}],
                    "b": [{"addr": "10.1.0.1"}, {"addr": "203.0.113.7"}],
                    "c": [],
                },
                "OS-EXT-AZ:availability_zone": "nova",
            }
        )
        names = [each.name for each in self.kind.attributes]

        found = self.plugin.read_attributes(context, names)

        self.assertEqual("nova", found["AvailabilityZone"])
        for name in set(names) - {"AvailabilityZone"}:
            self.assertEqual("10.1.0.1", found[name])
        self.server(context)["addresses"] = {}
        self.assertEqual(
            {"PublicIp": None},
            self.plugin.read_attributes(context, ["PublicIp"]),
        )

    def test_a_snapshot_is_its_next_image(self) -> None:
        context = self.existing()

        kept = self.plugin.snapshot(context, "s")

        restored = self.plugin.restored_properties(context.properties, kept)
        self.assertIn(
            restored["ImageId"], self.cloud.collections["/images"].rows
        )

    def test_what_excludes_or_lacks_something_is_refused(self) -> None:
        self.assertIn(
            "SecurityGroups/SecurityGroupIds, NetworkInterfaces",
            self.refused(NetworkInterfaces=["p"], SecurityGroupIds=["g"]),
        )
        self.assertIn(
            "Ebs is missing",
            self.refused(
                BlockDeviceMappings=[{"DeviceName": "vdb", "Ebs": None}]
            ),
        )
        self.assertIn(
            "SnapshotId is missing",
            self.refused(
                BlockDeviceMappings=[
                    {"DeviceName": "vdb", "Ebs": {"SnapshotId": None}}
                ]
            ),
        )
        self.assertIn(
            "'big' is no number",
            self.refused(
                BlockDeviceMappings=[
                    {
                        "DeviceName": "vdb",
                        "Ebs": {"SnapshotId": "s", "VolumeSize": "big"},
                    }
                ]
            ),
        )
