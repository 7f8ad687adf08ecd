from orch import errors
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch_lifecycle_policies import naming_tagging
from tests.support import patterns
from tests.unit.lifecycle_plugins import judged


class NamingTaggingTest(judged.PluginTestCase):
    def setUp(self) -> None:
        super().setUp()
        inner = patterns.stack(
            patterns.resource("0", properties={"name": "web-0"})
        )
        self.view = patterns.stack(
            patterns.resource("net", "OS::Neutron::Net", {"name": "net-1"}),
            patterns.resource(
                "group", "OS::Heat::ResourceGroup", child_stack=inner
            ),
            name="shop",
            tags=("team-a", "prod"),
        )

    def check_one(
        self,
        expected: lifecycle.Ruling,
        /,
        verb: str = "create",
        view: lifecycle_operation.StackView | None = None,
        **settings: object,
    ) -> str:
        plugin = naming_tagging.NamingTagging("naming-tagging", settings)
        operation = patterns.make_operation(
            view or self.view, verb, before=self.view
        )
        return self.check(expected, plugin, operation)

    def test_the_name_of_a_stack_matches(self) -> None:
        self.check_one(lifecycle.Ruling.ALLOW, stack_name="[a-z]+")
        told = self.check_one(lifecycle.Ruling.DENY, stack_name="prod-.*")

        self.assertEqual(
            "the name of the stack shop does not match prod-.*", told
        )

    def test_a_stack_that_stands_keeps_its_name(self) -> None:
        self.check_one(lifecycle.Ruling.ALLOW, "update", stack_name="prod-.*")

    def test_names_of_resources_match_but_for_those_of_groups(self) -> None:
        self.check_one(lifecycle.Ruling.ALLOW, resource_name="[a-z]+")
        told = self.check_one(lifecycle.Ruling.DENY, resource_name="n.*")

        self.assertEqual(
            "the name of the resource group does not match n.*", told
        )

    def test_tags_are_required(self) -> None:
        self.check_one(
            lifecycle.Ruling.ALLOW, required_tags=["team-*", "prod"]
        )
        told = self.check_one(
            lifecycle.Ruling.DENY, required_tags=["team-*", "cost-*"]
        )

        self.assertEqual("the stack has no tag cost-*", told)

    def test_tags_are_forbidden(self) -> None:
        told = self.check_one(lifecycle.Ruling.DENY, forbidden_tags="pro?")

        self.assertEqual("the tag prod is forbidden", told)

    def test_properties_match_in_the_whole_tree(self) -> None:
        rule = {"types": "OS::Nova::*", "pattern": "srv-.*"}

        told = self.check_one(lifecycle.Ruling.DENY, property_names=[rule])

        self.assertEqual(
            'group/0.name is "web-0", which does not match srv-.*', told
        )

    def test_of_an_inner_stack_only_properties_are_looked_at(self) -> None:
        inner = (
            patterns.stack(patterns.resource("group", child_stack=self.view))
            .resources["group"]
            .child_stack
        )
        rule = {"types": "OS::Nova::*", "pattern": "srv-.*"}

        told = self.check_one(
            lifecycle.Ruling.DENY,
            view=inner,
            property_names=[rule],
            required_tags="missing",
            stack_name="x",
            resource_name="x",
        )
        self.check_one(
            lifecycle.Ruling.ALLOW,
            view=inner,
            property_names=[rule],
            ruling="warn",
        )

        self.assertEqual(
            'group/group/0.name is "web-0", which does not match srv-.*', told
        )

    def test_a_name_that_is_not_known_passes(self) -> None:
        rule = {"types": "*", "pattern": "srv-.*"}
        view = patterns.stack(
            patterns.resource(
                "a", properties={"name": lifecycle_operation.UNKNOWN}
            ),
            patterns.resource("b"),
        )

        self.check_one(
            lifecycle.Ruling.ALLOW, view=view, property_names=[rule]
        )

    def test_it_may_only_warn_and_say_more(self) -> None:
        told = self.check_one(
            lifecycle.Ruling.WARN,
            stack_name="x",
            ruling="warn",
            text="see the wiki",
        )

        self.assertIn("(see the wiki)", told)

    def test_some_roles_are_exempt(self) -> None:
        plugin = naming_tagging.NamingTagging(
            "n", {"stack_name": "x", "exempt_roles": "admin"}
        )
        operation = patterns.make_operation(
            self.view, request=patterns.asking(roles=("admin",))
        )

        self.check(lifecycle.Ruling.ALLOW, plugin, operation)

    def test_settings_say_something(self) -> None:
        for settings in ({}, {"stack_name": "("}, {"ruling": "warn"}):
            self.assertRaises(
                errors.Invalid, naming_tagging.NamingTagging, "n", settings
            )

    def test_a_stack_that_goes_is_not_looked_at(self) -> None:
        plugin = naming_tagging.NamingTagging("n", {"stack_name": "x"})
        assert plugin.verbs is not None

        self.assertNotIn("delete", plugin.verbs)
