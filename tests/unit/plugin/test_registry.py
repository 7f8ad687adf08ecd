import pathlib
import sys
import textwrap

import fixtures
from stevedore import extension

from orch import errors
from orch.api import faults
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import type_files
from orch.resources.openstack import type_data
from tests import base
from tests.support import entry_points
from tests.unit.resources import contexts

_MODULE = """
from orch.plugin import resource

class Good(resource.Resource):
    type_name = "Acme::Good"

class Other(resource.Resource):
    type_name = "Acme::Renamed"

class Value(resource.Resource):
    type_name = "OS::Heat::Value"

class Delay(resource.Resource):
    type_name = "OS::Heat::Delay"

    def __init__(self, conf):
        raise RuntimeError("no")

class Breaks(resource.Resource):
    type_name = "Acme::Breaks"

    def __init__(self, conf):
        raise RuntimeError("no")

class NoResource:
    type_name = "Acme::NoResource"

text = "no class"

class Shout:
    pass
"""

_KNOWN = """{
  "Acme::Known": {"attributes": {"size": {"type": "integer"}}},
  "Acme::Good": {},
  "OS::Mistral::ExternalResource": {"support_status": "DEPRECATED"}
}"""

_ENTRY_POINTS = """
[orch.resources]
Acme::Good = acme_plugins:Good
Acme::Other = acme_plugins:Other
OS::Heat::Value = acme_plugins:Value
OS::Heat::Delay = acme_plugins:Delay
Acme::Breaks = acme_plugins:Breaks
Acme::NoResource = acme_plugins:NoResource
Acme::NoClass = acme_plugins:text
Acme::Missing = acme_plugins:missing
Acme::Exits = acme_exits:Anything
Acme::Asserts = acme_asserts:Anything

[orch.known_types]
acme = acme_known

[orch.template_functions]
acme_shout = acme_plugins:Shout
"""


class Local(resource.Resource):
    type_name = "Acme::Local"
    is_local = True


class Plain(resource.Resource):
    type_name = "Acme::Plain"


class RegistryTest(base.TestCase):
    def test_built_in_types_are_found_by_entry_point(self) -> None:
        types = registry.ResourceTypes(contexts.options())

        self.assertIn("OS::Heat::TestResource", types.names())
        self.assertEqual(sorted(types.names()), types.names())
        found = types.get("OS::Heat::TestResource")
        self.assertIs(found, types.find("OS::Heat::TestResource"))
        self.assertEqual("OS::Heat::TestResource", found.type_name)

    def test_local_types_are_left_out_until_they_are_allowed(self) -> None:
        name = "Orch::Local::File"
        closed = registry.ResourceTypes(contexts.options())
        opened = registry.ResourceTypes(
            contexts.options(self.make_directory())
        )

        self.assertIsNone(closed.find(name))
        error = self.assertRaises(registry.UnknownType, closed.get, name)
        self.assertIn("[local] enabled", error.message)
        self.assertIsNotNone(opened.find(name))

    def test_an_unknown_type_is_not_found(self) -> None:
        types = registry.ResourceTypes.of([Plain], contexts.options())

        self.assertIsNone(types.find("Acme::Nothing"))
        error = self.assertRaises(errors.NotFound, types.get, "Acme::Nothing")
        self.assertIn("Acme::Nothing", error.message)

    def test_types_without_a_plugin_are_known_by_their_schema(self) -> None:
        types = registry.ResourceTypes(contexts.options())
        name = "OS::Neutron::Firewall"

        found = types.find(name)

        assert found is not None
        self.assertIn(name, types.names())
        self.assertTrue(found.is_schema_only)
        error = self.assertRaises(registry.UnknownType, types.get, name)
        self.assertIn("no plug-in serves", error.message)
        served = types.find("OS::Heat::Value")
        assert served is not None
        self.assertFalse(served.is_schema_only)

    def test_types_whose_service_is_gone_say_so(self) -> None:
        types = registry.ResourceTypes(contexts.options())
        for name, said in (
            ("OS::Neutron::Firewall", "OS::Neutron::SecurityGroup"),
            ("OS::Neutron::FirewallPolicy", "since the release Stein"),
            ("OS::Neutron::FirewallRule", "since the release Stein"),
            ("OS::Neutron::NetworkGateway", "OS::Neutron::L2Gateway"),
            ("OS::Neutron::LoadBalancer", "OS::Octavia::LoadBalancer"),
            ("OS::Sahara::Cluster", "no Sahara any more"),
        ):
            found = types.find(name)

            assert found is not None
            self.assertIn(said, str(found.lacks))
            self.assertNotIn("Install", str(found.lacks))

    def test_every_known_type_can_be_read(self) -> None:
        errors_: dict[str, BaseException] = {}
        types = registry.ResourceTypes(contexts.options(), errors_.__setitem__)

        found = {name: types.find(name) for name in types.names()}

        self.assertEqual({}, errors_)
        for name, plugin in found.items():
            assert plugin is not None, name
            self.assertEqual(name, plugin.type_name)

    def test_plugins_may_be_given_directly(self) -> None:
        conf = contexts.options()

        types = registry.ResourceTypes.of([Plain, Local], conf)

        self.assertEqual(["Acme::Plain"], types.names())
        self.assertIs(conf, types.get("Acme::Plain").conf)


class FirstUseTest(base.TestCase):
    name = "OS::Nova::ServerGroup"

    def setUp(self) -> None:
        super().setUp()
        type_data.load_type.cache_clear()
        self.addCleanup(type_data.load_type.cache_clear)
        self.left_out: dict[str, BaseException] = {}
        self.types = registry.ResourceTypes(
            contexts.options(), self.left_out.__setitem__
        )

    def fail_with(self, error: Exception) -> fixtures.MonkeyPatch:
        def fail(package: str) -> list[type_files.File]:
            raise error

        return fixtures.MonkeyPatch("orch.plugin.type_files.list_files", fail)

    def test_a_type_that_cannot_be_loaded_now_is_loaded_later(self) -> None:
        with self.fail_with(OSError(24, "Too many open files")):
            for find in (self.types.find, self.types.get):
                error = self.assertRaises(
                    registry.TypeUnavailable, find, self.name
                )

        self.assertIsInstance(error, errors.Transient)
        self.assertEqual(503, faults.fault_of(error).status)
        self.assertIn("Too many open files", error.message)
        self.assertEqual(self.name, self.types.get(self.name).type_name)
        self.assertEqual({}, self.left_out)

    def test_one_that_is_broken_is_left_out_with_its_reason(self) -> None:
        for name, broken in (
            (self.name, ValueError("broken")),
            ("OS::Nova::KeyPair", PermissionError(13, "denied")),
        ):
            with self.fail_with(broken):
                error = self.assertRaises(
                    registry.UnknownType, self.types.get, name
                )

            self.assertIn("cannot be loaded", error.message)
            self.assertEqual(broken, self.left_out[name])


class ForeignPluginTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        place = self.make_directory()
        self._install(place)
        self.useFixture(entry_points.Beside(place))
        self.addCleanup(sys.modules.pop, "acme_known", None)
        self.useFixture(
            fixtures.MonkeyPatch(
                "stevedore.extension.ExtensionManager.ENTRY_POINT_CACHE", {}
            )
        )
        self.errors: dict[str, BaseException] = {}

    def _install(self, place: pathlib.Path) -> None:
        (place / "acme_plugins.py").write_text(_MODULE)
        (place / "acme_known").mkdir()
        (place / "acme_known" / "__init__.py").touch()
        (place / "acme_known" / "cloud.json").write_text(_KNOWN)
        (place / "acme_exits.py").write_text("raise SystemExit(3)\n")
        (place / "acme_asserts.py").write_text("raise AssertionError()\n")
        facts = place / "acme-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n"
        )
        (facts / "entry_points.txt").write_text(textwrap.dedent(_ENTRY_POINTS))

    def load(self) -> registry.ResourceTypes:
        self.assertEqual({}, extension.ExtensionManager.ENTRY_POINT_CACHE)
        return registry.ResourceTypes(
            contexts.options(), self.errors.__setitem__
        )

    def test_other_packages_add_types(self) -> None:
        self.assertIsNotNone(self.load().find("Acme::Good"))

    def test_a_plugin_that_breaks_is_reported_and_left_out(self) -> None:
        types = self.load()

        for name, kind in (
            ("Acme::Other", registry.BadPlugin),
            ("Acme::Breaks", RuntimeError),
            ("Acme::NoResource", registry.BadPlugin),
            ("Acme::NoClass", registry.BadPlugin),
            ("Acme::Missing", AttributeError),
            ("Acme::Exits", SystemExit),
            ("Acme::Asserts", AssertionError),
        ):
            self.assertIsInstance(self.errors.pop(name), kind, name)
            self.assertIsNone(types.find(name))
        self.assertEqual(
            [], [name for name in self.errors if name.startswith("Acme")]
        )
        self.assertIsNotNone(types.find("OS::Heat::TestResource"))

    def test_another_packages_type_takes_the_place_of_ours(self) -> None:
        found = self.load().get("OS::Heat::Value")

        self.assertEqual("acme_plugins", type(found).__module__)

    def test_one_that_breaks_leaves_ours_in_place(self) -> None:
        types = self.load()

        found = types.get("OS::Heat::Delay")

        self.assertEqual("no", str(self.errors["OS::Heat::Delay"]))
        self.assertNotEqual("acme_plugins", type(found).__module__)
        self.assertIn("OS::Heat::Delay", types.names())

    def test_other_packages_add_known_types(self) -> None:
        found = self.load().find("Acme::Known")

        assert found is not None
        self.assertTrue(found.is_schema_only)
        self.assertEqual(["size"], [one.name for one in found.attributes])

    def test_facts_of_other_packages_take_the_place_of_ours(self) -> None:
        found = self.load().find("OS::Mistral::ExternalResource")

        assert found is not None
        self.assertEqual("DEPRECATED", found.support_status)

    def test_a_plugin_takes_the_place_of_known_facts(self) -> None:
        found = self.load().find("Acme::Good")

        assert found is not None
        self.assertFalse(found.is_schema_only)

    def test_other_packages_add_template_functions(self) -> None:
        functions = registry.load_plugins(registry.FUNCTIONS)

        self.assertEqual("Shout", functions["acme_shout"].__name__)

    def test_errors_go_to_the_log_when_nobody_asks_for_them(self) -> None:
        logger = self.useFixture(fixtures.FakeLogger("orch.plugin.registry"))

        registry.ResourceTypes(contexts.options())

        self.assertIn(
            "the plug-in Acme::Breaks is left out: RuntimeError: no",
            logger.output,
        )
