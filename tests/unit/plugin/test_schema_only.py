"""Types that are known by their facts."""

import json
import pathlib

import fixtures

from orch.plugin import facts
from orch.plugin import schema
from orch.plugin import schema_only
from tests import base
from tests.unit.resources import contexts

_NET = {"properties": {"name": {"type": "string"}}}


def named(found: schema_only.Catalogue, type_name: str) -> str | None:
    """Return the name that a type which is found has itself."""
    plugin = found.find(type_name)
    return plugin.type_name if plugin else None


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


class CatalogueTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.errors: dict[str, BaseException] = {}
        self.place = self.make_directory()
        self.useFixture(fixtures.PythonPathEntry(str(self.place)))

    def package(self, name: str, **files: object) -> pathlib.Path:
        """Write a package of this test with these JSON files."""
        folder = self.place / f"{self.id().rpartition('.')[2]}_{name}"
        folder.mkdir()
        (folder / "__init__.py").touch()
        for file, content in files.items():
            written = (
                content if isinstance(content, str) else json.dumps(content)
            )
            (folder / f"{file}.json").write_text(written)
        return folder

    def catalogue(self, *folders: pathlib.Path) -> schema_only.Catalogue:
        return schema_only.Catalogue(
            [folder.name for folder in folders],
            contexts.options(),
            self.errors.__setitem__,
        )

    def test_types_of_all_files_are_found(self) -> None:
        found = self.catalogue(
            self.package("a", net={"A::Net": _NET}, disk={"A::Disk": {}}),
            self.package("b", other={"B::Net": _NET}),
        )

        self.assertEqual({"A::Net", "A::Disk", "B::Net"}, set(found.names()))
        net = found.find("A::Net")
        assert net is not None
        self.assertEqual(
            (schema.Property("name", schema.Type.STRING),), net.properties
        )
        self.assertIs(net, found.find("A::Net"))
        self.assertIsNone(found.find("A::Nothing"))
        self.assertEqual({}, self.errors)

    def test_of_two_packages_the_later_one_counts(self) -> None:
        found = self.catalogue(
            self.package("a", net={"A::Net": {}, "A::Disk": {}}),
            self.package("b", net={"A::Net": _NET}),
        )

        self.assertEqual("A::Disk", named(found, "A::Disk"))
        net = found.find("A::Net")
        assert net is not None
        self.assertEqual(1, len(net.properties))

    def test_a_file_is_read_when_one_of_its_types_is_asked_for(self) -> None:
        folder = self.package("a", net={"A::Net": {}}, disk={"A::Disk": {}})
        found = self.catalogue(folder)
        found.names()

        (folder / "disk.json").unlink()

        self.assertEqual({"A::Net", "A::Disk"}, set(found.names()))
        self.assertEqual("A::Net", named(found, "A::Net"))
        self.assertEqual({}, self.errors)

    def test_what_is_broken_is_reported_and_left_out(self) -> None:
        folder = self.package(
            "a",
            bad="{",
            worse=[],
            net={
                "A::Net": {"properties": {"a": 1}},
                "A::Odd": 1,
                "A::Disk": {},
            },
        )
        missing = pathlib.Path("no_such_package_of_ours")
        found = self.catalogue(missing, folder)

        self.assertEqual("A::Disk", named(found, "A::Disk"))

        self.assertEqual({"A::Disk"}, set(found.names()))
        self.assertIsNone(found.find("A::Odd"))
        self.assertEqual(
            {
                "no_such_package_of_ours",
                str(folder / "bad.json"),
                str(folder / "worse.json"),
                "A::Net",
                "A::Odd",
            },
            set(self.errors),
        )
