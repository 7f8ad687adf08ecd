"""``drift accept`` and ``drift policy`` read paths and names with colons."""

import argparse
import typing

from orchclient.commands import drift as commands
from orchclient.console import exit_codes
from tests import base

Names = dict[str, list[str]]


class _Drifts:
    """Notes what is accepted."""

    def accept(
        self, stack: str, paths: list[str] | None, *, properties: Names
    ) -> tuple[str, ...]:
        self.accepted = paths, properties
        return ("web",)


class _Client:
    def __init__(self) -> None:
        self.drift = _Drifts()


class _Accept(commands.Accept):
    def __init__(self) -> None:
        super().__init__(typing.cast(typing.Any, None), None)
        self.found = _Client()

    @property
    def client(self) -> typing.Any:
        return self.found

    def say(self, line: str) -> None:
        pass


class AcceptTests(base.TestCase):
    def accept(self, *words: str) -> tuple[list[str] | None, Names]:
        """Return the paths and the properties that a command accepts."""
        command = _Accept()
        parsed = command.get_parser("accept").parse_args(["shop", *words])
        command.take_action(parsed)
        return command.found.drift.accepted

    def test_a_path_with_a_colon_is_a_whole_resource(self) -> None:
        self.assertEqual((["net:a/b:c"], {}), self.accept(r"net\:a/b\:c"))

    def test_a_name_may_have_colons(self) -> None:
        named = self.accept(
            r"web:metadata.os\:type", "--property", r"web:tags.a\:b\:c"
        )

        expected = {"web": ["metadata.os:type", "tags.a:b:c"]}
        self.assertEqual((None, expected), named)

    def test_the_last_colon_without_backslash_divides(self) -> None:
        named = self.accept("web", "page:mode", "net:a:size", r"c\\:x", r"d\e")

        expected = {"page": ["mode"], "net:a": ["size"], "c\\": ["x"]}
        self.assertEqual((["web", r"d\e"], expected), named)

    def test_an_empty_part_is_refused(self) -> None:
        for words in (
            ("web:",),
            (":mode",),
            ("--property", "web"),
            ("--property", r"web\:mode"),
        ):
            error = self.assertRaises(
                exit_codes.UsageError, self.accept, *words
            )
            self.assertIn(f"{words[-1]} is not PATH", str(error))


class PolicyTests(base.TestCase):
    def test_a_pattern_and_a_name_may_have_colons(self) -> None:
        parsed = argparse.Namespace(
            default=None,
            resource=[],
            property=[r"net\:*:metadata.os\:type=ignore", "a:b:mode=report"],
        )

        found = commands._combined({}, parsed)

        self.assertEqual(
            {
                "net:*": {"properties": {"metadata.os:type": "ignore"}},
                "a:b": {"properties": {"mode": "report"}},
            },
            found["resources"],
        )
