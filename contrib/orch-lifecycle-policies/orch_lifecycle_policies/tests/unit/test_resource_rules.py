import dataclasses

from orch import errors
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch_lifecycle_policies import resource_rules
from tests.support import patterns
from tests.unit.lifecycle_plugins import judged

SERVER = "OS::Nova::Server"


def one(**properties: object) -> lifecycle_operation.StackView:
    return patterns.stack(patterns.resource("web", SERVER, properties))


class ResourceRulesTest(judged.PluginTestCase):
    def plugin(
        self, *rules: object, **more: object
    ) -> resource_rules.ResourceRules:
        return resource_rules.ResourceRules(
            "resource-rules", {"rules": list(rules), **more}
        )

    def rule(
        self, property_: str, **tests: object
    ) -> resource_rules.ResourceRules:
        return self.plugin({"types": SERVER, "property": property_, **tests})

    def denied(
        self,
        plugin: resource_rules.ResourceRules,
        view: lifecycle_operation.StackView,
    ) -> str:
        return self.check(
            lifecycle.Ruling.DENY, plugin, patterns.make_operation(view)
        )

    def allowed(
        self,
        plugin: resource_rules.ResourceRules,
        view: lifecycle_operation.StackView,
    ) -> None:
        self.check(
            lifecycle.Ruling.ALLOW, plugin, patterns.make_operation(view)
        )

    def test_a_type_is_forbidden(self) -> None:
        plugin = self.plugin(
            {"types": "OS::Neutron::Floating*", "forbidden": True}
        )
        floating = patterns.resource("ip", "OS::Neutron::FloatingIP")

        told = self.denied(plugin, patterns.stack(floating))

        self.assertEqual(
            "ip is of the type OS::Neutron::FloatingIP, which is forbidden",
            told,
        )
        self.allowed(plugin, one())

    def test_a_type_needs_another_one(self) -> None:
        plugin = self.plugin(
            {"types": SERVER, "needs": "OS::Neutron::SecurityGroup"}
        )
        group = patterns.resource("rules", "OS::Neutron::SecurityGroup")

        self.assertIn("web needs a resource of", self.denied(plugin, one()))
        self.allowed(plugin, patterns.stack(patterns.resource("web"), group))
        self.allowed(plugin, patterns.stack(group))

    def test_values_are_among_those_allowed(self) -> None:
        plugin = self.rule("security_groups", among=["web", "ssh"])

        told = self.denied(plugin, one(security_groups=["web", "all-open"]))

        self.assertEqual(
            'web.security_groups is "all-open"; allowed are "web", "ssh"',
            told,
        )
        self.allowed(plugin, one(security_groups=["ssh"]))
        self.allowed(plugin, one())

    def test_values_are_forbidden(self) -> None:
        plugin = self.rule("image", not_among=["centos-6"], text="too old")

        told = self.denied(plugin, one(image="centos-6"))

        self.assertEqual(
            'web.image is "centos-6", which is forbidden (too old)', told
        )
        self.allowed(plugin, one(image="centos-10"))

    def test_a_property_is_required(self) -> None:
        plugin = self.rule("security_groups", required=True)

        self.assertIn("has to be given", self.denied(plugin, one()))
        self.denied(plugin, one(security_groups=[]))
        self.allowed(plugin, one(security_groups=["web"]))

    def test_a_property_is_forbidden(self) -> None:
        plugin = self.rule("admin_pass", forbidden=True)

        self.assertIn(
            "must not be given", self.denied(plugin, one(admin_pass="***"))
        )
        self.allowed(plugin, one())

    def test_texts_match(self) -> None:
        must = self.rule("image", matches="golden-.*")
        must_not = self.rule("image", not_matches=".*-test")

        self.denied(must, one(image="my-golden-1"))
        self.allowed(must, one(image="golden-1"))
        self.denied(must_not, one(image="golden-test"))
        self.allowed(must_not, one(image="golden-test-2"))

    def test_numbers_have_bounds(self) -> None:
        plugin = self.rule("size", at_least=1, at_most=100)

        self.assertIn("at most 100", self.denied(plugin, one(size=101)))
        self.assertIn("at least 1", self.denied(plugin, one(size="0")))
        self.assertIn("no number", self.denied(plugin, one(size="big")))
        self.allowed(plugin, one(size="100"))

    def test_paths_go_through_maps_and_lists(self) -> None:
        plugin = self.rule(
            "block_device_mapping.*.volume_type", among=["fast"]
        )
        first = self.rule("networks.0.network", among=["inner"])

        self.denied(
            plugin,
            one(
                block_device_mapping=[
                    {"volume_type": "fast"},
                    {"volume_type": "slow"},
                ]
            ),
        )
        self.allowed(plugin, one(block_device_mapping=[{}]))
        self.denied(first, one(networks=[{"network": "outer"}]))
        self.allowed(
            first,
            one(networks=[{"network": "inner"}, {"network": "outer"}]),
        )

    def test_what_is_not_known_yet_is_warned_of(self) -> None:
        rule = {"types": SERVER, "property": "image", "among": ["golden"]}
        view = one(image=lifecycle_operation.UNKNOWN)

        told = self.check(
            lifecycle.Ruling.WARN,
            self.plugin(rule),
            patterns.make_operation(view),
        )

        self.assertEqual("web.image is not known before the run", told)
        self.denied(self.plugin(rule, unknown="deny"), view)
        self.allowed(self.plugin(rule, unknown="allow"), view)

    def test_an_unknown_value_is_no_worse_than_a_broken_rule(self) -> None:
        rule = {
            "types": SERVER,
            "property": "image",
            "among": ["golden"],
            "ruling": "warn",
        }
        plugin = self.plugin(rule, unknown="deny")

        self.check(
            lifecycle.Ruling.WARN,
            plugin,
            patterns.make_operation(one(image=None)),
        )

    def test_a_rule_may_only_warn(self) -> None:
        plugin = self.rule("image", required=True, ruling="warn")

        self.check(
            lifecycle.Ruling.WARN, plugin, patterns.make_operation(one())
        )

    def test_rules_are_for_stacks_with_a_tag(self) -> None:
        plugin = self.plugin(
            {"types": "*", "forbidden": True, "tags": "pci-*"}
        )
        tagged = dataclasses.replace(one(), tags=("pci-2",))

        self.denied(plugin, tagged)
        self.allowed(plugin, one())

    def test_l9_inner_resources_are_told_by_their_paths(self) -> None:
        plugin = self.rule("image", among=["golden"])
        view = patterns.stack(
            patterns.resource(
                "group", "OS::Heat::ResourceGroup", child_stack=one(image="x")
            )
        )

        self.assertIn("group/web.image", self.denied(plugin, view))

    def test_an_inner_stack_is_denied_when_more_is_known(self) -> None:
        plugin = self.rule("image", among=["golden"])

        self.allowed(plugin, dataclasses.replace(one(image=None), path="g"))
        self.denied(plugin, dataclasses.replace(one(image="x"), path="g"))

    def test_all_findings_are_told(self) -> None:
        plugin = self.plugin(
            {"types": SERVER, "property": "image", "required": True},
            {"types": SERVER, "property": "flavor", "required": True},
        )

        told = self.denied(plugin, one())

        self.assertEqual(
            "web.image has to be given; web.flavor has to be given", told
        )

    def test_some_roles_are_exempt(self) -> None:
        plugin = self.plugin(
            {"types": "*", "forbidden": True}, exempt_roles="admin"
        )
        request = patterns.asking(roles=("admin",))

        self.check(
            lifecycle.Ruling.ALLOW,
            plugin,
            patterns.make_operation(one(), request=request),
        )

    def test_wrong_rules_are_refused(self) -> None:
        for rule in (
            {"types": SERVER},
            {"types": SERVER, "property": "image"},
            {"types": SERVER, "property": "image", "amogn": ["x"]},
            {"types": SERVER, "property": "image", "matches": "("},
            {"types": SERVER, "needs": "A", "forbidden": True},
            {"property": "image", "required": True},
        ):
            error = self.assertRaises(errors.Invalid, self.plugin, rule)
            self.assertIn("rules.0", error.message)
