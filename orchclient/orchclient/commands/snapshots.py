"""``stack snapshot create``, ``list``, ``show``, ``delete``, ``restore``."""

import argparse

from orchclient import models
from orchclient.commands import base
from orchclient.commands import stack_arguments
from orchclient.commands import stacks
from orchclient.console import exit_codes
from orchclient.console import formatting


class Create(stacks.Change):
    """Take a snapshot of a stack; with --retry go on after a failure."""

    action = "snapshot"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the snapshot's name."""
        super().add_options(parser)
        parser.add_argument("--name", help="of the snapshot")

    def send(
        self, stack: models.StackIdentity, parsed_args: argparse.Namespace
    ) -> None:
        """Take the snapshot."""
        self.client.snapshots.create(
            stack, parsed_args.name, **stack_arguments.run_request(parsed_args)
        )


class Restore(stacks.Change):
    """Restore a stack from a snapshot; with --retry go on after a failure."""

    action = "restore"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the snapshot."""
        super().add_options(parser)
        parser.add_argument("snapshot", metavar="SNAPSHOT", help="its id")

    def send(
        self, stack: models.StackIdentity, parsed_args: argparse.Namespace
    ) -> None:
        """Restore the stack."""
        self.client.snapshots.restore(
            stack,
            parsed_args.snapshot,
            **stack_arguments.run_request(parsed_args),
        )

    def go_on(self, parsed_args: argparse.Namespace) -> int:
        """Retry the restore from that snapshot, and follow it."""
        return stacks.follow_retry(
            self, parsed_args, self.action, parsed_args.snapshot
        )


class List(base.StackLister):
    """List the snapshots of a stack."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        rows = (
            (
                each.id,
                each.name,
                each.state,
                formatting.time_text(each.created_at),
            )
            for each in self.client.snapshots.list(parsed_args.stack)
        )
        return ("ID", "Name", "State", "Created"), rows


class _Of(base.AboutStack):
    """A command about one snapshot."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the snapshot."""
        parser = super().get_parser(prog_name)
        parser.add_argument("snapshot", metavar="SNAPSHOT", help="its id")
        return parser


class Show(_Of, base.Document):
    """Show a snapshot with all that it stores."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write it."""
        found = self.client.snapshots.show(
            parsed_args.stack, parsed_args.snapshot
        )
        return self.write(
            parsed_args,
            {
                "id": found.id,
                "name": found.name,
                "state": found.state,
                "reason": found.reason,
                "created_at": formatting.time_text(found.created_at),
                "data": dict(found.data),
            },
        )


class Delete(_Of):
    """Remove a snapshot of a stack."""

    can_override = True

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Remove it."""
        self.client.snapshots.delete(parsed_args.stack, parsed_args.snapshot)
        return exit_codes.Exit.DONE
