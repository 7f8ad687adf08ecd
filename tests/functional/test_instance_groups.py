"""Groups of instances that launch configurations define: through REST."""

import collections.abc
import json
import typing

from tests.functional import test_groups
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

MAPPED: typing.Final = {
    "resource_registry": {"AWS::EC2::Instance": "Test::World::Instance"}
}
"""An environment in which a test type serves for instances."""


def configuration(image: str = "cirros", **more: object) -> Json:
    return {
        "type": "AWS::AutoScaling::LaunchConfiguration",
        "properties": {"ImageId": image, "InstanceType": "small", **more},
    }


def rolling(group: Json, **policy: object) -> Json:
    """Return a group whose members change with their configuration."""
    is_fixed = group["type"] == "OS::Heat::InstanceGroup"
    name = "RollingUpdate" if is_fixed else "AutoScalingRollingUpdate"
    return {**group, "update_policy": {name: policy}}


def instance_group(size: int, **more: object) -> Json:
    return {
        "type": "OS::Heat::InstanceGroup",
        "properties": {
            "AvailabilityZones": ["nova"],
            "LaunchConfigurationName": {"get_resource": "conf"},
            "Size": size,
            **more,
        },
    }


def scaling_group(**more: object) -> Json:
    return {
        "type": "AWS::AutoScaling::AutoScalingGroup",
        "properties": {
            "AvailabilityZones": ["nova"],
            "LaunchConfigurationName": {"get_resource": "conf"},
            "MinSize": 1,
            "MaxSize": 4,
            "DesiredCapacity": 2,
            **more,
        },
    }


def scaling_policy(adjustment: int = 1, **more: object) -> Json:
    return {
        "type": "AWS::AutoScaling::ScalingPolicy",
        "properties": {
            "AdjustmentType": "ChangeInCapacity",
            "ScalingAdjustment": adjustment,
            "AutoScalingGroupName": {"get_resource": "g"},
            **more,
        },
    }


class InstancesTestCase(test_groups.GroupsTestCase):
    """Groups whose instances are things of the world."""

    def make(
        self, resources: Json, wait: str = "CREATE_COMPLETE", **body: object
    ) -> rest.Stack:
        body.setdefault("environment", MAPPED)
        return super().make(resources, wait, **body)

    def change(
        self,
        stack: rest.Stack,
        resources: Json,
        wait: str | None = "UPDATE_COMPLETE",
        **body: object,
    ) -> None:
        body.setdefault("environment", MAPPED)
        super().change(stack, resources, wait, **body)

    def made_of(self) -> list[str]:
        """Return image and flavor of each instance, sorted."""
        return sorted(each.label for each in self.physical_resources())

    def signal(self, stack: rest.Stack, name: str = "up") -> None:
        self.client.ask("POST", f"{stack.path}/resources/{name}/signal", {})

    def instance_notices(self, stack: rest.Stack) -> list[Json]:
        """Return what each instance of the group was told."""
        inner = self.child_of(stack, "g")
        shown = []
        for name in self.client.resources(inner):
            path = f"{inner.path}/resources/{name}?with_attr=told"
            found = typing.cast(Json, self.client.get(path, "resource"))
            shown.append(found["attributes"]["told"])
        return shown

    def updates(self, inner: rest.Stack) -> int:
        found = self.operations(inner)
        return sum(each["action"] == "UPDATE" for each in found)

    def refused_text(
        self, ask: collections.abc.Callable[..., object], *given: object
    ) -> str:
        """Return why a request was refused."""
        error = self.assertRaises(rest.RefusedError, ask, *given)
        self.assertEqual(400, error.status, error.body)
        return error.message

    def failure(self, stack: rest.Stack) -> str:
        return str(self.client.show(stack)["stack_status_reason"])


class InstanceGroupTests(InstancesTestCase):
    def test_a_template_without_all_attributes_serves_for_instances(
        self,
    ) -> None:
        provider = world_templates.template(
            inside={"type": "Test::World::Thing"}
        )
        provider["parameters"] = {
            "ImageId": {"type": "string"},
            "InstanceType": {"type": "string"},
            "Tags": {"type": "comma_delimited_list"},
        }
        provider["outputs"] = {"PublicIp": {"value": "192.0.2.7"}}
        given: Json = {
            "environment": {
                "resource_registry": {"AWS::EC2::Instance": "provider.yaml"}
            },
            "files": {"provider.yaml": json.dumps(provider)},
        }
        listed = {"list": {"value": {"get_attr": ["g", "InstanceList"]}}}

        stack = self.make(
            {"conf": configuration(), "g": instance_group(2)},
            outputs=listed,
            **given,
        )
        self.assertEqual(
            {"list": "192.0.2.7,192.0.2.7"}, self.client.outputs(stack)
        )
        self.change(
            stack,
            {"conf": configuration(), "g": instance_group(3)},
            outputs=listed,
            **given,
        )

        self.assertEqual(3, len(self.physical_resources()))

    def test_its_instances_are_as_the_configuration_says(self) -> None:
        conf = configuration(
            UserData="#!/bin/sh",
            BlockDeviceMappings=[
                {"DeviceName": "vdb", "Ebs": {"VolumeSize": "1"}}
            ],
        )
        conf["metadata"] = {"config": "inside"}
        stack = self.make(
            {
                "conf": conf,
                "g": instance_group(2, Tags=[{"Key": "k", "Value": "v"}]),
            },
            outputs={
                "list": {"value": {"get_attr": ["g", "InstanceList"]}},
                "name": {"value": {"get_resource": "g"}},
            },
        )

        self.assertEqual(["cirros/small"] * 2, self.made_of())
        outputs = self.outputs(stack)
        self.assertEqual(
            {
                f"10.0.0.{each.id.removeprefix('thing-')}"
                for each in self.physical_resources()
            },
            set(str(outputs["list"]).split(",")),
        )
        for told in self.instance_notices(stack):
            self.assertEqual("#!/bin/sh", told["UserData"])
            self.assertEqual({"config": "inside"}, told["metadata"])
            self.assertEqual(
                [
                    {
                        "DeviceName": "vdb",
                        "Ebs": {
                            "DeleteOnTermination": True,
                            "VolumeSize": "1",
                        },
                    }
                ],
                told["BlockDeviceMappings"],
            )
            self.assertEqual(
                [
                    {"Key": "k", "Value": "v"},
                    {"Key": "metering.groupname", "Value": outputs["name"]},
                ],
                told["Tags"],
            )

    def test_who_sets_metering_tags_gets_no_other(self) -> None:
        tags = [{"Key": "metering.mine", "Value": "v"}]

        stack = self.make(
            {"conf": configuration(), "g": instance_group(1, Tags=tags)}
        )

        self.assertEqual(
            [tags], [one["Tags"] for one in self.instance_notices(stack)]
        )

    def test_its_size_follows_the_template(self) -> None:
        stack = self.make({"conf": configuration(), "g": instance_group(1)})
        before = self.by_name()

        self.change(stack, {"conf": configuration(), "g": instance_group(3)})
        grown = self.by_name()
        self.change(stack, {"conf": configuration(), "g": instance_group(0)})

        self.assertEqual(3, len(grown))
        self.assertEqual({**grown, **before}, grown)
        self.assertEqual([], self.physical_resources())

    def test_another_configuration_changes_all_in_batches(self) -> None:
        group = instance_group(3)
        group["update_policy"] = {
            "RollingUpdate": {"MaxBatchSize": 2, "PauseTime": "PT1S"}
        }
        stack = self.make({"conf": configuration(), "g": group})
        inner = self.child_of(stack, "g")
        before = self.by_name()

        self.change(
            stack, {"conf": configuration(InstanceType="large"), "g": group}
        )

        self.assertEqual(before, self.by_name())
        self.assertEqual(["cirros/large"] * 3, self.made_of())
        self.assertEqual(2, self.updates(inner))

    def test_without_a_policy_those_that_stand_stay_as_they_are(self) -> None:
        stack = self.make({"conf": configuration(), "g": instance_group(2)})
        before = self.by_name()

        self.change(
            stack, {"conf": configuration("debian"), "g": instance_group(3)}
        )

        self.assertEqual({**self.by_name(), **before}, self.by_name())
        self.assertEqual(
            ["cirros/small", "cirros/small", "debian/small"], self.made_of()
        )

    def test_some_stay_in_service_while_others_are_replaced(self) -> None:
        group = instance_group(2)
        group["update_policy"] = {
            "RollingUpdate": {"MinInstancesInService": 2}
        }
        stack = self.make({"conf": configuration(), "g": group})

        self.change(stack, {"conf": configuration("debian"), "g": group})

        self.assertEqual(["debian/small"] * 2, self.made_of())
        # A spare one was made before any other was touched.
        acts = self.world.calls()
        kinds = [
            each.act
            for each in acts
            if each.stack.startswith(self.name)
            and each.act in ("create", "delete")
        ]
        self.assertEqual(["create"] * 3, kinds[:3])

    def test_a_retry_goes_on_with_what_failed(self) -> None:
        group = rolling(instance_group(3), MaxBatchSize=2)
        stack = self.make({"conf": configuration(), "g": group})
        victim = sorted(self.by_name())[0]
        self.world.order(
            self.name, "update", victim, how="permanent", moment="before"
        )
        large = configuration(InstanceType="large")
        self.change(stack, {"conf": large, "g": group}, "UPDATE_FAILED")
        self.world.forgive(self.name)

        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["cirros/large"] * 3, self.made_of())

    def test_a_rollback_brings_the_old_configuration_back(self) -> None:
        group = rolling(instance_group(2), MaxBatchSize=2)
        stack = self.make({"conf": configuration(), "g": group})
        victim = sorted(self.by_name())[0]
        self.world.order(
            self.name,
            "update",
            victim,
            how="permanent",
            moment="before",
            times=1,
        )

        self.change(
            stack,
            {"conf": configuration(InstanceType="large"), "g": group},
            "ROLLBACK_COMPLETE",
            disable_rollback=False,
        )

        self.assertEqual(["cirros/small"] * 2, self.made_of())

    def test_it_goes_with_its_stack(self) -> None:
        stack = self.make({"conf": configuration(), "g": instance_group(2)})

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.physical_resources())

    def test_a_snapshot_brings_its_instances_back(self) -> None:
        resources = {"conf": configuration(), "g": instance_group(2)}
        stack = self.make(resources)
        taken = typing.cast(
            Json, self.client.ask("POST", f"{stack.path}/snapshots", {})
        )
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        self.change(stack, {**resources, "g": instance_group(4)})

        self.client.ask(
            "POST",
            f"{stack.path}/snapshots/{taken['id']}/restore",
        )
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual(2, len(self.physical_resources()))

    def test_without_a_plug_in_for_instances_it_is_refused(self) -> None:
        text = self.refused_text(
            lambda: self.make(
                {"conf": configuration(), "g": instance_group(1)},
                environment={},
            )
        )

        self.assertIn("AWS::EC2::Instance", text)

    def test_what_needs_another_service_is_refused(self) -> None:
        for group, conf, named in (
            (instance_group(1, LoadBalancerNames=["lb"]), {}, "LoadBalancer"),
            (scaling_group(InstanceId="i"), {}, "InstanceId"),
            (instance_group(1), {"InstanceId": "i"}, "InstanceId"),
            (
                scaling_group(VPCZoneIdentifier=["a", "b"]),
                {},
                "VPCZoneIdentifier",
            ),
        ):
            resources = {"conf": configuration(**conf), "g": group}

            text = self.refused_text(self.make, resources)

            self.assertIn(named, text)

    def test_a_configuration_that_is_none_is_named(self) -> None:
        for name in ("nothing", {"get_resource": "value"}):
            self.take_name()
            group = instance_group(1, LaunchConfigurationName=name)
            value = {"type": "OS::Heat::Value", "properties": {"value": 1}}

            stack = self.make({"value": value, "g": group}, "CREATE_FAILED")

            self.assertIn("reference can not be found", self.failure(stack))

    def test_a_pause_that_is_none_is_named(self) -> None:
        group = instance_group(1)
        group["update_policy"] = {"RollingUpdate": {"PauseTime": "soon"}}

        stack = self.make(
            {"conf": configuration(), "g": group}, "CREATE_FAILED"
        )

        self.assertIn("PT#H#M#S", self.failure(stack))


class AutoScalingTests(InstancesTestCase):
    def resources(self, **more: object) -> Json:
        return {
            "conf": configuration(),
            "g": scaling_group(**more),
            "up": scaling_policy(),
            "down": scaling_policy(-9),
        }

    def resize(self, stack: rest.Stack, name: str, count: int) -> None:
        """Signal a policy; return once the group has so many."""
        self.signal(stack, name)
        waiting.wait_for(
            lambda: len(self.physical_resources()) == count, f"{count} members"
        )
        self.client.wait(self.child_of(stack, "g"), "UPDATE_COMPLETE")

    def test_signals_change_its_size_within_bounds(self) -> None:
        stack = self.make(self.resources())

        self.resize(stack, "up", 3)
        self.resize(stack, "down", 1)

        self.assertEqual(["cirros/small"], self.made_of())

    def test_its_size_is_kept_when_its_configuration_changes(self) -> None:
        group = scaling_group()
        group["update_policy"] = {
            "AutoScalingRollingUpdate": {"MaxBatchSize": 2}
        }
        stack = self.make({**self.resources(), "g": group})
        inner = self.child_of(stack, "g")
        self.resize(stack, "up", 3)

        self.change(
            stack,
            {**self.resources(), "g": group, "conf": configuration("debian")},
        )

        self.assertEqual(["debian/small"] * 3, self.made_of())
        self.assertEqual(3, self.updates(inner))

    def test_a_cooldown_holds_further_signals_back(self) -> None:
        stack = self.make(self.resources())
        self.change(stack, self.resources(Cooldown=600))
        self.resize(stack, "up", 3)
        before = self.updates(self.child_of(stack, "g"))

        self.signal(stack, "up")

        self.assertEqual(before, self.updates(self.child_of(stack, "g")))
        self.assertEqual(3, len(self.physical_resources()))

    def test_so_does_that_of_its_creation(self) -> None:
        stack = self.make(self.resources(Cooldown=600))

        self.signal(stack, "up")

        self.assertEqual(0, self.updates(self.child_of(stack, "g")))

    def test_its_instances_know_their_group_and_subnet(self) -> None:
        stack = self.make(
            self.resources(VPCZoneIdentifier=["net"]),
            outputs={"name": {"value": {"get_resource": "g"}}},
        )
        name = self.outputs(stack)["name"]

        for told in self.instance_notices(stack):
            self.assertEqual("net", told["SubnetId"])
            self.assertEqual(
                [
                    {"Key": "metering.groupname", "Value": name},
                    {"Key": "metering.AutoScalingGroupName", "Value": name},
                ],
                told["Tags"],
            )

    def test_it_begins_with_its_smallest_size(self) -> None:
        group = scaling_group()
        del group["properties"]["DesiredCapacity"]

        self.make({"conf": configuration(), "g": group})

        self.assertEqual(1, len(self.physical_resources()))

    def test_a_size_that_cannot_be_is_refused(self) -> None:
        for name, size, why in (
            ("MinSize", 5, "MinSize (5) must not be greater than MaxSize (4)"),
            ("DesiredCapacity", 9, "DesiredCapacity (9) must "),
            ("MinSize", -1, "can not be less than zero"),
        ):
            text = self.refused_text(self.make, self.resources(**{name: size}))
            self.assertIn(why, text)

    def test_it_names_a_configuration(self) -> None:
        group = scaling_group()
        del group["properties"]["LaunchConfigurationName"]

        stack = self.make({"g": group}, "CREATE_FAILED")

        self.assertIn("'LaunchConfigurationName'", self.failure(stack))


class PolicyTests(InstancesTestCase):
    def test_a_policy_without_a_group_is_not_made(self) -> None:
        value: Json = {"type": "OS::Heat::Value", "properties": {"value": 1}}
        for group, kind in (
            ("nothing", "no resource of this stack"),
            ({"get_resource": "value"}, "OS::Heat::Value"),
            ({"get_resource": "fixed"}, "OS::Heat::InstanceGroup"),
        ):
            self.take_name()
            resources = {
                "value": value,
                "conf": configuration(),
                "fixed": instance_group(0),
                "up": scaling_policy(AutoScalingGroupName=group),
            }

            stack = self.make(resources, "CREATE_FAILED")

            self.assertIn(kind, self.failure(stack))

    def test_heats_policy_needs_a_group_too(self) -> None:
        policy = world_templates.template(
            up={
                "type": "OS::Heat::ScalingPolicy",
                "properties": {
                    "adjustment_type": "exact_capacity",
                    "scaling_adjustment": 1,
                    "auto_scaling_group_id": "nothing",
                },
            }
        )

        stack = self.client.create(self.name, policy)
        self.client.wait(stack, "CREATE_FAILED")

        self.assertIn("auto_scaling_group_id", self.failure(stack))

    def test_a_group_may_be_named_by_what_it_is_called(self) -> None:
        stack = self.make(
            {
                "conf": configuration(),
                "g": scaling_group(),
                "up": scaling_policy(AutoScalingGroupName="g"),
            }
        )

        self.signal(stack)

        waiting.wait_for(
            lambda: len(self.physical_resources()) == 3, "a third member"
        )
