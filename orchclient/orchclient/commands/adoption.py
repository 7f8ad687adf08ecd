"""``stack export``, ``stack abandon`` and ``stack adopt``."""

import argparse
import json

from orchclient import adoption
from orchclient import plan_diff
from orchclient.commands import base
from orchclient.commands import output_files
from orchclient.commands import stack_arguments
from orchclient.console import exit_codes
from orchclient.console import progress


class Export(base.Base):
    """Write the document of a stack, to be adopted elsewhere."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack, and where to."""
        parser = super().get_parser(prog_name)
        _add_target(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write the document; the stack does not change."""
        self.about(parsed_args.stack)
        found = self.client.adoption.export(
            parsed_args.stack, **_secrets(parsed_args)
        )
        _write(self, parsed_args.output, found)
        return exit_codes.Exit.DONE


class Abandon(base.Base):
    """Abandon a stack, not its physical resources; write its document."""

    can_override = True

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack, and where to."""
        parser = super().get_parser(prog_name)
        _add_target(parser)
        parser.add_argument(
            "-y", "--yes", action="store_true", help="do not ask"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write the document, then commit the abandonment."""
        self.about(parsed_args.stack)
        question = f"Abandon {parsed_args.stack}, and all that is in it?"
        if not self.confirm(question, is_sure=parsed_args.yes):
            self.hint("Nothing was done.")
            return exit_codes.Exit.DONE
        client = self.client
        stack = client.stacks.identify(parsed_args.stack)
        secrets = _secrets(parsed_args)
        ready = client.adoption.prepare(stack, **secrets)
        _write(self, parsed_args.output, ready.document)
        client.adoption.commit(stack, ready.token, **secrets)
        client.waiters.wait(stack)
        return exit_codes.Exit.DONE


class Adopt(base.Running):
    """Adopt the physical resources of a document as a new stack."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add name, document, and how physical resources are taken over."""
        parser = super().get_parser(prog_name)
        parser.add_argument("stack", metavar="NAME", help="of the new stack")
        parser.add_argument(
            "document", metavar="FILE", help="what an export has written"
        )
        stack_arguments.add_adoption(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Adopt, and follow it."""
        self.about(parsed_args.stack)
        text = stack_arguments.read_file_text(parsed_args.document)
        request = stack_arguments.adoption_request(parsed_args)
        client = self.client.adoption
        if parsed_args.dry_run:
            plan = client.preview(parsed_args.stack, text, **request)
            self.say(plan_diff.plan_text(plan))
            return exit_codes.Exit.DONE
        found = client.adopt(parsed_args.stack, text, **request)
        return self.see(parsed_args, found, progress.Mark())


def _add_target(parser: argparse.ArgumentParser) -> None:
    base.add_stack(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="instead of standard output; others cannot read it",
    )
    parser.add_argument(
        "--receiver",
        metavar="KEY",
        help="seal it for the installation that has this public key; one that"
        " begins with a hyphen is given as --receiver=KEY",
    )
    parser.add_argument(
        "--form",
        choices=("plain", "compact"),
        help="plain, as Heat's, or compact: each text once, compressed; by"
        " default plain, and compact where an abandoned stack needs it",
    )


def _secrets(parsed_args: argparse.Namespace) -> adoption.SecretsRequest:
    found: adoption.SecretsRequest = {}
    if parsed_args.form is not None:
        found["form"] = parsed_args.form
    if parsed_args.receiver is not None:
        found |= {"secrets": "sealed", "receiver": parsed_args.receiver}
    return found


def _write(
    command: base.Base, target: str | None, document: adoption.Document
) -> None:
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if target is None:
        command.out.write(text)
        command.out.flush()
        return
    # The document holds secrets.
    output_files.write_secret_file(target, text)
