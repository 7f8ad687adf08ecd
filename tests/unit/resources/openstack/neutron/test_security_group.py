"""Security groups, whose rules take requests of their own."""

import dataclasses
import typing

from orch.plugin import call_context
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

SSH = {"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}
WEB = {"protocol": "tcp", "port_range_min": 80, "port_range_max": 80}
_RULES: typing.Final = "/security-group-rules"
_OUT = [
    {"id": each, "direction": "egress", "ethertype": each}
    for each in ("IPv4", "IPv6")
]


class Cloud(clouds.Cloud):
    """Shows the rules within their group, as Neutron does."""

    def find_answer(
        self, method: str, path: str, body: object
    ) -> clouds.Answer:
        status, found = super().find_answer(method, path, body)
        group = (
            found.get("security_group") if isinstance(found, dict) else None
        )
        rules = self.collections[_RULES].rows
        if isinstance(group, dict):
            if method == "POST":
                for each in _OUT:
                    self.add(
                        _RULES,
                        **{
                            **each,
                            "id": f"{group['id']}-{each['id']}",
                            "security_group_id": group["id"],
                        },
                    )
            group["security_group_rules"] = [
                each
                for each in rules.values()
                if each["security_group_id"] == group["id"]
            ]
        return status, found


class SecurityGroupTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::SecurityGroup")

    def setUp(self) -> None:
        super().setUp()
        self.use(
            Cloud(
                security_groups=clouds.Collection(
                    "security_group", "security_groups"
                ),
                security_group_rules=clouds.Collection(
                    "security_group_rule",
                    "security_group_rules",
                    defaults={"direction": "ingress", "ethertype": "IPv4"},
                ),
            )
        )
        self.rules = self.cloud.collections[_RULES].rows

    def ports(self) -> list[object]:
        """Return the ports that may be reached, sorted."""
        return sorted(
            each["port_range_min"]
            for each in self.rules.values()
            if "port_range_min" in each
        )

    def reality(self, context: call_context.Context) -> typing.Any:
        """Return the rules as they are shown, in the form to compare."""
        live = self.plugin.get_reality(context)
        assert live is not None
        return self.plugin.normalise("rules", live["rules"])

    def test_rules_are_made_and_no_more(self) -> None:
        context = self.made(rules=[SSH, WEB])

        self.assertEqual([22, 80], self.ports())
        self.assertEqual(4, len(self.rules))
        self.assertEqual(
            self.plugin.normalise("rules", [SSH, WEB]), self.reality(context)
        )

    def test_watching_again_makes_nothing(self) -> None:
        context = self.made(rules=[SSH])

        self.plugin.is_created(context)

        self.assertEqual([], self.cloud.find_requests("POST", "PUT", "DELETE"))

    def test_rules_about_what_leaves_take_the_place_of_the_usual(self) -> None:
        self.made(rules=[{"direction": "egress", "protocol": "tcp"}])

        self.assertEqual(
            ["tcp"], [each.get("protocol") for each in self.rules.values()]
        )

    def test_a_change_touches_only_the_rules_that_differ(self) -> None:
        context = self.made(rules=[SSH, WEB])
        other = {**WEB, "port_range_min": 8080, "port_range_max": 8080}

        self.changed(context, rules=[SSH, other])

        self.assertEqual([22, 8080], self.ports())
        self.assertEqual(
            [1, 1],
            [
                len(self.cloud.find_requests(each))
                for each in ("POST", "DELETE")
            ],
        )

    def test_a_rule_that_somebody_removed_or_made_is_seen_and_undone(
        self,
    ) -> None:
        context = self.made(rules=[SSH, WEB])
        gone = next(
            key
            for key, each in self.rules.items()
            if each.get("port_range_min") == 22
        )
        del self.rules[gone]
        self.cloud.add(
            _RULES,
            security_group_id=context.physical_id,
            direction="ingress",
            ethertype="IPv4",
            protocol="udp",
        )

        desired = self.plugin.normalise("rules", context.properties["rules"])
        self.assertNotEqual(desired, self.reality(context))
        self.changed(context, rules=[SSH, WEB])

        self.assertEqual(desired, self.reality(context))
        self.assertEqual([22, 80], self.ports())

    def test_without_rules_those_of_others_are_left_alone(self) -> None:
        context = self.made()
        self.cloud.add(_RULES, security_group_id=context.physical_id)

        self.assertEqual([], self.cloud.find_requests("DELETE"))
        self.assertNotIn("rules", self.plugin.get_reality(context) or {})

    def test_of_a_group_that_no_stack_has_all_is_told(self) -> None:
        context = self.made(description="web", rules=[SSH])
        nobody = dataclasses.replace(
            context, stack_id="", token="", properties={}
        )

        live = self.plugin.get_reality(nobody) or {}

        self.assertEqual("web", live["description"])
        self.assertEqual(
            self.plugin.normalise("rules", [SSH]),
            self.plugin.normalise("rules", live["rules"]),
        )

    def test_a_rule_whose_answer_was_lost_is_no_error(self) -> None:
        self.cloud.refuse("POST", _RULES, 409)

        self.made(rules=[SSH])
        # The double refuses without having made it.
        self.assertEqual([], self.ports())

    def test_the_token_stands_behind_the_description(self) -> None:
        context = self.made(description="web")

        live = self.plugin.get_reality(context)
        after = self.changed(context, description="shop")

        assert live is not None
        self.assertEqual("web", live["description"])
        found = self.cloud.collections["/security-groups"].rows
        group = found[context.physical_id or ""]
        self.assertTrue(group["description"].startswith("shop [orch "))
        self.assertEqual(context.physical_id, self.plugin.find(after))
