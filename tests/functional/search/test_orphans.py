"""What no stack has is found, and stays while nobody can tell of it."""

import pathlib
import typing

from tests.functional.search import finding
from tests.support import serving
from tests.support import waiting

_FILE, _DIRECTORY = "Orch::Local::File", "Orch::Local::Directory"
_RANDOM: typing.Final = """
heat_template_version: 2021-04-16
resources:
  text: {type: OS::Heat::RandomString}
"""
_OBSERVER: typing.Final = {"enabled": True, "period": 3600}
_SEARCH: typing.Final = {"check_interval": 10}


class _Case(serving.ServerTestCase):
    """A server with one stack, and things beside it."""

    limit_s = 240

    def setUp(self) -> None:
        super().setUp()
        self.root = pathlib.Path(self.system.root)
        (self.root / "stray").mkdir()
        (self.root / "stray" / "note").write_text("of nobody", "utf-8")
        self.stack = self.client.create("app", _RANDOM)
        self.client.wait(self.stack, "CREATE_COMPLETE")

    def orphans(self) -> list[finding.Json]:
        found = finding.search(self.client, "", kind="orphan")
        return typing.cast(list[finding.Json], found["hits"])

    def status(self) -> finding.Json:
        answer = self.client.ask("GET", "/search/status")
        return typing.cast(finding.Json, answer)["search"]

    def unlisted(self) -> dict[str, finding.Json]:
        """Return what could not be listed, by type."""
        return {each["type"]: each for each in self.status()["unlisted_types"]}


class OrphanTests(_Case):
    options: typing.ClassVar = {"observer": _OBSERVER, "search": _SEARCH}

    def test_they_stay_while_their_types_cannot_be_listed(self) -> None:
        waiting.wait_for(
            lambda: {"stray", "stray/note"} <= self.found(),
            "orphans",
            finding.SOON_S,
        )
        for each in self.orphans():
            by_id = finding.search(self.client, f'id:"{each["id"]}"')
            self.assertEqual(
                [each["id"]], [hit["id"] for hit in by_id["hits"]]
            )
        self.assertEqual({}, self.unlisted())
        made_at = self.client.show(self.stack)["creation_time"]
        self.assertLess(str(made_at), self.status()["orphans_at"])
        away = self.root.with_name("away")
        self.root.rename(away)
        self.addCleanup(away.rename, self.root)
        self.root.touch()
        self.addCleanup(self.root.unlink)

        waiting.wait_for(
            lambda: set(self.unlisted()) == {_FILE, _DIRECTORY},
            "types that cannot be listed",
            finding.SOON_S,
        )

        kept = {each["physical_id"]: each for each in self.orphans()}
        self.assertLessEqual({"stray", "stray/note"}, set(kept))
        self.assertRegex(
            kept["stray"]["fields"]["orphan.seen_at"][0], r"^20.*Z$"
        )
        found = finding.search(self.client, "orphan.seen_at:*")
        self.assertLessEqual(
            {"note", "stray"}, {each["name"] for each in found["hits"]}
        )
        told = self.unlisted()[_FILE]
        self.assertEqual(1, told["projects"])
        self.assertIn("the allowed root cannot be used", told["reason"])

    def found(self) -> set[str]:
        return {each["physical_id"] for each in self.orphans()}


class PaceTests(_Case):
    """One call in a hundred seconds may be made, of two types."""

    options: typing.ClassVar = {
        "observer": {
            **_OBSERVER,
            "calls_per_second": 0.01,
            "call_burst": 1,
        },
        "search": _SEARCH,
    }

    def test_looking_for_them_keeps_to_the_calls_of_the_observer(
        self,
    ) -> None:
        waiting.wait_for(
            self.unlisted, "types that were not listed", finding.SOON_S
        )

        told = self.unlisted()
        self.assertLessEqual(set(told), {_FILE, _DIRECTORY})
        for each in told.values():
            self.assertIn("calls_per_second", each["reason"])
