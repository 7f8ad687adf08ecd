import dataclasses

from orch import errors
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch_lifecycle_policies import resource_counts
from tests.support import patterns
from tests.unit.lifecycle_plugins import judged

SERVERS = {"types": "OS::Nova::Server", "warn_above": 2, "deny_above": 4}


def servers(count: int, made: int = 0) -> lifecycle_operation.StackView:
    return patterns.stack(
        *(
            patterns.resource(
                f"s{number}", physical_id="id" if number < made else None
            )
            for number in range(count)
        )
    )


class ResourceCountsTest(judged.PluginTestCase):
    def plugin(
        self, *limits: object, **more: object
    ) -> resource_counts.ResourceCounts:
        return resource_counts.ResourceCounts(
            "resource-counts", {"limits": list(limits), **more}
        )

    def test_it_allows_up_to_the_limit(self) -> None:
        plugin = self.plugin(SERVERS)

        self.check(
            lifecycle.Ruling.ALLOW, plugin, patterns.make_operation(servers(2))
        )

    def test_it_warns_above_one_limit_and_denies_above_the_other(self) -> None:
        plugin = self.plugin(SERVERS)

        warned = self.check(
            lifecycle.Ruling.WARN, plugin, patterns.make_operation(servers(3))
        )
        denied = self.check(
            lifecycle.Ruling.DENY, plugin, patterns.make_operation(servers(5))
        )

        self.assertEqual(
            "3 resources of OS::Nova::Server, more than 2", warned
        )
        self.assertEqual(
            "5 resources of OS::Nova::Server, and 4 are the limit", denied
        )

    def test_other_types_do_not_count(self) -> None:
        operation = patterns.make_operation(
            patterns.stack(
                *(
                    patterns.resource(f"n{number}", "OS::Neutron::Net")
                    for number in range(9)
                )
            )
        )

        self.check(lifecycle.Ruling.ALLOW, self.plugin(SERVERS), operation)

    def test_without_types_all_count(self) -> None:
        plugin = self.plugin({"deny_above": 1, "text": "ask ann"})

        told = self.check(
            lifecycle.Ruling.DENY, plugin, patterns.make_operation(servers(2))
        )

        self.assertEqual("2 resources, and 1 are the limit (ask ann)", told)

    def test_l9_resources_of_inner_stacks_count(self) -> None:
        operation = patterns.make_operation(
            patterns.stack(
                patterns.resource(
                    "group", "OS::Heat::ResourceGroup", child_stack=servers(5)
                )
            )
        )

        self.check(lifecycle.Ruling.DENY, self.plugin(SERVERS), operation)

    def test_what_makes_a_stack_smaller_is_only_warned_of(self) -> None:
        plugin = self.plugin(SERVERS)
        smaller = patterns.make_operation(
            servers(6), "update", before=servers(9, made=9)
        )
        larger = patterns.make_operation(
            servers(6), "update", before=servers(5, made=5)
        )

        self.check(lifecycle.Ruling.WARN, plugin, smaller)
        self.check(lifecycle.Ruling.DENY, plugin, larger)

    def test_what_was_denied_is_denied_again(self) -> None:
        operation = patterns.make_operation(
            servers(6), before=servers(6, made=2)
        )

        self.check(lifecycle.Ruling.DENY, self.plugin(SERVERS), operation)

    def test_an_inner_stack_is_not_warned_of_again(self) -> None:
        plugin = self.plugin(SERVERS)

        def inner(count: int) -> lifecycle_operation.LifecycleOperation:
            return patterns.make_operation(
                dataclasses.replace(servers(count), path="group")
            )

        self.check(lifecycle.Ruling.ALLOW, plugin, inner(3))
        self.check(lifecycle.Ruling.DENY, plugin, inner(5))

    def test_some_roles_are_exempt(self) -> None:
        plugin = self.plugin(SERVERS, exempt_roles=["admin"])
        request = patterns.asking(roles=("admin", "member"))

        self.check(
            lifecycle.Ruling.ALLOW,
            plugin,
            patterns.make_operation(servers(5), request=request),
        )

    def test_it_is_not_asked_about_deletions(self) -> None:
        self.assertNotIn("delete", self.plugin(SERVERS).verbs)

    def test_wrong_settings_are_told_with_their_places(self) -> None:
        error = self.assertRaises(
            errors.Invalid, self.plugin, {"deny_above": -1}
        )

        self.assertIn("limits.0.deny_above", error.message)

    def test_a_limit_says_a_number(self) -> None:
        self.assertRaises(errors.Invalid, self.plugin, {"types": "A"})
        self.assertRaises(errors.Invalid, self.plugin, {"most": 3})
        self.assertRaises(
            errors.Invalid, resource_counts.ResourceCounts, "x", None
        )
