"""Volumes, and the smaller things of Nova, on a real control plane."""

import typing

from tests.cloud import cases
from tests.cloud import short_set
from tests.cloud import test_server

Json = dict[str, typing.Any]


def volume(**properties: object) -> Json:
    return {
        "type": "OS::Cinder::Volume",
        "properties": {"size": 1, **properties},
    }


class VolumeTests(cases.RigTestCase):
    services = ("block-storage", "compute", "network", "image")
    limit_s = 500
    wait_s = 200

    def volume(self, volume_id: str) -> Json:
        found = self.user.block_storage.get_volume(volume_id)
        return dict(found.to_dict())

    @short_set.case_of("OS::Cinder::Volume")
    def test_it_is_made_changed_in_place_and_removed(self) -> None:
        outputs = {
            "size": {"value": {"get_attr": ["disk", "size"]}},
            "held": {"value": {"get_attr": ["disk", "metadata_values"]}},
        }
        resources = {
            "disk": volume(
                description="d", metadata={"a": "1"}, image="cirros"
            ),
            "copy": volume(
                source_volid={"get_resource": "disk"}, read_only=True
            ),
        }
        stack = self.made(resources, outputs=outputs)
        disk_id = self.physical_id(stack, "disk")
        copy = self.volume(self.physical_id(stack, "copy"))
        self.assertEqual("1", self.here.outputs(stack)["size"])
        self.assertEqual(disk_id, copy["source_volume_id"])
        self.assertEqual("True", copy["metadata"]["readonly"])

        resources["disk"]["properties"].update(
            size=2, description="e", metadata={"b": "2"}, name="big"
        )
        self.updated(stack, resources, outputs=outputs)

        self.assertEqual(disk_id, self.physical_id(stack, "disk"))
        disk = self.volume(disk_id)
        self.assertEqual(
            (2, "e", "big"),
            (disk["size"], disk["description"], disk["name"]),
        )
        held = disk["metadata"]
        self.assertEqual({"b", "orch:token"}, set(held))
        self.act(stack, "check")
        self.removed(stack)
        self.assertIsNone(self.user.block_storage.find_volume(disk_id))

    @short_set.case_of("OS::Cinder::VolumeAttachment")
    def test_it_moves_from_server_to_server(self) -> None:
        resources = test_server.site()
        resources["other"] = resources["server"]
        resources["disk"] = volume()
        resources["attachment"] = {
            "type": "OS::Cinder::VolumeAttachment",
            "properties": {
                "instance_uuid": {"get_resource": "server"},
                "volume_id": {"get_resource": "disk"},
            },
        }
        stack = self.made(resources)
        disk_id = self.physical_id(stack, "disk")

        def holders() -> list[str]:
            disk = self.volume(disk_id)
            return [str(each["server_id"]) for each in disk["attachments"]]

        self.assertEqual([self.physical_id(stack, "server")], holders())
        where = resources["attachment"]["properties"]
        where["instance_uuid"] = {"get_resource": "other"}
        self.updated(stack, resources)

        self.assertEqual([self.physical_id(stack, "other")], holders())
        self.assertEqual("in-use", self.volume(disk_id)["status"])
        self.act(stack, "check")
        self.removed(stack)
        self.assertIsNone(self.user.block_storage.find_volume(disk_id))


class SmallTests(cases.RigTestCase):
    services = ("compute",)
    acts_as_admin = True
    limit_s = 300
    wait_s = 200

    @short_set.case_of("OS::Nova::KeyPair")
    def test_a_key_pair_shows_the_private_key_where_that_is_kept(
        self,
    ) -> None:
        stack = self.made(
            {
                "key": {
                    "type": "OS::Nova::KeyPair",
                    "properties": {
                        "name": self.name,
                        "save_private_key": True,
                    },
                }
            },
            outputs={
                name: {"value": {"get_attr": ["key", name]}}
                for name in ("private_key", "public_key")
            },
        )

        told = self.here.outputs(stack)
        self.assertIn("PRIVATE KEY", str(told["private_key"]))
        found = self.user.compute.get_keypair(self.name)
        self.assertEqual(found.public_key, told["public_key"])
        self.act(stack, "check")
        self.removed(stack)
        self.assertIsNone(self.user.compute.find_keypair(self.name))

    def test_a_key_pair_of_a_name_that_is_taken_is_refused(self) -> None:
        self.user.compute.create_keypair(name=self.name)
        self.addCleanup(self.user.compute.delete_keypair, self.name)

        stack = self.made(
            {
                "key": {
                    "type": "OS::Nova::KeyPair",
                    "properties": {"name": self.name},
                }
            },
            status="CREATE_FAILED",
        )

        reason = self.here.show(stack)["stack_status_reason"]
        self.assertIn("already exists", str(reason))

    @short_set.case_of("OS::Nova::Flavor")
    def test_a_flavor_has_specs_and_projects(self) -> None:
        def wanted(specs: Json, *projects: str) -> Json:
            return {
                "size": {
                    "type": "OS::Nova::Flavor",
                    "properties": {
                        "ram": 64,
                        "vcpus": 1,
                        "is_public": False,
                        "extra_specs": specs,
                        "tenants": list(projects),
                    },
                }
            }

        stack = self.made(wanted({"hw:a": "1", "hw:b": "2"}, "demo"))
        flavor_id = self.physical_id(stack, "size")
        self.updated(stack, wanted({"hw:b": "3"}, "admin", "demo"))

        self.assertEqual(flavor_id, self.physical_id(stack, "size"))
        flavor = self.user.compute.get_flavor(flavor_id)
        self.assertEqual({"hw:b": "3"}, flavor.extra_specs)
        access = self.user.compute.get_flavor_access(flavor_id)
        self.assertEqual(2, len(access))
        self.act(stack, "check")
        self.removed(stack)
        self.assertIsNone(self.user.compute.find_flavor(flavor_id))

    @short_set.case_of("OS::Nova::ServerGroup")
    def test_servers_are_told_which_group_they_are_in(self) -> None:
        resources = test_server.site(
            scheduler_hints={"group": {"get_resource": "group"}}
        )
        resources["group"] = {
            "type": "OS::Nova::ServerGroup",
            "properties": {"policies": ["soft-anti-affinity"]},
        }
        stack = self.made(resources)

        group = self.user.compute.get_server_group(
            self.physical_id(stack, "group")
        )
        self.assertEqual([self.physical_id(stack, "server")], group.member_ids)
        self.assertEqual("soft-anti-affinity", group.policy)
