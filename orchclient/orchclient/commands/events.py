"""``stack event …`` and ``stack failures list``: what happened, and why."""

import argparse

from orchclient.commands import base
from orchclient.console import error_reports
from orchclient.console import formatting


class List(base.StackLister):
    """List the events of a stack, the oldest first; logs follows them."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add which events to list."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--resource", metavar="RESOURCE", help="only those of this one"
        )
        parser.add_argument(
            "--after", metavar="ID", help="only those after this event"
        )
        parser.add_argument(
            "--limit", type=int, metavar="NUMBER", help="so many at most"
        )
        parser.add_argument(
            "--newest-first", action="store_true", help="in this order"
        )
        base.add_nested_depth(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        found = self.client.events.list(
            parsed_args.stack,
            after=parsed_args.after,
            resource=parsed_args.resource,
            nested_depth=parsed_args.nested_depth,
            limit=parsed_args.limit,
            newest_first=parsed_args.newest_first,
        )
        rows = (
            (
                each.id,
                formatting.time_text(each.time),
                each.stack.name,
                each.resource_name,
                str(each.status),
                each.reason,
            )
            for each in found
        )
        return ("ID", "Time", "Stack", "Resource", "Status", "Reason"), rows


class Show(base.AboutStack, base.ShowOne):
    """Show an event with the properties that the resource had."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add resource and event."""
        parser = super().get_parser(prog_name)
        parser.add_argument("resource", metavar="RESOURCE", help="its name")
        parser.add_argument("event", metavar="EVENT", help="its id")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Facts:
        """Return the event."""
        found = self.client.events.show(
            parsed_args.stack, parsed_args.resource, parsed_args.event
        )
        facts: dict[str, object] = {
            "id": found.id,
            "time": formatting.time_text(found.time),
            "resource": found.resource_name,
            "type": found.resource_type,
            "status": str(found.status),
            "reason": found.reason,
            "physical_id": found.physical_id,
            "request_id": found.request_id,
            "properties": dict(found.properties),
        }
        return self.displayed(facts)


class FailureList(base.StackLister):
    """List the failures of the newest operation, the root cause first."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the operation."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--operation", metavar="ID", help="by default the newest"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        client = self.client
        stack = client.stacks.identify(parsed_args.stack)
        if parsed_args.operation is None:
            chosen = client.operations.find_last_requested(stack)
        else:
            chosen = client.operations.show(stack, parsed_args.operation)
        found = () if chosen is None else client.waiters.failures(chosen)
        situation = error_reports.Situation(self.program, stack.name)
        rows = (
            (
                formatting.path_text(each.path) or each.stack.name,
                each.type,
                each.action,
                each.physical_id,
                situation.place(each.file, each.line),
                each.reason,
            )
            for each in found
        )
        columns = (
            *("Resource", "Type", "Action", "Physical ID"),
            *("Declared at", "Reason"),
        )
        return columns, rows
