"""Which command the words of a command line mean."""

import io

from orchclient import shell
from orchclient.commands import drift
from orchclient.commands import search
from tests import base


class FindCommandTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.commands = shell._Commands("openstack.orch.v1")

    def test_the_longest_name_is_the_command(self) -> None:
        for words, kind, name, rest in (
            ("drift shop", drift.Show, "drift", "shop"),
            ("drift accept shop a", drift.Accept, "drift accept", "shop a"),
            ("drift --refresh shop", drift.Show, "drift", "--refresh shop"),
            ("drift -- accept", drift.Show, "drift", "-- accept"),
        ):
            self.assertEqual(
                (kind, name, rest.split()),
                self.commands.find_command(words.split()),
            )

    def test_the_beginning_of_a_name_may_be_a_stack(self) -> None:
        for stack in ("a", "acc", "accep", "t", "polic"):
            self.assertEqual(
                (drift.Show, "drift", [stack]),
                self.commands.find_command(["drift", stack]),
            )

    def test_only_commands_of_ours_are_there(self) -> None:
        self.assertEqual(
            (search.Query, "search", ["query", "name: a"]),
            self.commands.find_command(["search", "query", "name: a"]),
        )

    def test_the_beginning_of_a_name_is_no_command(self) -> None:
        for words in (["dri", "shop"], ["stack", "li"], ["--help"], []):
            self.assertRaises(ValueError, self.commands.find_command, words)


class HelpTests(base.TestCase):
    def help_of(self, *words: str) -> str:
        out = io.StringIO()
        self.assertEqual(0, shell.main([*words], stdout=out, stderr=out))
        return out.getvalue()

    def test_each_command_has_its_own_help(self) -> None:
        for words in (
            ["retry", "--help"],
            ["retry", "-h"],
            ["--help", "retry"],
            ["retry", "shop", "--skip", "a", "--help"],
            ["help", "retry"],
        ):
            self.assertIn("orch retry", self.help_of(*words).split("\n")[0])

    def test_the_program_has_its_own(self) -> None:
        self.assertIn("stack create", self.help_of("help"))
