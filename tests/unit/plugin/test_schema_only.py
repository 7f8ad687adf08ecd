"""Types that are known by their facts."""

from orch.plugin import facts
from orch.plugin import schema_only
from tests import base


class ReadTest(base.TestCase):
    def test_a_class_is_made_of_the_facts(self) -> None:
        kind = schema_only.build_type(
            "Acme::Cloud::Net",
            {
                "name": "CloudNet",
                "description": "A net.",
                "properties": {"name": {"type": "string"}},
                "attributes": {"mtu": {"type": "integer"}},
                "update_policy": {"batch": {"type": "map"}},
                "support_status": "DEPRECATED",
                "can_snapshot": True,
                "shows_any_attribute": True,
            },
        )

        self.assertTrue(kind.is_schema_only)
        self.assertEqual("CloudNet", kind.__name__)
        self.assertEqual("A net.", kind.__doc__)
        self.assertEqual("Acme::Cloud::Net", kind.type_name)
        self.assertEqual(["name"], [one.name for one in kind.properties])
        self.assertEqual(["mtu"], [one.name for one in kind.attributes])
        self.assertEqual(["batch"], [one.name for one in kind.update_policy])
        self.assertEqual("DEPRECATED", kind.support_status)
        self.assertTrue(kind.can_snapshot)
        self.assertTrue(kind.shows_any_attribute)
        self.assertFalse(kind.accepts_any_property)

    def test_a_type_without_facts_takes_and_shows_nothing(self) -> None:
        kind = schema_only.build_type("Acme::Net", {})

        self.assertEqual(("Net", (), ()), (kind.__name__, *self.parts(kind)))
        self.assertIn("no plug-in serves it", str(kind.__doc__))
        self.assertEqual("SUPPORTED", kind.support_status)

    @staticmethod
    def parts(
        kind: type[schema_only.SchemaOnlyResource],
    ) -> tuple[object, object]:
        return kind.properties, kind.attributes

    def test_other_facts_are_refused(self) -> None:
        for found in ({"props": {}}, {"support_status": "FINE"}):
            self.assertRaises(
                facts.BadFacts, schema_only.build_type, "Acme::Net", found
            )
