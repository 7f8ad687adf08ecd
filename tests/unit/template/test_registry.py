"""Which type serves a type."""

from orch.template import errors
from orch.template import registry
from tests import base


class TypeMapTest(base.TestCase):
    def test_an_unmapped_type_serves_itself(self) -> None:
        self.assertEqual("A", registry.TypeMap({}).find("A"))

    def test_mappings_are_followed_to_their_end(self) -> None:
        types = registry.TypeMap({"A": "B", "B": "C"})

        self.assertEqual("C", types.find("A"))

    def test_a_circle_is_refused_and_named(self) -> None:
        types = registry.TypeMap({"A": "B", "B": "C", "C": "A"})

        error = self.assertRaises(errors.TemplateInvalid, types.find, "A")
        self.assertIn("A -> B -> C -> A", error.message)

    def test_a_pattern_that_grows_without_end_is_stopped(self) -> None:
        types = registry.TypeMap({"A*": "AB*", "AAA": "A"})

        self.assertRaises(errors.TemplateInvalid, types.find, "A")

    def test_a_pattern_may_keep_the_rest_of_the_name(self) -> None:
        types = registry.TypeMap({"OS::Net::*": "OS::Neutron::*"})

        self.assertEqual("OS::Neutron::Port", types.find("OS::Net::Port"))

    def test_the_longest_pattern_wins_and_names_win_over_patterns(
        self,
    ) -> None:
        types = registry.TypeMap(
            {"*": "X", "OS::*": "Y", "OS::A": "Z", "X": "X", "Y": "Y"}
        )

        self.assertEqual("X", types.find("My::A"))
        self.assertEqual("Y", types.find("OS::B"))

    def test_a_pattern_does_not_catch_its_own_target(self) -> None:
        types = registry.TypeMap({"*": "OS::Heat::None"})

        self.assertEqual("OS::Heat::None", types.find("Any::Thing"))
        self.assertEqual("OS::Heat::None", types.find("OS::Heat::None"))

    def test_a_single_resource_may_have_mappings_of_its_own(self) -> None:
        types = registry.TypeMap(
            {"A": "B", "resources": {"web": {"A": "C"}, "db*": {"A": "D"}}}
        )

        self.assertEqual("B", types.find("A", types.special("other")))
        self.assertEqual("C", types.find("A", types.special("web")))
        self.assertEqual("D", types.find("A", types.special("db_1")))

    def test_hooks_and_restrictions_are_read(self) -> None:
        special = registry.TypeMap(
            {
                "resources": {
                    "web": {
                        "hooks": ["pre-create", "post-delete"],
                        "restricted_actions": "replace",
                    }
                }
            }
        ).special("web")

        self.assertEqual(("pre-create", "post-delete"), special.hooks)
        self.assertEqual(("replace",), special.restricted_actions)

    def test_unknown_hooks_and_restrictions_are_refused(self) -> None:
        for kind, section in (
            (errors.HookInvalid, {"hooks": "sometimes"}),
            (errors.RestrictedActionInvalid, {"restricted_actions": "eat"}),
        ):
            self.assertRaises(
                kind, registry.TypeMap, {"resources": {"web": section}}
            )
