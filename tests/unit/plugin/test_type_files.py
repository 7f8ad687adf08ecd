import pathlib
import sys

from orch.plugin import facts
from orch.plugin import resource
from orch.plugin import schema
from orch.plugin import type_files
from tests import base

_PACKAGE = "acme_described"
_TYPES = """{
  "Acme::Described": {
    "properties": {"size": {"type": "integer", "unit": "GiB"}},
    "support_status": "DEPRECATED",
    "is_local": true
  },
  "Acme::Former": {},
  "Acme::Lonely": {"support_status": "OLD"}
}"""


class DescribedTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        package = self.package = self.make_directory() / _PACKAGE
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "types.json").write_text(_TYPES)
        (package / "other.json").write_text("{}")
        sys.path.insert(0, str(package.parent))
        self.addCleanup(sys.path.remove, str(package.parent))
        self.addCleanup(sys.modules.pop, _PACKAGE, None)

    def describe(
        self,
        type_name: str,
        derived_from: type[resource.Resource] = resource.Resource,
    ) -> type[resource.Resource]:
        kind = type(
            "Kind", (derived_from,), {"__module__": f"{_PACKAGE}.kinds"}
        )
        return type_files.described(type_name)(kind)

    def test_a_class_has_the_declarations_of_its_type(self) -> None:
        kind = self.describe("Acme::Described")

        self.assertEqual("Acme::Described", kind.type_name)
        self.assertEqual(
            (schema.Property("size", schema.Type.INTEGER, unit="GiB"),),
            kind.properties,
        )
        self.assertEqual("DEPRECATED", kind.support_status)
        self.assertTrue(kind.is_local)
        self.assertFalse(kind.is_variant)

    def test_what_data_do_not_mention_is_inherited(self) -> None:
        kind = self.describe("Acme::Described")

        former = self.describe("Acme::Former", kind)

        self.assertEqual("Acme::Former", former.type_name)
        self.assertEqual("Acme::Described", kind.type_name)
        self.assertIs(kind.properties, former.properties)

    def test_a_broken_file_that_names_a_type_is_skipped(self) -> None:
        for name, text in (
            ("a", '{"Acme::Former": ,}'),
            ("b", '["Acme::Former"]'),
        ):
            (self.package / f"{name}.json").write_text(text)

        self.assertEqual(
            "Acme::Former", self.describe("Acme::Former").type_name
        )

    def test_a_class_without_data_is_refused(self) -> None:
        error = self.assertRaises(
            facts.BadFacts, self.describe, "Acme::Missing"
        )

        self.assertIn(_PACKAGE, error.message)
        self.assertIn("Acme::Missing", error.message)

    def test_an_unknown_status_is_refused(self) -> None:
        error = self.assertRaises(
            facts.BadFacts, self.describe, "Acme::Lonely"
        )

        self.assertIn("OLD is no support_status", error.message)

    def test_files_are_listed_by_name(self) -> None:
        self.assertEqual(
            ["other.json", "types.json"],
            [
                pathlib.Path(str(file)).name
                for file in type_files.list_files(_PACKAGE)
            ],
        )
