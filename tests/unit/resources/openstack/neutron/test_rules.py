"""The form of rules of security groups."""

from orch.resources.openstack.neutron import rules
from tests import base

SSH = {"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}


class RulesTest(base.TestCase):
    def test_like_rules_are_the_same(self) -> None:
        for one, other in (
            (SSH, {**SSH, "direction": "ingress", "ethertype": "IPv4"}),
            ({"protocol": "TCP"}, {"protocol": "tcp"}),
            (
                {"remote_ip_prefix": "10.0.0.1/8"},
                {"remote_ip_prefix": "10.0.0.0/8"},
            ),
            (
                {"ethertype": "IPv6", "protocol": "icmp"},
                {"ethertype": "IPv6", "protocol": "ipv6-icmp"},
            ),
            ([], None),
        ):
            self.assertEqual(
                rules.normalise([one] if isinstance(one, dict) else one),
                rules.normalise([other] if isinstance(other, dict) else other),
            )

    def test_their_order_does_not_matter_and_others_differ(self) -> None:
        icmp = {"protocol": "icmp"}

        self.assertEqual(
            rules.normalise([SSH, icmp]), rules.normalise([icmp, SSH])
        )
        self.assertNotEqual(rules.normalise([SSH]), rules.normalise([icmp]))

    def test_without_a_rule_about_it_everything_may_leave(self) -> None:
        self.assertEqual(
            rules.normalise([SSH]),
            rules.normalise(
                [
                    SSH,
                    {"direction": "egress"},
                    {"direction": "egress", "ethertype": "IPv6"},
                ]
            ),
        )

    def test_a_group_that_lets_nothing_out_differs(self) -> None:
        found = rules.all_of_wire([{**SSH, "direction": "ingress"}], "g")

        self.assertIn(rules.NOTHING_OUT, found)
        self.assertNotEqual(rules.normalise([SSH]), rules.normalise(found))

    def test_the_group_itself_is_no_id(self) -> None:
        rule = {"remote_mode": "remote_group_id"}

        self.assertEqual("g", rules.to_wire(rule, "g")["remote_group_id"])
        self.assertEqual(
            rules.text_of(rule),
            rules.text_of(
                rules.of_wire({"remote_group_id": "g"}, "g"),
            ),
        )
        self.assertNotEqual(
            rules.text_of(rule),
            rules.text_of(rules.of_wire({"remote_group_id": "h"}, "g")),
        )
