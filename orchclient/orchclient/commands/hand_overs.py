"""``stack hand-over`` and ``take-over``, ``hand-over list``, ``withdraw``."""

import argparse
import typing

from orchclient import errors
from orchclient import models
from orchclient import plan_diff
from orchclient.commands import base
from orchclient.commands import stack_arguments
from orchclient.console import exit_codes
from orchclient.console import formatting
from orchclient.console import progress

_OUTGOING: typing.Final = "outgoing"
_TAKEN: typing.Final = "taken"


class HandOver(base.Base):
    """Abandon a stack, not its physical resources, for another project."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack, and the project."""
        parser = super().get_parser(prog_name)
        base.add_stack(parser)
        parser.add_argument(
            "--to",
            metavar="PROJECT",
            required=True,
            help="id of the project that may take it over",
        )
        parser.add_argument(
            "-y", "--yes", action="store_true", help="do not ask"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Ask for it, and wait until the stack is abandoned."""
        self.about(parsed_args.stack)
        question = (
            f"Abandon {parsed_args.stack}, and all that is in it, for project"
            f" {parsed_args.to}?"
        )
        if not self.confirm(question, is_sure=parsed_args.yes):
            self.hint("Nothing was done.")
            return exit_codes.Exit.DONE
        stack = self._identify(parsed_args.stack)
        offer = self.client.hand_overs.offer(stack, parsed_args.to)
        self.client.waiters.wait(stack)
        self.say(
            f"{stack.name}: project {offer.project} can take it over until"
            f" {formatting.time_text(offer.expires_at)}."
        )
        self.hint(
            f"  {self.program} stack take-over {stack.id}  # in that project"
        )
        return exit_codes.Exit.DONE

    def _identify(self, stack: str) -> models.StackIdentity:
        """Return a stack, which an earlier command may have abandoned.

        :raises orchclient.errors.NotFoundError: there is none
        :raises orchclient.console.exit_codes.UsageError: there are several
        """
        try:
            return self.client.stacks.identify(stack)
        except errors.NotFoundError:
            found = [
                each
                for each in self.client.hand_overs.list()
                if each.direction == _OUTGOING
                and each.state != _TAKEN
                and each.name == stack
            ]
            if not found:
                raise
        if len(found) > 1:
            raise exit_codes.UsageError(
                f"Several stacks with the name {stack} are handed over; give"
                f" the id of one: {', '.join(each.id for each in found)}."
            )
        return models.StackIdentity(found[0].name, found[0].id)


class List(base.Lister):
    """List the stacks that the project hands over or is offered."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them, the newest first."""
        rows = (
            (
                each.id,
                each.name,
                each.direction,
                each.state,
                each.from_project,
                each.to_project,
                each.resource_count,
                formatting.time_text(each.offered_at),
                formatting.time_text(each.expires_at),
                each.taken_by,
            )
            for each in self.client.hand_overs.list()
        )
        columns = (
            *("ID", "Stack", "Direction", "State", "From", "To", "Resources"),
            *("Since", "Expires", "Taken By"),
        )
        return columns, rows


class Withdraw(base.Base):
    """Offer abandoned stacks to no other project any more."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add which ones."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "stack_id", metavar="ID", nargs="+", help="of an abandoned stack"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Withdraw them."""
        for each in parsed_args.stack_id:
            self.client.hand_overs.withdraw(each)
        return exit_codes.Exit.DONE


class TakeOver(base.Running):
    """Adopt a stack that another project has handed over."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the old stack, a name, and how resources are taken over."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "stack_id", metavar="ID", help="of the abandoned stack"
        )
        parser.add_argument(
            "stack",
            metavar="NAME",
            nargs="?",
            help="of the new stack, by default that of the abandoned one",
        )
        stack_arguments.add_adoption(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Take it over, and follow it."""
        stack_id = parsed_args.stack_id
        name = parsed_args.stack or self._name(stack_id)
        self.about(name)
        request = stack_arguments.adoption_request(parsed_args)
        client = self.client.hand_overs
        if parsed_args.dry_run:
            plan = client.preview(stack_id, name, **request)
            self.say(plan_diff.plan_text(plan))
            return exit_codes.Exit.DONE
        found = client.take_over(stack_id, name, **request)
        return self.see(parsed_args, found, progress.Mark())

    def _name(self, stack_id: str) -> str:
        """Return the name of a stack that is handed over.

        :raises orchclient.console.exit_codes.UsageError: it is not listed
        """
        for each in self.client.hand_overs.list():
            if each.id == stack_id:
                return each.name
        raise exit_codes.UsageError(
            f"No stack {stack_id} is offered to this project: see"
            f" {self.program} hand-over list."
        )
