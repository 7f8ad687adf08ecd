"""``stack list`` and ``show``; resources, outputs and operations."""

import argparse
import typing

from orchclient import models
from orchclient import operations
from orchclient import sensitive
from orchclient import stacks
from orchclient.commands import base
from orchclient.console import formatting
from orchclient.console import output_formats
from orchclient.console import plain
from orchclient.console import trees


class StackList(base.Lister):
    """List stacks."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add which stacks to list."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--status",
            action="append",
            metavar="STATUS",
            help="FAILED, or CREATE_FAILED; give it again for more",
        )
        parser.add_argument(
            "--tag",
            action="append",
            metavar="TAG",
            help="only stacks with all of these",
        )
        parser.add_argument("--name", help="only stacks of this name")
        parser.add_argument(
            "--nested", action="store_true", help="child stacks too"
        )
        parser.add_argument(
            "--deleted", action="store_true", help="deleted stacks too"
        )
        parser.add_argument(
            "--all-projects", action="store_true", help="of all projects"
        )
        parser.add_argument(
            "--limit", type=int, metavar="NUMBER", help="so many at most"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        filters: dict[str, object] = {
            "status": parsed_args.status,
            "tags": parsed_args.tag,
            "name": parsed_args.name,
            "show_nested": parsed_args.nested,
            "show_deleted": parsed_args.deleted,
            "global_tenant": parsed_args.all_projects,
        }
        given = {key: each for key, each in filters.items() if each}
        found = self.client.stacks.list(
            limit=parsed_args.limit,
            **typing.cast(stacks.Filters, given),
        )
        rows = (
            (
                each.id,
                each.name,
                str(each.status),
                formatting.time_text(each.created_at),
                formatting.time_text(each.updated_at),
                _waits_text(each),
            )
            for each in found
        )
        columns = ("ID", "Name", "Status", "Created", "Updated", "Blocked")
        return columns, rows


class StackShow(base.AboutStack, base.ShowOne):
    """Show a stack with its outputs, and its running operation.

    Sensitive outputs are (sensitive) in a table without --show-secrets, and
    plain in the formats for programs.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add whether to show secrets."""
        parser = super().get_parser(prog_name)
        base.add_show_secrets(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Facts:
        """Return the stack."""
        found = self.client.stacks.show(parsed_args.stack)
        latest = self.client.operations.find_latest(found)
        facts: dict[str, object] = {
            "id": found.id,
            "name": found.name,
            "status": str(found.status),
            "status_reason": found.status_reason,
            "blocked": _waits_text(found),
            "description": found.description,
            "created_at": formatting.time_text(found.created_at),
            "updated_at": formatting.time_text(found.updated_at),
            "owner": found.owner,
            "tags": list(found.tags),
            "disable_rollback": found.disable_rollback,
            "timeout_mins": found.timeout_mins,
            "parameters": dict(found.parameters),
            "outputs": found.output_values
            if parsed_args.show_secrets
            else _redacted_outputs(found.outputs),
            "drift": None if found.drift is None else _drift(found.drift),
            "operation": None if latest is None else _operation(latest),
            "verdicts": [each.line for each in found.verdicts],
            "omitted": [
                f"{each.name} was {each.how}: {each.reason}"
                for each in found.omitted
            ],
        }
        return self.displayed(facts)


class ResourceList(base.StackLister):
    """List the resources of a stack, and those of its child stacks."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the depth of child stacks."""
        parser = super().get_parser(prog_name)
        base.add_nested_depth(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        stack = self.client.stacks.identify(parsed_args.stack)
        found = self.client.resources.list(
            stack, nested_depth=parsed_args.nested_depth
        )
        rows = (
            (
                formatting.path_text(node.path),
                node.resource.type,
                str(node.resource.status),
                node.resource.physical_id,
                _reason(node.resource),
            )
            for root in trees.build_tree(found, stack)
            for node in root.walk()
        )
        return ("Resource", "Type", "Status", "Physical ID", "Reason"), rows


class OutputList(base.StackLister):
    """List the outputs of a stack with their values.

    Sensitive values are (sensitive) in a table without --show-secrets, and
    plain in the formats for programs.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add whether to show secrets."""
        parser = super().get_parser(prog_name)
        base.add_show_secrets(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        found = self.client.stacks.show(parsed_args.stack)
        rows = (
            (each.key, each.value, each.description, each.error)
            if parsed_args.show_secrets or not each.is_sensitive
            else _redacted_row(each)
            for each in found.outputs
        )
        return ("Key", "Value", "Description", "Error"), rows


class OperationList(base.StackLister):
    """List the operations of a stack, the newest first."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        rows = (
            (
                each.id,
                each.action,
                each.state,
                each.attempt,
                f"{each.done} of {each.total}",
                formatting.requester_text(
                    each.cause, each.requested_by, each.policy_set_by
                ),
                formatting.time_text(each.created_at),
                each.reason,
            )
            for each in self.client.operations.list(parsed_args.stack)
        )
        columns = (
            *("ID", "Action", "State", "Attempts", "Done"),
            *("Asked by", "Created", "Reason"),
        )
        return columns, rows


class PlanList(base.StackLister):
    """List the saved plans of a stack."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        rows = (
            (
                each.id,
                each.request,
                each.is_current,
                each.operation_id,
                formatting.time_text(each.created_at),
            )
            for each in self.client.plans.list(parsed_args.stack)
        )
        return ("ID", "Request", "Current", "Operation", "Created"), rows


def _reason(found: models.Resource) -> str:
    if not found.is_replaced:
        return found.status_reason
    return f"Replaced, and still there: {found.status_reason}"


def _redacted_outputs(
    outputs: tuple[models.Output, ...],
) -> output_formats.Redacted:
    """Return the values of outputs, sensitive ones redacted for users."""
    return output_formats.Redacted(
        {each.key: each.value for each in outputs},
        {
            each.key: sensitive.TEXT if each.is_sensitive else each.value
            for each in outputs
        },
    )


def _redacted_row(output: models.Output) -> base.Row:
    """Return a sensitive output; the reason for no value may tell it."""
    value = output_formats.Redacted(output.value, sensitive.TEXT)
    error = output_formats.Redacted(
        output.error, sensitive.TEXT if output.error else ""
    )
    return output.key, value, output.description, error


def _waits_text(found: models.Stack) -> str:
    """Format what a stack waits for; empty for nothing."""
    return "" if found.blocked is None else found.blocked.reason


def _drift(found: models.DriftSummary) -> dict[str, object]:
    return {
        "state": found.state,
        "drifted": found.drifted,
        "coverage": found.coverage,
        "observed_at": formatting.time_text(found.observed_at) or None,
    }


def _operation(found: operations.Operation) -> dict[str, object]:
    return {
        "id": found.id,
        "action": found.action,
        "state": found.state,
        "attempt": found.attempt,
        "done": found.done,
        "total": found.total,
        "reason": found.reason,
        **({"hold": plain.held_line(found)} if found.is_held else {}),
    }
