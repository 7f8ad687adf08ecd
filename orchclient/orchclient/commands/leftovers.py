"""``leftover list``, ``leftover show``, ``leftover sweep``, ``… forget``."""

import argparse
import typing

from orchclient import leftovers
from orchclient.commands import base
from orchclient.console import exit_codes
from orchclient.console import formatting


class List(base.Lister):
    """List what stacks have left in place, and no stack has any more."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add which ones to list."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--stack", metavar="STACK", help="name or id")
        parser.add_argument("--type", metavar="TYPE", help="of the resource")
        parser.add_argument(
            "--since", metavar="TIME", help="left then or later"
        )
        parser.add_argument(
            "--limit", type=int, metavar="NUMBER", help="so many at most"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them, the newest first."""
        given = {
            key: getattr(parsed_args, key)
            for key in ("stack", "type", "since")
            if getattr(parsed_args, key)
        }
        rows = (
            (
                each.id,
                each.stack.name,
                each.path,
                each.type,
                each.physical_id,
                each.cause,
                formatting.time_text(each.left_at),
                _sweep_text(each.sweep),
            )
            for each in self.client.leftovers.list(
                limit=parsed_args.limit,
                **typing.cast(leftovers.Filters, given),
            )
        )
        columns = (
            *("ID", "Stack", "Resource", "Type", "Physical ID"),
            *("Cause", "Since", "Sweep"),
        )
        return columns, rows


class Show(base.ShowOne):
    """Show a left-over physical resource."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add which one."""
        parser = super().get_parser(prog_name)
        _add_leftover(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Facts:
        """Return it."""
        found = self.client.leftovers.show(parsed_args.leftover)
        facts: dict[str, object] = {
            "id": found.id,
            "stack": found.stack.name,
            "stack_id": found.stack.id,
            "resource": found.path,
            "type": found.type,
            "physical_id": found.physical_id,
            "is_outcome_unknown": found.is_outcome_unknown,
            "cause": found.cause,
            "reason": found.reason,
            "created_at": formatting.time_text(found.created_at),
            "left_at": formatting.time_text(found.left_at),
            "sweep": _sweep_text(found.sweep),
        }
        return self.displayed(facts)


class Sweep(base.Base):
    """Remove left-over physical resources."""

    can_override = True

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add which ones."""
        parser = super().get_parser(prog_name)
        _add_leftover(parser, nargs="+")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Ask for their removal."""
        for each in parsed_args.leftover:
            found = self.client.leftovers.sweep(each)
            self.say(f"{found.stack.name}/{found.path}: is being removed.")
            if found.sweep is not None:
                stack_id = found.sweep.stack.id
                self.hint(f"Follow it: {self.program} attach {stack_id}")
        return exit_codes.Exit.DONE


class Forget(base.Base):
    """Forget left-over physical resources; nothing is removed."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add which ones."""
        parser = super().get_parser(prog_name)
        _add_leftover(parser, nargs="+")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Forget them."""
        for each in parsed_args.leftover:
            self.client.leftovers.forget(each)
        return exit_codes.Exit.DONE


def _add_leftover(
    parser: argparse.ArgumentParser, nargs: str | None = None
) -> None:
    parser.add_argument(
        "leftover", metavar="LEFTOVER", nargs=nargs, help="its id"
    )


def _sweep_text(found: leftovers.Sweep | None) -> str:
    if found is None:
        return ""
    return f"{found.state}: {found.reason}"
