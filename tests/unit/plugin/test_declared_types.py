"""Types in data files, and when they are loaded."""

import importlib.metadata
import json
import pathlib
import subprocess
import sys

import fixtures

from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import schema
from orch.plugin import schema_only
from tests import base
from tests.unit.resources import contexts

_NET = {"properties": {"name": {"type": "string"}}}
_FIRST_USE = """
import sys
from orch.plugin import registry
from tests.unit.resources import contexts

module = "orch.resources.heat.value"
types = registry.ResourceTypes(contexts.options())
assert types.support_statuses()["OS::Heat::Value"] == "SUPPORTED"
assert "OS::Nova::Server" in types.names()
print(module in sys.modules, "orch.resources.openstack.nova" in sys.modules)
types.get("OS::Heat::Value")
print(module in sys.modules, "orch.resources.openstack.nova" in sys.modules)
"""


class DataFilesTest(base.TestCase):
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

    def declare(
        self, *folders: pathlib.Path, are_ours: bool = False
    ) -> registry.Declared:
        """Return the types of packages, as a group of entry points has them.

        :param are_ours: they are no packages of others
        """
        entries = [
            importlib.metadata.EntryPoint(folder.name, folder.name, "acme")
            for folder in folders
        ]
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.plugin.registry.entry_points", lambda group: entries
            )
        )
        if are_ours:
            self.useFixture(
                fixtures.MonkeyPatch("orch.plugin.registry._BUILT_IN", "")
            )
        return registry.declare_types(
            "acme", schema_only.load_type, self.errors.__setitem__
        )

    def test_types_of_all_files_are_found(self) -> None:
        found = self.declare(
            self.package("a", net={"A::Net": _NET}, disk={"A::Disk": {}}),
            self.package("b", other={"B::Net": _NET, "service": {}}),
        )

        self.assertEqual({"A::Net", "A::Disk", "B::Net"}, found.keys())
        net = found["A::Net"].load()
        assert issubclass(net, resource.Resource)
        self.assertEqual(
            (schema.Property("name", schema.Type.STRING),), net.properties
        )
        self.assertEqual({}, self.errors)

    def test_of_two_packages_the_later_one_counts(self) -> None:
        found = self.declare(
            self.package("a", net={"A::Net": {}, "A::Disk": {}}),
            self.package("b", net={"A::Net": _NET}),
        )

        self.assertEqual({"A::Net", "A::Disk"}, found.keys())
        net = found["A::Net"].load()
        assert issubclass(net, resource.Resource)
        self.assertEqual(1, len(net.properties))

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

        found = self.declare(missing, folder)

        self.assertEqual({"A::Disk"}, found.keys())
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

    def test_types_of_others_are_loaded_and_ours_are_not(self) -> None:
        folder = self.package("a", net={"A::Net": {"properties": {"a": 1}}})

        self.assertEqual({}, self.declare(folder))
        self.assertEqual({"A::Net"}, self.errors.keys())
        self.errors.clear()
        found = self.declare(folder, are_ours=True)

        self.assertEqual({"A::Net"}, found.keys())
        self.assertFalse(found["A::Net"].is_loaded)
        self.assertEqual({}, self.errors)


class FirstUseTest(base.TestCase):
    def test_a_type_of_ours_is_loaded_at_its_first_use(self) -> None:
        done = subprocess.run(
            [sys.executable, "-c", _FIRST_USE],
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        )

        self.assertEqual("False False\nTrue False\n", done.stdout)

    def test_what_is_declared_is_so_once_it_is_loaded(self) -> None:
        types = registry.ResourceTypes(contexts.options(self.make_directory()))

        statuses = types.support_statuses()

        for name, status in statuses.items():
            found = types.find(name)
            assert found is not None, name
            self.assertEqual(status, found.support_status, name)
        served = {each.type_name: each for each in types.served()}
        self.assertEqual(
            {name for name, each in served.items() if each.is_variant},
            served.keys() - statuses.keys(),
        )

    def test_each_plugin_is_prepared_once_before_its_first_use(self) -> None:
        types = registry.ResourceTypes(contexts.options())
        first = types.get("OS::Heat::Value")
        prepared: list[resource.Resource] = []

        types.prepare(prepared.append)
        second = types.get("OS::Heat::None")
        types.get("OS::Heat::Value")
        types.get("OS::Heat::None")

        self.assertEqual([first, second], prepared)

    def test_a_type_that_does_not_load_is_reported_and_left_out(self) -> None:
        errors: list[str] = []
        types = registry.ResourceTypes(
            contexts.options(), lambda name, _: errors.append(name)
        )
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.resources.heat.value.Value.__init__", _fail
            )
        )

        for _ in range(2):
            self.assertIsNone(types.find("OS::Heat::Value"))

        self.assertEqual(["OS::Heat::Value"], errors)
        self.assertNotIn("OS::Heat::Value", types.names())
        self.assertRaises(registry.UnknownType, types.get, "OS::Heat::Value")


def _fail(*args: object) -> None:
    raise RuntimeError("no")
