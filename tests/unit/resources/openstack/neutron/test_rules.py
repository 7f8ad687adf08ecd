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
                rules.normalise_rules([one] if isinstance(one, dict) else one),
                rules.normalise_rules(
                    [other] if isinstance(other, dict) else other
                ),
            )

    def test_their_order_does_not_matter_and_others_differ(self) -> None:
        icmp = {"protocol": "icmp"}

        self.assertEqual(
            rules.normalise_rules([SSH, icmp]),
            rules.normalise_rules([icmp, SSH]),
        )
        self.assertNotEqual(
            rules.normalise_rules([SSH]), rules.normalise_rules([icmp])
        )

    def test_without_a_rule_about_it_everything_may_leave(self) -> None:
        self.assertEqual(
            rules.normalise_rules([SSH]),
            rules.normalise_rules(
                [
                    SSH,
                    {"direction": "egress"},
                    {"direction": "egress", "ethertype": "IPv6"},
                ]
            ),
        )

    def test_a_group_that_lets_nothing_out_differs(self) -> None:
        found = rules.all_from_wire([{**SSH, "direction": "ingress"}], "g")

        self.assertIn(rules.NOTHING_OUT, found)
        self.assertNotEqual(
            rules.normalise_rules([SSH]), rules.normalise_rules(found)
        )

    def test_the_group_itself_is_no_id(self) -> None:
        rule = {"remote_mode": "remote_group_id"}

        self.assertEqual("g", rules.to_wire(rule, "g")["remote_group_id"])
        self.assertEqual(
            rules.rule_text(rule),
            rules.rule_text(
                rules.from_wire({"remote_group_id": "g"}, "g"),
            ),
        )
        self.assertNotEqual(
            rules.rule_text(rule),
            rules.rule_text(rules.from_wire({"remote_group_id": "h"}, "g")),
        )
