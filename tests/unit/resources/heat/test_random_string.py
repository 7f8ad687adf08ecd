import string

from orch import errors
from orch.plugin import call_context
from orch.resources.heat import random_string
from tests import base
from tests.unit.resources import contexts

KIND = random_string.RandomString


class RandomStringTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = KIND(contexts.options())

    def make(self, **properties: object) -> str:
        made = self.plugin.create(contexts.make(KIND, **properties))
        assert isinstance(made, call_context.CreateResult)
        self.assertEqual("shop-thing-abcdefghijkl", made.physical_id)
        return str(made.data["value"])

    def test_it_has_32_letters_and_digits_unless_told_otherwise(self) -> None:
        value = self.make()

        self.assertEqual(32, len(value))
        self.assertLessEqual(
            set(value), set(string.ascii_letters + string.digits)
        )

    def test_two_of_them_differ(self) -> None:
        self.assertNotEqual(self.make(), self.make())

    def test_each_class_and_sequence_gives_its_minimum(self) -> None:
        value = self.make(
            length=6,
            character_classes=[{"class": "digits", "min": 3}],
            character_sequences=[{"sequence": "#", "min": 3}],
        )

        self.assertEqual(3, value.count("#"))
        self.assertEqual(3, sum(c.isdigit() for c in value))

    def test_the_rest_comes_from_the_named_sets_only(self) -> None:
        value = self.make(
            length=512,
            character_classes=[{"class": "octdigits", "min": 1}],
            character_sequences=[{"sequence": "#!", "min": 1}],
        )

        self.assertEqual(set("01234567#!"), set(value))

    def test_the_old_property_sequence_names_one_class(self) -> None:
        self.assertTrue(self.make(sequence="digits").isdigit())

    def test_minimums_beyond_the_length_are_refused(self) -> None:
        properties = contexts.complete(
            KIND,
            {
                "length": 4,
                "character_classes": [{"class": "digits", "min": 5}],
            },
        )

        error = self.assertRaises(
            errors.Invalid, self.plugin.validate, properties
        )

        self.assertIn("length 4", error.message)

    def test_no_characters_at_all_are_refused(self) -> None:
        for properties in (
            {"character_classes": []},
            {"character_sequences": [{"sequence": "", "min": 1}]},
        ):
            self.assertRaises(
                errors.Invalid,
                self.plugin.validate,
                contexts.complete(KIND, properties),
            )

    def test_values_that_are_not_known_yet_are_not_judged(self) -> None:
        self.assertIsNone(self.plugin.validate({}))
        self.assertIsNone(self.plugin.validate({"length": 1}))

    def test_reference_and_attribute_are_the_string(self) -> None:
        made = contexts.make(
            KIND, physical_id="shop-thing-abcdefghijkl", data={"value": "xyz"}
        )

        self.assertEqual("xyz", self.plugin.reference_id(made))
        self.assertEqual(
            {"value": "xyz"}, self.plugin.read_attributes(made, {"value"})
        )

    def test_before_it_is_made_the_reference_is_the_name(self) -> None:
        context = contexts.make(KIND)

        self.assertEqual(
            "shop-thing-abcdefghijkl", self.plugin.reference_id(context)
        )
        self.assertEqual({}, self.plugin.read_attributes(context, {"value"}))

    def test_a_crash_leaves_nothing_to_find(self) -> None:
        self.assertTrue(self.plugin.is_effect_free({}))
        self.assertIsNone(self.plugin.find(contexts.make(KIND)))
