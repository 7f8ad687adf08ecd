"""What arguments say of a stack."""

import argparse
import pathlib

from orchclient.commands import stack_arguments
from orchclient.console import exit_codes
from tests import base


class NameTests(base.TestCase):
    def test_names(self) -> None:
        directory = self.make_directory() / "my web"
        directory.mkdir()
        for source, name in (
            (str(directory), "my-web"),
            (str(directory / "template.yaml"), "my-web"),
            (str(directory / "shop.yaml"), "shop"),
            ("http://host/a/b/web.yaml", "web"),
            ("http://host/a/shop/main.yaml", "shop"),
        ):
            self.assertEqual(
                name, stack_arguments.stack_name_of(source), source
            )

    def test_what_makes_no_name(self) -> None:
        source = str(pathlib.Path("/") / "1.yaml")
        self.assertRaises(
            exit_codes.UsageError, stack_arguments.stack_name_of, source
        )


class InputTests(base.TestCase):
    def parse(self, *words: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        stack_arguments.add_inputs(parser)
        return parser.parse_args(words)

    def test_inputs(self) -> None:
        file = self.make_directory() / "text"
        file.write_text("long\n", encoding="utf-8")

        request = stack_arguments.inputs(
            self.parse(
                *("-P", "a=1", "-P", "b=x=y", "--parameter-file", f"c={file}"),
                *("--tag", "t", "--enable-rollback", "--keep-going"),
                *("--timeout-mins", "5"),
            )
        )

        self.assertEqual(
            {
                "parameters": {"a": "1", "b": "x=y", "c": "long\n"},
                "tags": ["t"],
                "disable_rollback": False,
                "keep_going": True,
                "timeout_mins": 5,
            },
            request,
        )

    def test_nothing_said_is_nothing_sent(self) -> None:
        self.assertEqual({}, stack_arguments.inputs(self.parse()))

    def test_a_parameter_without_a_value(self) -> None:
        parsed = self.parse("-P", "a")
        self.assertRaises(
            exit_codes.UsageError, stack_arguments.inputs, parsed
        )
