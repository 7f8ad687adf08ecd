import yaml

from orch.plugin import lifecycle
from orch.plugin import lifecycle_fingerprint
from orch.plugin import lifecycle_order
from tests import base


def member(
    settings: str = "", name: str = "one", **given: object
) -> lifecycle_order.OrderedPlugin:
    plugin = lifecycle.LifecyclePlugin(name, None)
    for key in given.keys() & {"scope", "verbs", "supports_preview"}:
        setattr(plugin, key, given.pop(key))
    digest = lifecycle_fingerprint.digest_settings(yaml.safe_load(settings))
    return lifecycle_order.OrderedPlugin(
        plugin, settings_digest=digest, **given
    )


def fingerprint(
    *members: lifecycle_order.OrderedPlugin, fail_open: tuple[str, ...] = ()
) -> str:
    return lifecycle_fingerprint.fingerprint(
        lifecycle_order.PluginOrder(members, fail_open)
    )


class FingerprintTest(base.TestCase):
    def assert_same(self, one: str, other: str) -> None:
        self.assertEqual(fingerprint(member(one)), fingerprint(member(other)))

    def assert_different(self, one: str, other: str) -> None:
        self.assertNotEqual(
            fingerprint(member(one)), fingerprint(member(other))
        )

    def test_it_is_the_same_in_each_release(self) -> None:
        self.assertEqual(
            "21678a886fd44b0c4abd21db2d45fb074e08d8ec68131f000d18b79a81e5eb20",
            fingerprint(),
        )
        self.assertEqual(
            "0f281618f5dbf97e51184486e58bc5296dd7eb1786daa72bff8570a1188ca880",
            fingerprint(
                member(
                    "{a: 1, b: [x, 2.5, null, true], c: 2026-01-02}",
                    verbs=frozenset({"update", "create"}),
                ),
                fail_open=("two", "one"),
            ),
        )

    def test_it_depends_on_the_level(self) -> None:
        levels = lifecycle_order.Enforcement
        found = {fingerprint(member(enforcement=level)) for level in levels}

        self.assertEqual(3, len(found))
        # What was set before there were levels is mandatory.
        self.assertIn(fingerprint(member()), found)

    def test_the_form_of_the_file_does_not_matter(self) -> None:
        self.assert_same("{a: 1, b: {c: x, d: y}}", "b: {d: y, c: 'x'}\na: 1")
        self.assert_same("{1: a, x: b}", "{x: b, 1: a}")
        self.assert_same("", "# nothing but words")

    def test_what_it_says_does(self) -> None:
        for one, other in (
            ("{secret: a}", "{secret: b}"),
            ("{a: 1}", "{a: '1'}"),
            ("{a: true}", "{a: 1}"),
            ("{a: 2026-01-02}", "{a: '2026-01-02'}"),
            ("[a, b]", "[b, a]"),
            ("{a: {b: c}}", "{a: [b, c]}"),
            ("", "{}"),
        ):
            with self.subTest(one=one, other=other):
                self.assert_different(one, other)

    def test_how_a_plugin_is_called_does(self) -> None:
        other = {
            fingerprint(member(**given))
            for given in (
                {},
                {"name": "two"},
                {"scope": lifecycle.Scope.EVERY_STACK},
                {"verbs": frozenset({"create"})},
                {"supports_preview": True},
                {"time_limit_s": 5.0},
                {"is_fail_open": True},
                {"is_legacy": True},
                {"load_error": "not here"},
            )
        }

        self.assertEqual(9, len(other))

    def test_the_order_does(self) -> None:
        one, two = member(name="one"), member(name="two")
        late = member(name="one")
        late.plugin.ordinal = 500

        self.assertEqual(fingerprint(one, two), fingerprint(two, one))
        self.assertNotEqual(fingerprint(one, two), fingerprint(late, two))

    def test_what_fails_open_once_it_is_gone_does(self) -> None:
        self.assertEqual(
            fingerprint(fail_open=("a", "b")),
            fingerprint(fail_open=("b", "a")),
        )
        self.assertNotEqual(fingerprint(), fingerprint(fail_open=("a",)))

    def test_why_it_cannot_be_loaded_does_not(self) -> None:
        self.assertEqual(
            fingerprint(member(load_error="no /a/file")),
            fingerprint(member(load_error="no /b/file")),
        )
