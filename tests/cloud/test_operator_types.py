"""Types of Cinder and Nova that administrators use, on real services."""

import typing

from tests.cloud import drifting
from tests.cloud import short_set

Json = dict[str, typing.Any]


def _declare(kind: str, **properties: object) -> Json:
    return {"type": f"OS::{kind}", "properties": properties}


def _ref(name: str) -> Json:
    return {"get_resource": name}


class OperatorTypeTests(drifting.DriftTestCase):
    services = ("block-storage", "compute", "network", "image")
    acts_as_admin = True
    limit_s = 500
    wait_s = 240

    @short_set.case_of(
        "OS::Cinder::EncryptedVolumeType",
        "OS::Cinder::QoSAssociation",
        "OS::Cinder::QoSSpecs",
        "OS::Cinder::Quota",
        "OS::Cinder::VolumeType",
        "OS::Nova::HostAggregate",
        "OS::Nova::Quota",
    )
    def test_what_an_operator_offers_lives_and_goes(self) -> None:
        compute, volumes = self.admin.compute, self.admin.block_storage
        host = next(
            str(each.host)
            for each in compute.services()
            if each.binary == "nova-compute"
        )

        def resources(
            specs: Json, metadata: Json, limit: int, *, is_open: bool
        ) -> Json:
            return {
                "project": _declare("Keystone::Project"),
                "type": _declare(
                    "Cinder::VolumeType",
                    name=f"{self.name}-secret",
                    metadata=metadata,
                    is_public=is_open,
                    projects=[] if is_open else [_ref("project")],
                ),
                "encryption": _declare(
                    "Cinder::EncryptedVolumeType",
                    volume_type=_ref("type"),
                    provider="luks",
                    key_size=limit * 64,
                ),
                "specs": _declare("Cinder::QoSSpecs", specs=specs),
                "association": _declare(
                    "Cinder::QoSAssociation",
                    qos_specs=_ref("specs"),
                    volume_types=[_ref("type")],
                ),
                "disks": _declare(
                    "Cinder::Quota", project=_ref("project"), volumes=limit
                ),
                "servers": _declare(
                    "Nova::Quota", project=_ref("project"), instances=limit
                ),
                "hosts": _declare(
                    "Nova::HostAggregate",
                    name=f"{self.name}-hosts",
                    hosts=[host],
                    metadata=metadata,
                ),
            }

        stack = self.made(
            resources(
                {"consumer": "front-end", "read_iops_sec": "100"},
                {"a": "1", "b": "2"},
                2,
                is_open=False,
            )
        )
        ids = {
            name: self.physical_id(stack, name)
            for name in ("project", "type", "specs", "hosts")
        }
        access = volumes.get(f"/types/{ids['type']}/os-volume-type-access")
        self.assertEqual(
            [ids["project"]],
            [
                each["project_id"]
                for each in access.json()["volume_type_access"]
            ],
        )

        self.updated(
            stack,
            resources(
                {"consumer": "front-end", "write_iops_sec": "50"},
                {"b": "3"},
                4,
                is_open=True,
            ),
        )

        found = volumes.get_type(ids["type"])
        self.assertTrue(found.is_public)
        self.assertEqual({"b": "3"}, found.extra_specs)
        specs = volumes.get(f"/qos-specs/{ids['specs']}").json()["qos_specs"]
        self.assertEqual({"write_iops_sec": "50"}, specs["specs"])
        associated = volumes.get(f"/qos-specs/{ids['specs']}/associations")
        self.assertIn(ids["type"], associated.text)
        encryption = volumes.get(f"/types/{ids['type']}/encryption").json()
        self.assertEqual(256, encryption["key_size"])
        aggregate = compute.get_aggregate(ids["hosts"])
        self.assertEqual([host], aggregate.hosts)
        self.assertEqual({"b": "3"}, aggregate.metadata)
        self.assertEqual(4, compute.get_quota_set(ids["project"]).instances)
        self.act(stack, "check")
        self.assertEqual({}, self.drifted(self.observe(stack)))
        self.removed(stack)
        self.assertIsNone(volumes.find_type(ids["type"]))
        self.assertIsNone(compute.find_aggregate(ids["hosts"]))

    @short_set.case_of(
        "OS::Nova::FloatingIP", "OS::Nova::FloatingIPAssociation"
    )
    def test_a_server_gets_an_address_of_a_pool(self) -> None:
        network = {"network": _ref("net")}
        stack = self.made(
            {
                "net": _declare("Neutron::Net"),
                "subnet": _declare(
                    "Neutron::Subnet", cidr="10.42.0.0/24", **network
                ),
                "router": _declare(
                    "Neutron::Router",
                    external_gateway_info={"network": "public"},
                ),
                "interface": _declare(
                    "Neutron::RouterInterface",
                    router=_ref("router"),
                    subnet=_ref("subnet"),
                ),
                "server": _declare(
                    "Nova::Server",
                    flavor="m1.tiny",
                    image="cirros",
                    networks=[network],
                ),
                "address": _declare("Nova::FloatingIP", pool="public"),
                "association": _declare(
                    "Nova::FloatingIPAssociation",
                    floating_ip=_ref("address"),
                    server_id=_ref("server"),
                ),
            },
            outputs={"ip": {"value": {"get_attr": ["address", "ip"]}}},
        )

        server = self.physical_id(stack, "server")
        (port,) = self.admin.network.ports(device_id=server)
        found = self.admin.network.get_ip(self.physical_id(stack, "address"))
        self.assertEqual(port.id, found.port_id)
        self.assertEqual(
            found.floating_ip_address, self.here.outputs(stack)["ip"]
        )
        self.act(stack, "check")
