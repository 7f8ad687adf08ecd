"""``lifecycle list``, ``hold list``, ``stack approve``, ``stack reject``."""

import argparse
import shlex

from orchclient.commands import base
from orchclient.console import exit_codes
from orchclient.console import formatting


class PluginList(base.Lister):
    """List the lifecycle plug-ins, in the order of their calls."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        rows = (
            (
                each.name,
                each.ordinal,
                each.scope,
                "all" if each.verbs is None else " ".join(each.verbs),
                f"{each.time_limit_s:g} s",
                each.enforcement,
                "warn" if each.is_fail_open else "deny",
                each.supports_preview,
                each.load_error or "",
            )
            for each in self.client.lifecycle.plugins()
        )
        columns = (
            *("Name", "Ordinal", "Scope", "Requests", "Time limit"),
            *("Level", "Errors", "In plans", "Not loaded"),
        )
        return columns, rows


class HoldList(base.Lister):
    """List the operations of the project that wait for approval."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add whose operations to list."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--all-projects",
            action="store_true",
            help="of all projects, for administrators",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return it, the oldest first."""
        rows = (
            (
                each.which,
                "/".join((each.root_name, *each.path)),
                each.action,
                each.hold.plugin,
                each.hold.text,
                formatting.requester_text(
                    each.cause, each.requested_by, each.policy_set_by
                ),
                formatting.time_text(each.hold.requested_at),
                formatting.time_text(each.hold.deadline_at),
                each.operation_id,
                *((each.project_id,) if parsed_args.all_projects else ()),
            )
            for each in self.client.lifecycle.holds(
                all_projects=parsed_args.all_projects
            )
        )
        columns = (
            *("Stack", "Where", "Action", "Held by", "Why", "Asked by"),
            *("Since", "Until", "Operation"),
            *(("Project",) if parsed_args.all_projects else ()),
        )
        return columns, rows


class _Answer(base.Base):
    """Answers the hold of an operation."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack, and the comment."""
        parser = super().get_parser(prog_name)
        base.add_stack(parser)
        parser.add_argument(
            "--comment", default="", metavar="TEXT", help="why, for people"
        )
        parser.add_argument(
            "--operation",
            metavar="ID",
            help="only if it is this operation that is held",
        )
        return parser


class Approve(_Answer):
    """Approve an operation that a plug-in holds."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Approve it."""
        self.about(parsed_args.stack)
        found = self.client.lifecycle.approve(
            parsed_args.stack,
            parsed_args.comment,
            operation_id=parsed_args.operation,
        )
        self.say(f"{found.name}: approved, it goes on.")
        name = shlex.quote(found.name)
        self.hint(f"Follow it: {self.program} attach {name}")
        return exit_codes.Exit.DONE


class Reject(_Answer):
    """Reject an operation that a plug-in holds; it fails, changing nothing."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Reject it."""
        self.about(parsed_args.stack)
        found = self.client.lifecycle.reject(
            parsed_args.stack,
            parsed_args.comment,
            operation_id=parsed_args.operation,
        )
        self.say(f"{found.name}: rejected, it fails and touches nothing.")
        return exit_codes.Exit.DONE
