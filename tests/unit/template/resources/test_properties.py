"""Coercion of properties."""

from orch.plugin import schema
from orch.template import world
from orch.template.resources import properties
from tests import base


class CoercerTest(base.TestCase):
    def coerce(self, declared, given):
        faults = []
        values = properties.Coercer(declared).coerce(
            given, ("properties",), faults.append
        )
        return values, faults

    def value(self, kind, given, **more):
        declared = schema.Property("p", schema.Type(kind), **more)
        values, faults = self.coerce((declared,), {"p": given})
        return faults[0].message if faults else values["p"]

    def test_values_become_values_of_their_type(self) -> None:
        for kind, given, wanted in (
            ("string", 5, "5"),
            ("string", True, "True"),
            ("integer", "8", 8),
            ("integer", 1.9, 1),
            ("number", "1.5", 1.5),
            ("number", "2", 2),
            ("boolean", "TRUE", True),
            ("any", [1], [1]),
        ):
            got = self.value(kind, given)
            self.assertEqual((type(wanted), wanted), (type(got), got))

    def test_null_becomes_the_default_or_what_is_empty(self) -> None:
        for kind, wanted in (
            ("string", ""),
            ("integer", 0),
            ("number", 0),
            ("boolean", False),
            ("map", {}),
            ("list", []),
            ("any", None),
        ):
            self.assertEqual(wanted, self.value(kind, None))
        self.assertEqual("d", self.value("string", None, default="d"))

    def test_values_of_another_type_are_refused(self) -> None:
        for kind, given, text in (
            ("string", 1.5, "must be a string"),
            ("string", {"a": 1}, "must be a string"),
            ("integer", "1.5", "not an integer"),
            ("integer", float("inf"), "not an integer"),
            ("integer", [1], "not 'list'"),
            ("number", "x", "could not convert"),
            ("boolean", 0, "not a valid boolean"),
            ("map", "{}", "is not a map"),
            ("list", "a,b", "is not a list"),
        ):
            self.assertIn(text, str(self.value(kind, given)))

    def test_absent_properties_are_null_or_their_default(self) -> None:
        values, faults = self.coerce(
            (
                schema.Property("a", schema.Type.STRING),
                schema.Property("b", schema.Type.NUMBER, default="3"),
            ),
            {},
        )

        self.assertEqual({"a": None, "b": 3}, values)
        self.assertEqual([], faults)

    def test_a_required_property_must_be_there(self) -> None:
        declared = schema.Property("a", schema.Type.STRING, required=True)

        _, faults = self.coerce((declared,), {})

        self.assertEqual("Property a not assigned", faults[0].message)

    def test_parts_are_coerced_in_place_with_their_path(self) -> None:
        item = schema.Property(
            "*",
            schema.Type.MAP,
            fields=(
                schema.Property("n", schema.Type.INTEGER, default=1),
                schema.Property("s", schema.Type.STRING, required=True),
            ),
        )
        declared = schema.Property("l", schema.Type.LIST, items=item)

        values, faults = self.coerce(
            (declared,), {"l": [{"s": 5}, {"n": "x", "s": "a", "z": 1}, {}]}
        )

        self.assertEqual({"n": 1, "s": "5"}, values["l"][0])
        self.assertEqual(
            {
                (("properties", "l", 1, "n"), "Value 'x' is not an integer"),
                (("properties", "l", 1, "z"), "Unknown Property z"),
                (("properties", "l", 2), "Property s not assigned"),
            },
            {(one.path, one.message) for one in faults},
        )

    def test_constraints_are_checked_after_coercion(self) -> None:
        self.assertIn(
            "out of range",
            self.value("integer", "9", constraints=(schema.Range(maximum=5),)),
        )
        self.assertEqual(
            "take a or b",
            self.value(
                "string",
                "c",
                constraints=(
                    schema.AllowedValues(
                        values=("a", "b"), description="take a or b"
                    ),
                ),
            ),
        )

    def test_what_is_not_known_yet_stays_so_unchecked(self) -> None:
        self.assertIs(
            world.UNKNOWN,
            self.value(
                "string",
                world.UNKNOWN,
                constraints=(schema.Length(minimum=50),),
            ),
        )


class FormerNamesTest(base.TestCase):
    PROPERTIES = (
        schema.Property(
            "network",
            schema.Type.STRING,
            required=True,
            former_names=("network_id", "net"),
        ),
        schema.Property("name", schema.Type.STRING),
    )

    def coerce(self, given):
        coercer = properties.Coercer(self.PROPERTIES)
        faults = list(coercer.unknown(given, ("properties",)))
        values = coercer.coerce(given, ("properties",), faults.append)
        return values, faults

    def test_a_former_name_stands_for_the_present_one(self) -> None:
        for name in ("network", "network_id", "net"):
            values, faults = self.coerce({name: 5})

            self.assertEqual({"network": "5", "name": None}, values)
            self.assertEqual([], faults)

    def test_a_wrong_value_is_told_under_the_name_that_is_written(
        self,
    ) -> None:
        _, faults = self.coerce({"network_id": {}})

        self.assertEqual(
            [("properties", "network_id")], [one.path for one in faults]
        )

    def test_two_names_of_one_property_are_refused(self) -> None:
        for given in (
            {"network": "a", "network_id": "b"},
            {"net": "a", "network_id": "b"},
        ):
            _, faults = self.coerce(given)

            (fault,) = faults
            self.assertIn("former name of network", fault.message)

    def test_a_property_without_any_of_its_names_is_missing(self) -> None:
        _, faults = self.coerce({"network_ids": "a"})

        self.assertEqual(
            [
                "Unknown Property network_ids",
                "Property network not assigned",
            ],
            [fault.message for fault in faults],
        )
