from orch import errors
from orch.resources.heat import value
from tests import base
from tests.unit.resources import contexts


class ValueTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = value.Value(contexts.options())

    def test_the_value_comes_back_as_it_was_given(self) -> None:
        for given in ("abc", 5, 1.5, True, None, [1], {"a": [1]}, ""):
            context = contexts.make(value.Value, value=given)
            self.plugin.create(context)
            shown = self.plugin.read_attributes(context, {"value"})
            self.assertEqual({"value": given}, shown)

    def test_values_of_the_claimed_type_are_taken(self) -> None:
        for claimed, given in (
            ("string", 5),
            ("string", True),
            ("number", "5.5"),
            ("number", 7),
            ("json", {"a": 1}),
            ("json", None),
            ("comma_delimited_list", ["a"]),
            ("boolean", "True"),
            ("boolean", False),
        ):
            self.plugin.validate({"type": claimed, "value": given})

    def test_other_values_are_refused_with_heats_words(self) -> None:
        for claimed, given, words in (
            ("string", [1, 2], "Value must be a string; got [1, 2]"),
            ("number", "abc", "could not convert string to float: 'abc'"),
            ("comma_delimited_list", "a,b", "\"'a,b'\" is not a list"),
            ("comma_delimited_list", 5, '"5" is not a list'),
            ("json", "{}", '"{}" is not a map'),
            ("boolean", "off", '"off" is not a valid boolean'),
            ("boolean", 1, '"1" is not a valid boolean'),
        ):
            error = self.assertRaises(
                errors.Invalid,
                self.plugin.validate,
                {"type": claimed, "value": given},
            )
            self.assertEqual(words, error.message)
            self.assertEqual("value", error.problems[0].path)

    def test_a_value_known_only_late_is_checked_when_it_is_made(self) -> None:
        self.plugin.validate({"type": "number"})

        self.assertRaises(
            errors.Invalid,
            self.plugin.create,
            contexts.make(value.Value, type="number", value="abc"),
        )

    def test_it_never_touches_the_world(self) -> None:
        context = contexts.make(value.Value, value=1)

        self.assertTrue(self.plugin.is_effect_free({}))
        self.assertIsNone(self.plugin.find(context))
