"""``up``, ``plan`` and ``apply``: from a directory to a running stack."""

import argparse
import json
import typing

from orchclient import models
from orchclient import plan_diff
from orchclient import plans
from orchclient import request_bodies
from orchclient.commands import base
from orchclient.commands import stack_arguments
from orchclient.console import exit_codes
from orchclient.console import progress


class Up(base.Running):
    """Create or update a stack from a template or a directory."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the source."""
        parser = super().get_parser(prog_name)
        _add_source(parser, "what the stack is to be")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Create or update, and follow it."""
        package = stack_arguments.package_of(parsed_args, parsed_args.source)
        name = parsed_args.name or stack_arguments.stack_name_of(
            parsed_args.source
        )
        self.about(name, package)
        request = stack_arguments.inputs(parsed_args)
        client = self.client
        stack = client.stacks.find(name)
        if stack is None:
            found = client.stacks.create(name, package, **request)
            return self.see(parsed_args, found, progress.Mark())
        before = progress.mark_position(client, stack.identity)
        client.stacks.update(stack, package, **_changed(parsed_args, request))
        return self.see(parsed_args, stack.identity, before)


class Plan(base.Base):
    """Show a plan, change by change; save it for apply."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the source, or an action."""
        parser = super().get_parser(prog_name)
        _add_source(
            parser,
            "what the stack would become; with --action, or"
            " --existing-template, the"
            " name of the stack",
        )
        parser.add_argument(
            "--action",
            choices=(
                "delete",
                "rollback",
                "retry",
                "suspend",
                "resume",
                "check",
                "snapshot",
                "cancel_update",
            ),
            help="plan this, of a stack that exists",
        )
        parser.add_argument(
            "--existing-template",
            action="store_true",
            help="plan an update of a stack that keeps its template: with"
            " other parameters, for example",
        )
        parser.add_argument(
            "--preview",
            action="store_true",
            help="do not keep the plan: it cannot be applied",
        )
        parser.add_argument(
            "--exit-code",
            action="store_true",
            help="end with 11 where there is something to do; where a"
            " lifecycle plug-in denies the plan it ends with 15 in any case",
        )
        parser.add_argument(
            "-f",
            "--format",
            choices=("text", "json"),
            default="text",
            help="for people, or for programs",
        )
        return parser

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run the command; return its exit code."""
        self._reports_json = parsed_args.format == "json"
        return super().run(parsed_args)

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Show the plan."""
        plan, name = self._plan(parsed_args)
        if parsed_args.format == "json":
            json.dump(_document(plan, name), self.out, indent=2, default=str)
            self.say("")
        else:
            self.say(plan_diff.plan_text(plan))
            is_useful = not (plan.is_empty or plan.is_denied)
            if plan.saved is not None and is_useful:
                self.hint(
                    f"Run exactly this: {self.program} apply {name}"
                    f" {plan.saved.id}"
                )
        if plan.is_denied:
            return exit_codes.Exit.DENIED
        if parsed_args.exit_code and not plan.is_empty:
            return exit_codes.Exit.CHANGES
        return exit_codes.Exit.DONE

    def _plan(self, parsed_args: argparse.Namespace) -> tuple[plans.Plan, str]:
        client = self.client
        if parsed_args.action is not None:
            stack = client.stacks.identify(parsed_args.source)
            self.about(stack.name)
            found = client.plans.create(
                stack,
                parsed_args.action,
                **stack_arguments.run_request(parsed_args),
            )
            return found, stack.name
        request = stack_arguments.inputs(parsed_args)
        existing: models.Which | None
        if parsed_args.existing_template:
            package = None
            name = parsed_args.source
            existing = client.stacks.identify(name)
        else:
            package = stack_arguments.package_of(
                parsed_args, parsed_args.source
            )
            name = parsed_args.name or stack_arguments.stack_name_of(
                parsed_args.source
            )
            existing = client.stacks.find(name)
        self.about(name, package)
        if existing is None:
            assert package is not None
            return client.stacks.preview(name, package, **request), name
        change = _changed(parsed_args, request)
        if parsed_args.preview:
            return client.plans.preview(existing, package, **change), name
        return client.plans.create(existing, "update", package, **change), name


class Apply(base.Running):
    """Run a saved plan exactly as it is, or not at all."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add stack and plan."""
        parser = super().get_parser(prog_name)
        base.add_stack(parser)
        parser.add_argument(
            "plan",
            metavar="PLAN",
            nargs="?",
            help="id of the plan; without it the newest that is current",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Run it, and follow it."""
        self.about(parsed_args.stack)
        client = self.client
        found = client.stacks.identify(parsed_args.stack)
        saved = client.plans.list(found)
        if parsed_args.plan is None:
            fresh = [
                each
                for each in saved
                if each.is_current and each.operation_id is None
            ]
            if not fresh:
                raise exit_codes.UsageError(
                    f"{found.name} has no plan that is current: make one with"
                    f" {self.program} plan."
                )
            chosen = max(fresh, key=lambda each: each.created_at)
        else:
            shown = client.plans.show(found, parsed_args.plan).saved
            assert shown is not None
            chosen = shown
        before = progress.mark_position(client, found)
        operation_id = client.plans.apply(chosen)
        return self.see(parsed_args, found, before, operation_id)


def _add_source(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "source",
        metavar="DIR|TEMPLATE",
        help=f"{what}: a directory with a template, a file, or a URL",
    )
    parser.add_argument(
        "--name",
        help="of the stack; by default that of the directory, or of the file",
    )
    stack_arguments.add_inputs(parser)
    stack_arguments.add_converge(parser)


def _changed(
    parsed_args: argparse.Namespace, request: request_bodies.CreateRequest
) -> request_bodies.UpdateRequest:
    """Return what an update takes in addition to a creation."""
    change = typing.cast(request_bodies.UpdateRequest, {**request})
    if parsed_args.converge:
        change["converge"] = parsed_args.converge
    return change


def _document(plan: plans.Plan, name: str) -> dict[str, object]:
    saved = plan.saved
    return {
        "stack": name,
        "plan": None if saved is None else saved.id,
        "action": plan.action,
        "is_empty": plan.is_empty,
        "counts": plan.counts(),
        "changes": [_change(each) for each in plan.changes],
        "unchanged": list(plan.unchanged),
        "verdicts": [
            {
                "plugin": each.plugin,
                "ruling": each.ruling,
                "text": each.text,
            }
            for each in plan.verdicts
        ],
        "warnings": list(plan.all_warnings()),
    }


def _change(change: plans.Change) -> dict[str, object]:
    return {
        "kind": change.kind,
        "name": change.name,
        "type": change.type,
        "physical_id": change.physical_id,
        "replaces": change.replaces,
        "reason": change.reason,
        "after": list(change.after),
        "is_certain": change.is_certain,
        "properties": {
            name: {
                key: value
                for key, value in (("old", each.old), ("new", each.new))
                if value is not plans.ABSENT
            }
            | {"needs_replacement": each.needs_replacement}
            for name, each in change.properties.items()
        },
        "child_plan": None
        if change.child_plan is None
        else [_change(each) for each in change.child_plan.changes],
    }
