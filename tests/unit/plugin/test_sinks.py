import typing

import fixtures

from orch.conf import load
from orch.plugin import registry
from orch.plugin import sink
from orch.plugin import sinks
from tests import base
from tests.unit.plugin import test_sinks_heat


class Ours(sink.EventSink):
    type_name = "ours"
    secrets = frozenset({"key"})

    def send(
        self, declared: sink.Declared, told: sink.SinkEvent, owner: sink.Owner
    ) -> None:
        """Take nothing."""


class Two(Ours):
    type_name = "two"
    secrets = frozenset({"x", "y"})


class Broken(Ours):
    type_name = "broken"

    def __init__(self, conf: object) -> None:
        raise OSError("no disk")


class KindsTestCase(base.TestCase):
    """The types are those that a test offers."""

    def setUp(self) -> None:
        super().setUp()
        self.groups: dict[str, dict[str, type]] = {}
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.plugin.registry.load_plugins",
                lambda group: self.groups.get(group, {}),
            )
        )
        sinks.load_sink_types.cache_clear()
        self.addCleanup(sinks.load_sink_types.cache_clear)

    def offer(self, group: str, **kinds: type) -> None:
        self.groups[group] = kinds


class KindsTest(KindsTestCase):
    def test_those_for_heat_count_where_we_have_none(self) -> None:
        consumer = test_sinks_heat.Consumer
        self.offer("heat.event_sinks", ours=consumer, theirs=consumer)
        self.offer(registry.EVENT_SINKS, ours=Ours)

        found = sinks.load_sink_types()

        self.assertEqual({"ours", "theirs"}, set(found))
        self.assertIs(Ours, found["ours"])
        self.assertEqual("theirs", found["theirs"].type_name)

    def test_what_is_no_sink_is_left_out(self) -> None:
        self.offer("heat.event_sinks", none=test_sinks_heat.NoConsumer)
        self.offer(registry.EVENT_SINKS, other=Ours, text=str)

        self.assertEqual({}, dict(sinks.load_sink_types()))

    def test_one_that_cannot_be_made_is_left_out(self) -> None:
        found = sinks.load_sinks(
            load.load([], files=[]), {"ours": Ours, "broken": Broken}
        )

        self.assertEqual(["ours"], list(found))

    def test_secrets_are_covered_where_a_sink_is_shown(self) -> None:
        self.offer(registry.EVENT_SINKS, ours=Ours)

        self.assertEqual(
            {"type": "ours", "target": "t", "key": "******"},
            sinks.redact_sink({"type": "ours", "target": "t", "key": "k"}),
        )
        self.assertEqual(
            {"type": "gone", "key": "k"},
            sinks.redact_sink({"type": "gone", "key": "k"}),
        )


class InstalledTest(base.TestCase):
    def test_ours_are_installed(self) -> None:
        self.assertLessEqual(
            {"webhook", "zaqar-queue"}, set(sinks.load_sink_types())
        )


class StoredSecretsTest(KindsTestCase):
    """Which secrets are meant where a sink has asterisks."""

    def setUp(self) -> None:
        super().setUp()
        self.offer(registry.EVENT_SINKS, ours=Ours)

    def ours(self, target: str, key: str, **more: object) -> sink.Declared:
        return {"type": "ours", "target": target, "key": key, **more}

    def restored_secrets(
        self, declared: list[sink.Declared], *known: sink.Declared
    ) -> list[object]:
        """Return the secrets of sinks that came, as far as known."""
        kept = sinks.find_redacted_sinks(declared, known)
        found = [sinks.restore_secrets(each, kept) for each in declared]
        self.assertEqual([], kept)
        return [typing.cast(sink.Declared, each)["key"] for each in found]

    def test_it_is_that_of_the_same_target(self) -> None:
        known = [self.ours("a", "one"), self.ours("b", "two")]

        self.assertEqual(
            ["two", "one"],
            self.restored_secrets(
                [self.ours("b", "******", ttl=5), self.ours("a", "******")],
                *known,
            ),
        )

    def test_another_target_or_type_has_none(self) -> None:
        known = self.ours("a", "one")
        for other in (
            self.ours("c", "******"),
            {**self.ours("a", "******"), "type": "gone"},
        ):
            self.assertEqual(["******"], self.restored_secrets([other], known))

    def test_what_had_no_secret_has_none_to_keep(self) -> None:
        known = {"type": "ours", "target": "a"}

        self.assertEqual(
            ["******"],
            self.restored_secrets([self.ours("a", "******")], known),
        )

    def test_of_several_alike_the_place_counts(self) -> None:
        known = [self.ours("a", "one"), self.ours("a", "two")]

        self.assertEqual(
            ["new", "two"],
            self.restored_secrets(
                [self.ours("a", "new"), self.ours("a", "******")], *known
            ),
        )

    def test_of_several_alike_one_alone_does_not_say_which(self) -> None:
        request = [self.ours("a", "******")]

        self.assertEqual(
            ["******"],
            self.restored_secrets(
                request, self.ours("a", "one"), self.ours("a", "two")
            ),
        )
        self.assertEqual(
            ["one"],
            self.restored_secrets(
                request, self.ours("a", "one"), self.ours("a", "one")
            ),
        )

    def test_of_two_secrets_each_sink_gets_its_own(self) -> None:
        self.offer(registry.EVENT_SINKS, ours=Ours, two=Two)
        x, y = {"x": "******"}, {"y": "******"}
        both = {"x": "1", "y": "2"}
        for came, known, expected in (
            ([x, y], [{"y": "2"}], [x, {"y": "2"}]),
            ([y, x], [{"y": "2"}], [{"y": "2"}, x]),
            ([x, x | y, {}], [both, {"x": "3"}], [x, both, {}]),
            ([x, x | y], [both], [{"x": "1"}, both]),
        ):
            declared = [{"type": "two", "target": "a", **one} for one in came]
            kept = sinks.find_redacted_sinks(
                declared,
                [{"type": "two", "target": "a", **one} for one in known],
            )
            found = [sinks.restore_secrets(each, kept) for each in declared]

            self.assertEqual(
                [{"type": "two", "target": "a", **one} for one in expected],
                found,
            )
            self.assertEqual([], kept)

    def test_without_a_target_all_the_rest_has_to_be_the_same(self) -> None:
        known = {"type": "ours", "host": "a", "key": "one"}

        self.assertEqual(
            ["one"], self.restored_secrets([{**known, "key": "******"}], known)
        )
        self.assertEqual(
            ["******"],
            self.restored_secrets(
                [{**known, "host": "b", "key": "******"}], known
            ),
        )
