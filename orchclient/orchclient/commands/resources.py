"""``stack resource …`` and ``stack hook …``: commands about one resource."""

import argparse
import json
import re
import typing

from orchclient import models
from orchclient.commands import base
from orchclient.commands import stack_arguments
from orchclient.console import exit_codes
from orchclient.console import formatting
from orchclient.console import plain
from orchclient.console import progress

_PAUSED: typing.Final = re.compile(
    r"[A-Z]+ paused until Hook (\S+) is cleared\Z"
)
_CLEARED: typing.Final = re.compile(r"Hook (\S+) is cleared\Z")
_HOOKS: typing.Final = tuple(
    f"{moment}-{act}"
    for moment in ("pre", "post")
    for act in ("create", "update", "delete")
)
_WHERE: typing.Final = "path of a resource in child stacks, group/0/web"


class _Of(base.AboutStack):
    """A command about one resource."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the resource."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "resource", metavar="RESOURCE", help=f"name, or {_WHERE}"
        )
        return parser

    def find(
        self, parsed_args: argparse.Namespace
    ) -> tuple[models.StackIdentity, str]:
        """Return the stack and the resource that a path names.

        :raises orchclient.console.exit_codes.UsageError: on the way there is a
            resource that is no stack
        """
        stack = self.client.stacks.identify(parsed_args.stack)
        *way, name = parsed_args.resource.split("/")
        for each in way:
            nested = self.client.resources.show(stack, each).nested
            if nested is None:
                raise exit_codes.UsageError(
                    f"{each} of {stack.name} is no stack."
                )
            stack = nested
        return stack, name


class Show(_Of, base.ShowOne):
    """Show a resource with its attributes, read now."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add attributes that are shown on demand only."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--with-attr",
            action="append",
            default=[],
            metavar="ATTRIBUTE",
            help="include this one too; give it again for more",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Facts:
        """Return the resource."""
        stack, name = self.find(parsed_args)
        found = self.client.resources.show(
            stack, name, with_attr=parsed_args.with_attr
        )
        facts: dict[str, object] = {
            "name": found.name,
            "type": found.type,
            "status": str(found.status),
            "status_reason": found.status_reason,
            "physical_id": found.physical_id,
            "description": found.description,
            "created_at": formatting.time_text(found.created_at),
            "updated_at": formatting.time_text(found.updated_at),
            "required_by": list(found.required_by),
            "stack": found.stack.name,
            "nested": None if found.nested is None else found.nested.name,
            "attributes": dict(found.attributes),
            "decisions": dict(found.decisions),
        }
        return self.displayed(facts)


class Metadata(_Of, base.Document):
    """Write the metadata of a resource."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write it."""
        found = self.client.resources.metadata(*self.find(parsed_args))
        return self.write(parsed_args, found)


class Signal(_Of):
    """Send a signal to a resource: a wait condition, a scaling policy."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the data of the signal."""
        parser = super().get_parser(prog_name)
        group = parser.add_mutually_exclusive_group()
        group.add_argument(
            "--data", metavar="JSON", help="what it says, as JSON"
        )
        group.add_argument(
            "--data-file", metavar="FILE", help="the same, in a file"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Send it."""
        text = parsed_args.data
        if parsed_args.data_file is not None:
            text = stack_arguments.read_file_text(parsed_args.data_file)
        data = None if text is None else _parsed(text)
        self.client.resources.signal(*self.find(parsed_args), data)
        return exit_codes.Exit.DONE


class MarkUnhealthy(_Of):
    """Mark a resource as unhealthy; the next update replaces it."""

    can_override = True

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the reason, and that it is healthy again."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "reason", metavar="REASON", nargs="?", help="why, for the events"
        )
        parser.add_argument(
            "--reset",
            action="store_true",
            help="it is well again: take that back",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Store it."""
        client = self.client.resources
        say = (
            client.mark_healthy if parsed_args.reset else client.mark_unhealthy
        )
        say(*self.find(parsed_args), parsed_args.reason)
        return exit_codes.Exit.DONE


class Outcome(_Of):
    """Answer the unknown outcome of a creation.

    Look in the service for the token that the reason of the failure names.
    Then retry or update the stack, or delete it.
    """

    can_override = True

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what became of it."""
        parser = super().get_parser(prog_name)
        group = parser.add_mutually_exclusive_group(required=True)
        group.add_argument(
            "--is",
            dest="physical_id",
            metavar="ID",
            help="it was made: its id in the service",
        )
        group.add_argument(
            "--not-made", action="store_true", help="nothing was made"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Store it."""
        stack, name = self.find(parsed_args)
        found = self.client.resources.answer_outcome(
            stack, name, parsed_args.physical_id
        )
        self.say(f"{name}: {found.status_reason}.")
        return exit_codes.Exit.DONE


class HookPoll(base.StackLister):
    """List the hooks that a stack waits at."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each of them."""
        client = self.client
        stack = client.stacks.identify(parsed_args.stack)
        follower = progress.Follower(client, plain.View(self.out), stack)
        waiting: dict[tuple[tuple[str, ...], str], tuple[str, ...]] = {}
        for each in follower.events():
            begun = not each.path and each.status.state == "IN_PROGRESS"
            if begun:
                waiting.clear()
            if paused := _PAUSED.search(each.reason):
                waiting[each.path, paused[1]] = (
                    formatting.path_text(each.path),
                    paused[1],
                    str(each.status),
                    formatting.time_text(each.time),
                )
            elif cleared := _CLEARED.search(each.reason):
                waiting.pop((each.path, cleared[1]), None)
        return ("Resource", "Hook", "Status", "Since"), waiting.values()


class HookClear(_Of):
    """Clear hooks of a resource, so that its stack goes on."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the hooks."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "hook", metavar="HOOK", choices=_HOOKS, help=", ".join(_HOOKS)
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Clear it."""
        stack, name = self.find(parsed_args)
        self.client.resources.signal(
            stack, name, {"unset_hook": parsed_args.hook}
        )
        return exit_codes.Exit.DONE


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise exit_codes.UsageError(f"The data is no JSON: {error}") from error
