"""Types of Neutron that administrators use, on a real control plane."""

import typing

from tests.cloud import drifting
from tests.cloud import short_set

Json = dict[str, typing.Any]


def _declare(noun: str, **properties: object) -> Json:
    return {"type": f"OS::Neutron::{noun}", "properties": properties}


def _ref(name: str) -> Json:
    return {"get_resource": name}


class NetworkTypeTests(drifting.DriftTestCase):
    services = ("network",)
    acts_as_admin = True
    wait_s = 240

    @short_set.case_of(
        "OS::Neutron::AddressScope",
        "OS::Neutron::MeteringLabel",
        "OS::Neutron::MeteringRule",
        "OS::Neutron::ProviderNet",
        "OS::Neutron::QoSBandwidthLimitRule",
        "OS::Neutron::QoSDscpMarkingRule",
        "OS::Neutron::QoSMinimumBandwidthRule",
        "OS::Neutron::QoSMinimumPacketRateRule",
        "OS::Neutron::QoSPolicy",
        "OS::Neutron::Quota",
        "OS::Neutron::RBACPolicy",
        "OS::Neutron::Segment",
        "OS::Neutron::SubnetPool",
    )
    def test_what_an_operator_offers_lives_and_goes(self) -> None:
        def resources(**changed: object) -> Json:
            given = {
                "max_kbps": 1000,
                "ports": 5,
                "prefixes": ["10.40.0.0/16"],
                "description": "gold",
                **changed,
            }
            policy = {"policy": _ref("policy")}
            return {
                "scope": _declare("AddressScope"),
                "pool": _declare(
                    "SubnetPool",
                    address_scope=_ref("scope"),
                    prefixes=given["prefixes"],
                    tags=["blue"],
                ),
                "provided": _declare(
                    "ProviderNet", network_type="vxlan", shared=False
                ),
                "segment": _declare(
                    "Segment",
                    network=_ref("provided"),
                    network_type="vlan",
                    physical_network="physnet1",
                    description=given["description"],
                ),
                "policy": _declare(
                    "QoSPolicy", description=given["description"]
                ),
                "limit": _declare(
                    "QoSBandwidthLimitRule",
                    max_kbps=given["max_kbps"],
                    **policy,
                ),
                "mark": _declare("QoSDscpMarkingRule", dscp_mark=8, **policy),
                "minimum": _declare(
                    "QoSMinimumBandwidthRule", min_kbps=100, **policy
                ),
                "rate": _declare(
                    "QoSMinimumPacketRateRule", min_kpps=10, **policy
                ),
                "label": _declare("MeteringLabel", description="all"),
                "rule": _declare(
                    "MeteringRule",
                    metering_label_id=_ref("label"),
                    remote_ip_prefix="10.0.0.0/8",
                ),
                "project": {"type": "OS::Keystone::Project"},
                "quota": _declare(
                    "Quota", project=_ref("project"), port=given["ports"]
                ),
                "access": _declare(
                    "RBACPolicy",
                    object_type="qos_policy",
                    object_id=_ref("policy"),
                    action="access_as_shared",
                    target_tenant=_ref("project"),
                ),
            }

        stack = self.made(resources())
        ids = {
            name: self.physical_id(stack, name)
            for name in ("pool", "policy", "limit", "project", "segment")
        }

        self.updated(
            stack,
            resources(
                max_kbps=2000,
                ports=6,
                prefixes=["10.40.0.0/15"],
                description="silver",
            ),
        )

        network = self.admin.network
        self.assertEqual(
            2000,
            network.get_qos_bandwidth_limit_rule(
                ids["limit"], ids["policy"]
            ).max_kbps,
        )
        self.assertEqual(6, network.get_quota(ids["project"]).ports)
        self.assertEqual(
            ["10.40.0.0/15"], network.get_subnet_pool(ids["pool"]).prefixes
        )
        segment = network.get_segment(ids["segment"])
        self.assertTrue(segment.description.startswith("silver [orch "))
        self.act(stack, "check")
        self.assertEqual({}, self.drifted(self.observe(stack)))
        self.removed(stack)
        self.assertIsNone(network.find_qos_policy(ids["policy"]))

    @short_set.case_of(
        "OS::Neutron::FloatingIPPortForward",
        "OS::Neutron::RouterGateway",
        "OS::Neutron::Trunk",
    )
    def test_what_leads_to_ports_lives_and_goes(self) -> None:
        def resources(external_port: int, *tagged: int) -> Json:
            return {
                "net": _declare("Net"),
                "subnet": _declare(
                    "Subnet", network=_ref("net"), cidr="10.41.0.0/24"
                ),
                "parent": _declare("Port", network=_ref("net")),
                "child": _declare("Port", network=_ref("net")),
                "other": _declare("Port", network=_ref("net")),
                "trunk": _declare(
                    "Trunk",
                    port=_ref("parent"),
                    sub_ports=[
                        {
                            "port": _ref(name),
                            "segmentation_id": number,
                            "segmentation_type": "vlan",
                        }
                        for name, number in zip(
                            ("child", "other"), tagged, strict=False
                        )
                    ],
                ),
                "router": _declare("Router"),
                "gateway": _declare(
                    "RouterGateway",
                    router_id=_ref("router"),
                    network="public",
                ),
                "interface": _declare(
                    "RouterInterface",
                    router=_ref("router"),
                    subnet=_ref("subnet"),
                ),
                "address": _declare("FloatingIP", floating_network="public"),
                "forward": _declare(
                    "FloatingIPPortForward",
                    floating_ip=_ref("address"),
                    internal_port=_ref("parent"),
                    internal_ip_address={
                        "get_attr": ["parent", "fixed_ips", 0, "ip_address"]
                    },
                    internal_port_number=80,
                    external_port=external_port,
                    protocol="tcp",
                ),
            }

        stack = self.made(resources(8080, 101))
        network = self.admin.network
        router, trunk, address, forward = (
            self.physical_id(stack, name)
            for name in ("router", "trunk", "address", "forward")
        )
        self.assertTrue(network.get_router(router).external_gateway_info)

        self.updated(stack, resources(8081, 102, 103))

        self.assertEqual(
            {102, 103},
            {
                each["segmentation_id"]
                for each in network.get_trunk(trunk).sub_ports
            },
        )
        self.assertEqual(
            8081, network.get_port_forwarding(forward, address).external_port
        )
        self.act(stack, "check")
        self.assertEqual({}, self.drifted(self.observe(stack)))
        self.removed(stack)
        self.assertIsNone(network.find_trunk(trunk))
