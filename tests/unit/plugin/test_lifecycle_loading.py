import sys
import textwrap

import fixtures
from oslo_config import cfg

from orch.conf import lifecycle as lifecycle_conf
from orch.plugin import lifecycle
from orch.plugin import lifecycle_loading
from orch.plugin import lifecycle_order
from tests import base
from tests.support import entry_points
from tests.support import patterns

_MODULE = """
from orch.plugin import lifecycle

class Plain(lifecycle.LifecyclePlugin):
    pass

class Quick(lifecycle.LifecyclePlugin):
    time_limit_s = 2.5

class WithSettings(lifecycle.LifecyclePlugin):
    needs_settings = True

class Breaks(lifecycle.LifecyclePlugin):
    def __init__(self, name, settings):
        raise RuntimeError("no licence server")

class First(lifecycle.LifecyclePlugin):
    before = ("acme-second",)

class Second(lifecycle.LifecyclePlugin):
    before = ("acme-first",)

class NoPlugin:
    pass

class NoName(lifecycle.LifecyclePlugin):
    def __init__(self, name, settings):
        pass

class Misspelt(lifecycle.LifecyclePlugin):
    verbs = frozenset({"craete", "delete"})

class OneText(lifecycle.LifecyclePlugin):
    after = "acme-two"

class OddOrdinal(lifecycle.LifecyclePlugin):
    ordinal = "first"

class NoTime(lifecycle.LifecyclePlugin):
    time_limit_s = 0

class Endless(lifecycle.LifecyclePlugin):
    time_limit_s = float("inf")

class OddScope(lifecycle.LifecyclePlugin):
    scope = "every stack"
"""

_HEAT = """
from heat.engine import lifecycle_plugin

class Old(lifecycle_plugin.LifecyclePlugin):
    def get_ordinal(self):
        return 7
"""


def names(members: tuple[lifecycle_order.OrderedPlugin, ...]) -> list[str]:
    return [each.name for each in members]


class LoadTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.make_directory()
        self.useFixture(entry_points.Beside(self.place))
        self.useFixture(
            fixtures.MonkeyPatch(
                "stevedore.extension.ExtensionManager.ENTRY_POINT_CACHE", {}
            )
        )
        for name in ("acme_lifecycle", "acme_heat"):
            self.addCleanup(sys.modules.pop, name, None)
        (self.place / "acme_lifecycle.py").write_text(_MODULE)
        (self.place / "acme_heat.py").write_text(_HEAT)
        self.logger = self.useFixture(
            fixtures.FakeLogger("orch.plugin.lifecycle_loading")
        )

    def install(self, package: str, entry_points: str) -> None:
        facts = self.place / f"{package}-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
        )
        (facts / "entry_points.txt").write_text(textwrap.dedent(entry_points))

    def install_one(self, kind: str) -> None:
        self.install(
            "acme", f"[orch.lifecycle]\nacme-one = acme_lifecycle:{kind}\n"
        )

    def load(
        self, settings: str | None = None, **options: object
    ) -> lifecycle_order.PluginOrder:
        conf = cfg.ConfigOpts()
        lifecycle_conf.SECTION.register(conf)
        conf([], default_config_files=[])
        if settings is not None:
            path = self.place / "lifecycle.yaml"
            path.write_text(settings)
            options["settings_file"] = str(path)
        for name, value in options.items():
            conf.set_override(name, value, "lifecycle")
        return lifecycle_loading.load_plugins(conf)

    def refuse(self, settings: str | None = None, **options: object) -> str:
        error: lifecycle_order.CannotLoad = self.assertRaises(
            lifecycle_order.CannotLoad, self.load, settings, **options
        )
        self.assertNotIn("\n", error.message)
        return error.message

    def find(
        self, found: lifecycle_order.PluginOrder
    ) -> lifecycle_order.OrderedPlugin:
        member = found.find("acme-one")
        assert member is not None
        return member

    def test_l1_plugins_are_found_by_entry_point(self) -> None:
        self.install_one("Plain")

        member = self.find(self.load())

        self.assertEqual("acme_lifecycle", type(member.plugin).__module__)
        self.assertEqual(60.0, member.time_limit_s)
        self.assertFalse(member.is_fail_open)
        self.assertFalse(member.is_legacy)

    def test_levels_come_from_the_settings_and_no_plug_in_gets_them(
        self,
    ) -> None:
        self.install_one("Plain")

        plain = self.find(self.load())
        given = self.find(
            self.load("acme-one: {enforcement: soft-mandatory, a: 1}")
        )

        self.assertEqual("mandatory", plain.enforcement)
        self.assertEqual("soft-mandatory", given.enforcement)
        self.assertEqual({"a": 1}, given.plugin.settings)

    def test_a_level_that_does_not_exist_keeps_the_worker_out(self) -> None:
        self.install_one("Plain")

        for level in ("sometimes", "[]", "3", "null"):
            message = self.refuse(f"acme-one: {{enforcement: {level}}}")

            self.assertIn("acme-one.enforcement", message)
            self.assertIn("advisory, soft-mandatory, mandatory", message)

    def test_plug_ins_for_heat_have_levels_too(self) -> None:
        self.install(
            "old", "[heat.stack_lifecycle_plugins]\nacme-one = acme_heat:Old\n"
        )

        found = self.find(self.load("acme-one: {enforcement: advisory}"))

        self.assertEqual("advisory", found.enforcement)
        self.assertTrue(found.is_legacy)

    def test_nobody_is_called_before_something_is_installed(self) -> None:
        self.assertEqual((), self.load().members)

    def test_limits_come_from_the_plugin_then_the_options(self) -> None:
        self.install(
            "acme",
            "[orch.lifecycle]\nacme-one = acme_lifecycle:Quick\n"
            "acme-two = acme_lifecycle:Plain\n",
        )

        found = self.load(time_limit=9.0)

        self.assertEqual(
            [2.5, 9.0], [each.time_limit_s for each in found.members]
        )

    def test_those_that_need_settings_are_off_without(self) -> None:
        self.install_one("WithSettings")

        self.assertIsNone(self.load().find("acme-one"))
        member = self.find(self.load("acme-one: {most: 3}"))
        self.assertEqual({"most": 3}, member.plugin.settings)

    def test_a_labelled_section_makes_one_more(self) -> None:
        self.install_one("WithSettings")

        found = self.load("acme-one:a: {most: 1}\nacme-one:b: {most: 2}\n")

        self.assertEqual(["acme-one:a", "acme-one:b"], names(found.members))
        self.assertEqual(
            [{"most": 1}, {"most": 2}],
            [each.plugin.settings for each in found.members],
        )

    def test_options_name_one_of_them_or_all(self) -> None:
        self.install_one("WithSettings")
        sections = "acme-one:a: {}\nacme-one:b: {}\n"

        one = self.load(sections, disabled=["acme-one:a"])
        none = self.load(sections, disabled=["acme-one"])
        open_ = self.load(sections, fail_open=["acme-one:b"])

        self.assertEqual(["acme-one:b"], names(one.members))
        self.assertEqual((), none.members)
        self.assertEqual(
            [False, True], [each.is_fail_open for each in open_.members]
        )

    def test_an_unknown_section_is_refused_with_a_hint(self) -> None:
        self.install_one("Plain")

        said = self.refuse("acme-noe: {}")

        self.assertIn("did you mean 'acme-one'?", said)

    def test_settings_are_a_mapping(self) -> None:
        self.assertIn("has to be a mapping", self.refuse("- acme-one"))

    def test_settings_that_are_no_yaml_are_refused(self) -> None:
        self.assertIn("cannot be read", self.refuse("acme: [1"))

    def test_a_file_that_is_not_there_is_refused(self) -> None:
        self.assertIn(
            "cannot be read", self.refuse(settings_file="/does/not/exist")
        )

    def test_l_g4_what_cannot_be_made_stops_the_worker(self) -> None:
        self.install_one("Breaks")

        said = self.refuse()

        self.assertIn("acme-one (acme_lifecycle:Breaks in", said)
        self.assertIn("RuntimeError: no licence server", said)
        self.assertIn("[lifecycle] disabled", said)

    def test_l_g4_what_cannot_be_imported_stops_the_worker(self) -> None:
        self.install_one("Missing")

        self.assertIn("AttributeError", self.refuse())

    def test_what_is_no_plugin_stops_the_worker(self) -> None:
        self.install_one("NoPlugin")

        self.assertIn("is no lifecycle.LifecyclePlugin", self.refuse())

    def test_what_one_says_of_itself_has_to_make_sense(self) -> None:
        told = {
            "NoName": "its constructor has to call",
            "Misspelt": "there is no verb craete; there are abandon,",
            "OneText": "after has to be a tuple of names",
            "OddOrdinal": "ordinal has to be a whole number",
            "NoTime": "time_limit_s has to be more than 0",
            "Endless": "time_limit_s has to be more than 0, and at most",
            "OddScope": "scope has to be lifecycle.Scope.ROOTS or",
        }
        self.install(
            "acme",
            "[orch.lifecycle]\n"
            + "".join(f"{kind} = acme_lifecycle:{kind}\n" for kind in told),
        )

        for kind, text in told.items():
            others = [each for each in told if each != kind]
            self.assertIn(text, self.refuse(disabled=others))

    def test_l_g4_one_that_fails_open_warns_instead(self) -> None:
        self.install_one("Breaks")

        member = self.find(self.load(fail_open=["acme-one"]))

        self.assertEqual("RuntimeError: no licence server", member.load_error)
        verdict = member.plugin.pre_operation(patterns.make_operation())
        assert verdict is not None
        self.assertIs(lifecycle.Ruling.WARN, verdict.ruling)
        self.assertIn("no licence server", verdict.text)
        self.assertIn("acme-one is left out", self.logger.output)

    def test_a_disabled_one_is_not_even_loaded(self) -> None:
        self.install_one("Breaks")

        self.assertEqual((), self.load(disabled=["acme-one"]).members)

    def test_options_that_name_nobody_are_told(self) -> None:
        self.install_one("Plain")

        self.load(fail_open=["acme-noe"])

        self.assertIn("did you mean 'acme-one'?", self.logger.output)

    def test_a_circle_stops_the_worker(self) -> None:
        self.install(
            "acme",
            "[orch.lifecycle]\nacme-first = acme_lifecycle:First\n"
            "acme-second = acme_lifecycle:Second\n",
        )

        said = self.refuse()

        self.assertIn("acme-first after acme-second", said)

    def test_heats_plugins_are_loaded_beside_ours(self) -> None:
        self.install_one("Plain")
        self.install(
            "old", "[heat.stack_lifecycle_plugins]\nOld = acme_heat:Old\n"
        )

        found = self.load()

        self.assertEqual(["Old", "acme-one"], names(found.members))
        self.assertTrue(found.members[0].is_legacy)

    def test_heats_plugins_take_no_settings(self) -> None:
        self.install(
            "old", "[heat.stack_lifecycle_plugins]\nOld = acme_heat:Old\n"
        )

        self.assertIn("take no settings", self.refuse("Old: {most: 3}"))

    def test_a_name_is_used_once_over_both_namespaces(self) -> None:
        self.install_one("Plain")
        self.install(
            "old", "[heat.stack_lifecycle_plugins]\nacme-one = acme_heat:Old\n"
        )

        said = self.refuse()

        self.assertIn("two lifecycle plug-ins have the name acme-one", said)
        self.assertIn("acme_heat:Old", said)

    def test_a_package_that_is_found_twice_counts_once(self) -> None:
        self.install_one("Plain")
        self.install(
            "acme_again", "[orch.lifecycle]\nacme-one = acme_lifecycle:Plain\n"
        )

        self.assertEqual(["acme-one"], names(self.load().members))
