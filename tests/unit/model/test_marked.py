"""Values that know which parts of them are sensitive."""

import types

from orch import redacted
from orch.model import marked
from tests import base

VALUE = {
    "name": "web",
    "env": {"DB": "s3cret", "port": 80},
    "users": [{"name": "ann", "key": "k3y"}, {"name": "bob"}],
}


class MarkedTest(base.TestCase):
    def test_it_is_a_map_with_paths_each_once_in_their_order(self) -> None:
        found = marked.Marked({"b": 1, "a": 2}, [("b",), ("a",), ("b",)])

        self.assertEqual({"a": 2, "b": 1}, found)
        self.assertEqual((("b",), ("a",)), found.sensitive)

    def test_as_a_whole_it_has_a_path_to_each_value(self) -> None:
        for sensitive in (marked.WHOLE, (("a", "b"), ())):
            found = marked.Marked({"a": {"b": 1}, "c": None}, sensitive)

            self.assertEqual((("a",), ("c",)), found.sensitive)
        self.assertEqual((), marked.Marked({}, marked.WHOLE).sensitive)

    def test_pairs_and_nothing_make_one_too(self) -> None:
        self.assertEqual({"a": 1}, marked.Marked([("a", 1)]))
        self.assertEqual({}, marked.Marked())
        self.assertEqual((), marked.Marked().sensitive)

    def test_plain_values_have_no_paths(self) -> None:
        for value in (None, {}, {"a": 1}, [1], "text"):
            self.assertEqual((), marked.paths_of(value))
        self.assertEqual(
            (("a",),), marked.paths_of(marked.Marked({}, [("a",)]))
        )


class MergeTest(base.TestCase):
    def test_the_last_value_stays_with_the_marks_of_both(self) -> None:
        found = marked.merge(
            marked.Marked({"a": 1, "b": 1}, [("a", "x"), ("b",)]),
            {"c": 3},
            marked.Marked({"a": 2}, [("a", "y"), ("b",)]),
        )

        self.assertEqual({"a": 2, "b": 1, "c": 3}, found)
        self.assertEqual(
            (("a", "x"), ("b",), ("a", "y")), marked.paths_of(found)
        )

    def test_nothing_makes_an_empty_one_without_marks(self) -> None:
        found = marked.merge()

        self.assertEqual({}, found)
        self.assertEqual((), marked.paths_of(found))

    def test_the_parts_stay_as_they_were(self) -> None:
        part = marked.Marked({"a": 1}, [("a",)])

        marked.merge(part, {"a": 2})

        self.assertEqual({"a": 1}, part)


class BelowTest(base.TestCase):
    PATHS = (("env", "DB"), ("users", 0, "key"), ("name",))

    def test_paths_are_seen_from_the_part(self) -> None:
        for steps, expected in (
            ((), self.PATHS),
            (("env",), (("DB",),)),
            (("users",), ((0, "key"),)),
            (("users", 0), (("key",),)),
            (("users", 1), ()),
            (("other",), ()),
        ):
            self.assertEqual(expected, marked.below(self.PATHS, *steps))

    def test_what_is_in_a_sensitive_part_is_sensitive_as_a_whole(
        self,
    ) -> None:
        for steps in (("name",), ("name", "x"), ("env", "DB", 0)):
            self.assertEqual(marked.WHOLE, marked.below(self.PATHS, *steps))
        self.assertEqual(
            marked.WHOLE, marked.below(marked.WHOLE, "users", 1, "name")
        )

    def test_a_position_is_no_key(self) -> None:
        self.assertEqual((), marked.below((("users", 0),), "users", "0"))


class NamesTest(base.TestCase):
    def test_they_are_the_first_steps(self) -> None:
        self.assertEqual(
            {"env", "users"},
            marked.names((("env", "DB"), ("users", 0), ("users", 1))),
        )

    def test_the_whole_value_has_no_name(self) -> None:
        self.assertEqual(frozenset(), marked.names(marked.WHOLE))


class PartsTest(base.TestCase):
    def test_paths_lead_through_maps_and_lists(self) -> None:
        paths = (("env", "DB"), ("users", 0, "key"), ("users", 1), ())

        self.assertEqual(
            ["s3cret", "k3y", {"name": "bob"}, VALUE],
            list(marked.parts(VALUE, paths)),
        )

    def test_a_path_into_a_text_leads_to_the_text(self) -> None:
        for path in (("name", "x"), ("name", 0), ("env", "DB", "y", 3)):
            (found,) = marked.parts(VALUE, (path,))

            self.assertIn(found, ("web", "s3cret"), path)

    def test_a_path_that_leads_nowhere_leads_to_nothing(self) -> None:
        for path in (("no",), ("no", "way"), ("users", 2), ("users", 9, "a")):
            self.assertEqual([None], list(marked.parts(VALUE, (path,))), path)

    def test_a_key_into_a_list_leads_to_the_list(self) -> None:
        self.assertEqual(
            [VALUE["users"]], list(marked.parts(VALUE, (("users", "key"),)))
        )

    def test_a_position_in_a_map_is_its_key(self) -> None:
        self.assertEqual(["x"], list(marked.parts({"1": "x"}, ((1,),))))

    def test_other_maps_and_tuples_will_do(self) -> None:
        value = types.MappingProxyType({"a": ("x", "y")})

        self.assertEqual(["y"], list(marked.parts(value, (("a", 1),))))


class TextsTest(base.TestCase):
    def test_all_texts_in_the_parts_are_there(self) -> None:
        self.assertEqual(
            {"s3cret", "80"},
            marked.texts(VALUE, (("env", "DB"), ("env", "port"))),
        )

    def test_a_map_appears_as_it_is_written_and_by_its_values(self) -> None:
        found = marked.texts(VALUE, (("env",),))

        self.assertLessEqual(
            {"s3cret", "80", '{"DB": "s3cret", "port": 80}'}, found
        )

    def test_nothing_has_no_text(self) -> None:
        for value in (None, "", True, {}):
            found = marked.texts({"a": value}, (("a",), ("b",)))

            self.assertNotIn("", found)
            self.assertLessEqual(found, {"{}"})


class RedactTest(base.TestCase):
    def test_only_what_is_at_the_paths_is_redacted(self) -> None:
        self.assertEqual(
            {
                "name": "web",
                "env": {"DB": redacted.TEXT, "port": 80},
                "users": [
                    {"name": "ann", "key": redacted.TEXT},
                    {"name": "bob"},
                ],
            },
            marked.redact(VALUE, (("env", "DB"), ("users", 0, "key"))),
        )

    def test_the_whole_value_becomes_one_text(self) -> None:
        for value in (VALUE, [1], "text", 5, False):
            self.assertEqual(redacted.TEXT, marked.redact(value, marked.WHOLE))

    def test_null_stays(self) -> None:
        self.assertIsNone(marked.redact(None, marked.WHOLE))
        self.assertEqual(
            {"a": None}, marked.redact({"a": None}, (("a", "b"),))
        )

    def test_without_paths_it_is_the_same_value(self) -> None:
        self.assertIs(VALUE, marked.redact(VALUE, ()))

    def test_a_path_into_a_text_redacts_the_text(self) -> None:
        self.assertEqual(
            {"a": redacted.TEXT},
            marked.redact({"a": '{"b": "x"}'}, (("a", "b", 0),)),
        )

    def test_paths_that_lead_nowhere_redact_nothing(self) -> None:
        for path in (("no",), ("users", 7), ("env", "no", "way")):
            self.assertEqual(VALUE, marked.redact(VALUE, (path,)), path)

    def test_the_value_itself_stays_as_it_was(self) -> None:
        value = {"a": {"b": "x"}}

        marked.redact(value, (("a", "b"),))

        self.assertEqual({"a": {"b": "x"}}, value)


class FindTest(base.TestCase):
    def test_all_places_of_a_value_are_found(self) -> None:
        value = {"a": "x", "b": ["y", {"c": "x"}], "d": ("x",)}

        self.assertEqual(
            [("a",), ("b", 1, "c"), ("d", 0)],
            list(marked.find(value, lambda each: each == "x")),
        )

    def test_a_key_makes_what_it_leads_to_sensitive(self) -> None:
        self.assertEqual(
            [("p", "x")],
            list(
                marked.find({"x": {"x": 1}}, lambda each: each == "x", ("p",))
            ),
        )

    def test_a_value_alone_is_whole(self) -> None:
        self.assertEqual([()], list(marked.find("x", bool)))
        self.assertEqual([], list(marked.find(None, bool)))


class FindNamedTest(base.TestCase):
    def test_what_has_the_name_of_a_secret_is_found_at_any_depth(
        self,
    ) -> None:
        value = {
            "admin_pass": "x",
            "db": [{"password": {"a": "y"}}, {"name": "z"}],
            "pair": ({"private_key": 1},),
            "key_name": "web",
        }

        self.assertEqual(
            [
                ("admin_pass",),
                ("db", 0, "password"),
                ("pair", 0, "private_key"),
            ],
            list(marked.find_named(value)),
        )

    def test_null_is_no_secret(self) -> None:
        self.assertEqual([], list(marked.find_named({"password": None})))

    def test_values_without_names_have_none(self) -> None:
        for value in (None, "password", 1, ["password"]):
            self.assertEqual([], list(marked.find_named(value)))


class FindLeavesTest(base.TestCase):
    def test_texts_and_numbers_are_found_at_any_depth(self) -> None:
        value = {"a": "x", "b": {"c": [1, None, {"d": ""}]}, "e": None}

        self.assertEqual(
            [("a",), ("b", "c", 0), ("b", "c", 2, "d")],
            list(marked.find_leaves(value)),
        )

    def test_short_paths_are_left_out(self) -> None:
        value = {"a": "x", "b": {"c": "y"}}

        self.assertEqual(
            [("b", "c")], list(marked.find_leaves(value, depth=2))
        )
