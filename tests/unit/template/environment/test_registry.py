"""Which type serves a type."""

from orch.template import errors
from orch.template.environment import registry
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

    def test_a_mapping_to_what_does_not_exist_is_passed_over(self) -> None:
        for mappings, wanted in (
            ({"A": "X"}, "A"),
            ({"A": "X", "A*": "B"}, "B"),
            ({"A": "X", "X": "Y", "X*": "B"}, "B"),
            ({"A*": "X", "*": "B"}, "B"),
            ({"resources": {"web": {"A": "X"}}}, "A"),
            ({"A": "B", "resources": {"web": {"A": "X"}}}, "B"),
        ):
            types = registry.TypeMap(
                mappings, is_served=frozenset("AB").__contains__
            )

            self.assertEqual(wanted, types.find("A", types.special("web")))

    def test_what_nothing_serves_stays_itself(self) -> None:
        types = registry.TypeMap({"A": "X"}, is_served=lambda name: False)

        self.assertEqual("A", types.find("A"))
        self.assertEqual("X", types.mapped("A"))

    def test_the_search_for_what_exists_has_an_end(self) -> None:
        types = registry.TypeMap(
            {f"T{'1' * size}*": f"U{size}*" for size in range(300)},
            is_served=lambda name: False,
        )

        error = self.assertRaises(
            errors.TemplateInvalid, types.find, f"T{'1' * 300}"
        )
        self.assertIn("none of which exists", error.message)

    def test_the_installation_maps_what_the_user_does_not(self) -> None:
        types = registry.TypeMap({"A*": "B"}, installed={"AA": "C", "D": "E"})

        self.assertEqual("B", types.find("AA"))
        self.assertEqual("E", types.find("D"))

    def test_a_template_of_the_installation_may_use_its_type(self) -> None:
        types = registry.TypeMap({}, installed={"A": "a.yaml"})

        self.assertEqual("a.yaml", types.find("A"))
        self.assertEqual("A", types.below("one", "A").find("A"))

    def test_a_single_resource_may_have_mappings_of_its_own(self) -> None:
        types = registry.TypeMap(
            {"A": "B", "resources": {"web": {"A": "C"}, "db*": {"A": "D"}}}
        )

        self.assertEqual("B", types.find("A", types.special("other")))
        self.assertEqual("C", types.find("A", types.special("web")))

    def test_patterns_of_names_map_no_types(self) -> None:
        types = registry.TypeMap({"A": "B", "resources": {"db*": {"A": "D"}}})

        self.assertEqual("B", types.find("A", types.special("db_1")))

    def test_hooks_and_restrictions_are_read(self) -> None:
        types = registry.TypeMap(
            {
                "resources": {
                    "web": {
                        "hooks": ["pre-create", "post-delete"],
                        "restricted_actions": "replace",
                    }
                }
            }
        )

        self.assertEqual(
            ("pre-create", "post-delete"), types.special("web").hooks
        )
        self.assertEqual(("replace",), types.special("web").restricted_actions)
        self.assertEqual((), types.special("db").hooks)
        self.assertEqual((), types.special("db").restricted_actions)

    def test_all_patterns_that_fit_a_name_count(self) -> None:
        types = registry.TypeMap(
            {
                "resources": {
                    "*_server": {"hooks": "pre-create"},
                    "*": {"restricted_actions": "update"},
                    "app_server": {"hooks": ["post-create", "pre-create"]},
                }
            }
        )

        self.assertEqual(
            ("post-create", "pre-create"), types.special("app_server").hooks
        )
        self.assertEqual(("pre-create",), types.special("db_server").hooks)
        self.assertEqual((), types.special("server").hooks)
        self.assertEqual(
            ("update",), types.special("server").restricted_actions
        )

    def test_patterns_have_the_wildcards_of_file_names(self) -> None:
        types = registry.TypeMap(
            {
                "resources": {
                    "we?": {"hooks": "pre-create"},
                    "*[dk]b": {"hooks": "pre-delete"},
                }
            }
        )

        self.assertEqual(("pre-create",), types.special("web").hooks)
        self.assertEqual(("pre-delete",), types.special("db").hooks)
        self.assertEqual((), types.special("nab").hooks)

    def test_a_stack_in_a_resource_has_a_registry_of_its_own(self) -> None:
        whole = registry.TypeMap(
            {
                "A": "B",
                "resources": {
                    "nest": {
                        "hooks": "pre-delete",
                        "A": "C",
                        "web": {"hooks": "pre-create"},
                        "deep": {"er": {"hooks": "pre-update"}},
                    },
                    "ne*": {"db": {"hooks": "post-create"}},
                },
            }
        )

        below = registry.TypeMap(whole.child("nest"))
        deep = registry.TypeMap(below.child("deep"))

        self.assertEqual("B", below.find("A"))
        self.assertEqual(("pre-create",), below.special("web").hooks)
        self.assertEqual(("post-create",), below.special("db").hooks)
        self.assertEqual((), below.special("nest").hooks)
        self.assertEqual(("pre-update",), deep.special("er").hooks)
        self.assertEqual(
            (), registry.TypeMap(whole.child("x")).special("web").hooks
        )

    def test_relative_templates_stand_below_the_base_url(self) -> None:
        files = ("http://a/b/kid.yaml", "http://c/kid.yaml", "here.yaml")
        types = registry.TypeMap(
            {
                "base_url": "http://a/b",
                "A": "kid.yaml",
                "H": "here.yaml",
                "L": "lost.yaml",
                "resources": {
                    "web": {"base_url": "http://c/", "A": "kid.yaml"}
                },
            },
            files,
        )

        self.assertEqual("http://a/b/kid.yaml", types.find("A"))
        self.assertEqual(
            "http://c/kid.yaml", types.find("A", types.special("web"))
        )
        self.assertEqual("here.yaml", types.find("H"))
        self.assertEqual("lost.yaml", types.find("L"))

    def test_more_patterns_than_anybody_needs_are_refused(self) -> None:
        self.assertRaises(
            errors.TooLarge,
            registry.TypeMap,
            {"resources": {f"{n}*": {} for n in range(201)}},
        )

    def test_many_mappings_cost_a_lookup_no_more_than_few(self) -> None:
        many = registry.TypeMap({f"T{n}::*": f"U{n}" for n in range(50_000)})

        for number in range(50_000):
            many.find(f"T{number}::x")

        self.assertEqual("U7", many.find("T7::x"))
