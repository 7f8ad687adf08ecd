"""The contents of a stack: ``stack template show`` and the like."""

import argparse

from orchclient import errors
from orchclient.commands import base
from orchclient.console import exit_codes
from orchclient.console import formatting


class _Document(base.AboutStack, base.Document):
    """A document of a stack."""


class TemplateShow(_Document):
    """Write the template that a stack has."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write it."""
        found = self.client.stacks.template(parsed_args.stack)
        return self.write(parsed_args, found)


class EnvironmentShow(_Document):
    """Write the environment that a stack has; hidden values are redacted."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write it."""
        found = self.client.stacks.environment(parsed_args.stack)
        return self.write(parsed_args, found)


class FileList(_Document):
    """Write the files beside the template of a stack: name to text."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write them."""
        found = self.client.stacks.files(parsed_args.stack)
        return self.write(parsed_args, found)


class OutputShow(base.AboutStack):
    """Write the value of an output, a text as it is.

    A sensitive value is written too: the command names it.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the output."""
        parser = super().get_parser(prog_name)
        parser.add_argument("output", metavar="OUTPUT", help="its name")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write the value; an output that cannot be shown is a failure."""
        found = self.client.stacks.output(
            parsed_args.stack, parsed_args.output
        )
        if found.error:
            raise errors.Error(f"{found.key}: {found.error}")
        self.say(formatting.value_text(found.value))
        return exit_codes.Exit.DONE
