"""Properties in the schemas of Heat that Neutron refuses in requests."""

from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_PARENT = "5d4b3a1e-0000-4000-8000-00000000000a"
_PROJECT = "5d4b3a1e00004000800000000000000b"


class RefusedPropertyTest(clouds.CloudTestCase):
    def use_type(self, noun: str) -> None:
        self.kind = type_data.load_type(  # type: ignore[misc]
            f"OS::Neutron::{noun}"
        )

    def test_another_dns_name_makes_another_floating_address(self) -> None:
        """https://docs.openstack.org/api-ref/network/v2/#update-floating-ip"""
        self.use_type("FloatingIP")
        self.use(clouds.Cloud())

        for name in ("dns_name", "dns_domain"):
            self.assertTrue(
                self.plugin.needs_replacement(
                    {name: "a"}, {name: None}, (name,)
                )
            )
        self.assertFalse(
            self.plugin.needs_replacement(
                {"port_id": "a"}, {"port_id": "b"}, ("port_id",)
            )
        )

    def test_a_rule_of_qos_is_of_the_project_of_its_policy(self) -> None:
        for noun, path, limit in (
            ("QoSBandwidthLimitRule", "bandwidth_limit_rules", "max_kbps"),
            ("QoSDscpMarkingRule", "dscp_marking_rules", "dscp_mark"),
            (
                "QoSMinimumBandwidthRule",
                "minimum_bandwidth_rules",
                "min_kbps",
            ),
            (
                "QoSMinimumPacketRateRule",
                "minimum_packet_rate_rules",
                "min_kpps",
            ),
        ):
            with self.subTest(noun):
                self.use_type(noun)
                kept = clouds.Collection(path.removesuffix("s"), path)
                cloud = clouds.Cloud()
                cloud.collections[f"/qos/policies/{_PARENT}/{path}"] = kept
                self.use(cloud)

                self.made(policy=_PARENT, tenant_id=_PROJECT, **{limit: 10})

                (rule,) = kept.rows.values()
                self.assertNotIn("tenant_id", rule)
