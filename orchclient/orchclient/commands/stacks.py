"""``stack create``, ``update``, ``delete`` and the other actions."""

import abc
import argparse
import typing

from orchclient import models
from orchclient.commands import base
from orchclient.commands import stack_arguments
from orchclient.console import exit_codes
from orchclient.console import progress

# What a retry brings itself: all else is stored.
_STORED_ARGUMENTS: typing.Final = (
    "name",
    "template",
    "environment",
    "parameter",
    "parameter_file",
    "files_container",
    "tag",
    "enable_rollback",
    "existing",
    "clear_parameter",
)


class Action(base.Running):
    """An action on a stack, or its retry with ``--retry``.

    :cvar action: as the service calls it
    """

    action = ""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack, and what a retry takes."""
        parser = super().get_parser(prog_name)
        base.add_stack(parser)
        parser.add_argument(
            "--retry",
            action="store_true",
            help=f"retry a {self.action} that has failed, with the stored"
            " template and options",
        )
        stack_arguments.add_retry_options(parser)
        self.add_options(parser)
        return parser

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what the action takes."""
        stack_arguments.add_run_options(parser)

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Request the action, or its retry, and follow it."""
        self.about(parsed_args.stack)
        if not parsed_args.retry:
            for key in ("skip", "orphan", "replace"):
                if getattr(parsed_args, key):
                    raise exit_codes.UsageError(
                        f"--{key} goes with --retry only."
                    )
            return self.ask(parsed_args)
        for key in _STORED_ARGUMENTS:
            if getattr(parsed_args, key, None) not in (None, []):
                option = key.replace("_", "-")
                raise exit_codes.UsageError(
                    f"--retry uses what is stored: leave out --{option}."
                )
        return self.go_on(parsed_args)

    def go_on(self, parsed_args: argparse.Namespace) -> int:
        """Ask for the retry, and follow it."""
        return follow_retry(self, parsed_args, self.action)

    @abc.abstractmethod
    def ask(self, parsed_args: argparse.Namespace) -> int:
        """Ask for the action, and follow it."""


class Change(Action):
    """An action on a stack that exists."""

    def ask(self, parsed_args: argparse.Namespace) -> int:
        """Ask for the action, and follow it."""
        found = self.client.stacks.identify(parsed_args.stack)
        before = progress.mark_position(self.client, found)
        self.send(found, parsed_args)
        return self.see(parsed_args, found, before)

    @abc.abstractmethod
    def send(
        self, stack: models.StackIdentity, parsed_args: argparse.Namespace
    ) -> None:
        """Ask for the action."""


def follow_retry(
    command: base.Running,
    parsed_args: argparse.Namespace,
    action: str | None,
    snapshot_id: str | None = None,
) -> int:
    """Retry a failed operation, and follow it; return the exit code.

    :param action: that must have failed; ``None``: whatever has
    """
    client = command.client
    found = client.stacks.identify(parsed_args.stack)
    before = progress.mark_position(client, found)
    client.stacks.retry(
        found,
        action,
        snapshot_id=snapshot_id,
        **stack_arguments.retry_request(parsed_args),
    )
    return command.see(parsed_args, found, before)


class Create(Action):
    """Create a stack; with --retry go on with a creation that has failed."""

    action = "create"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the contents of the stack."""
        parser.add_argument(
            "-t",
            "--template",
            metavar="FILE",
            help="template: path, URL, or a directory with one",
        )
        stack_arguments.add_inputs(parser)
        stack_arguments.add_converge(parser)

    def ask(self, parsed_args: argparse.Namespace) -> int:
        """Create the stack."""
        if parsed_args.converge:
            raise exit_codes.UsageError(
                "--converge goes with the --retry of a creation only."
            )
        if parsed_args.template is None:
            raise exit_codes.UsageError("A creation needs --template.")
        package = stack_arguments.package_of(parsed_args, parsed_args.template)
        self.about(parsed_args.stack, package)
        found = self.client.stacks.create(
            parsed_args.stack, package, **stack_arguments.inputs(parsed_args)
        )
        return self.see(parsed_args, found, progress.Mark())


class Update(Change):
    """Update a stack; with --retry go on with an update that has failed."""

    action = "update"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the new contents of the stack."""
        parser.add_argument(
            "-t",
            "--template",
            metavar="FILE",
            help="template: path, URL, or a directory with one; without it"
            " the stored one stays",
        )
        parser.add_argument(
            "--existing",
            action="store_true",
            default=None,
            help="what is not named stays as it is",
        )
        parser.add_argument(
            "--clear-parameter",
            action="append",
            metavar="KEY",
            help="give a parameter its default again",
        )
        stack_arguments.add_inputs(parser)
        stack_arguments.add_converge(parser)

    def send(
        self, stack: models.StackIdentity, parsed_args: argparse.Namespace
    ) -> None:
        """Update the stack."""
        package = None
        if parsed_args.template is not None:
            package = stack_arguments.package_of(
                parsed_args, parsed_args.template
            )
            self.about(parsed_args.stack, package)
        elif parsed_args.environment:
            raise exit_codes.UsageError("--environment goes with --template.")
        self.client.stacks.update(
            stack, package, **stack_arguments.update_inputs(parsed_args)
        )


class Delete(Change):
    """Delete a stack; with --retry go on with a deletion that has failed."""

    action = "delete"
    prints_outputs = False

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add that no confirmation is needed."""
        super().add_options(parser)
        parser.add_argument(
            "-y", "--yes", action="store_true", help="do not ask"
        )

    def ask(self, parsed_args: argparse.Namespace) -> int:
        """Ask the user for confirmation first."""
        question = f"Delete {parsed_args.stack} and all that is in it?"
        if not self.confirm(question, is_sure=parsed_args.yes):
            self.hint("Nothing was done.")
            return exit_codes.Exit.DONE
        return super().ask(parsed_args)

    def send(
        self, stack: models.StackIdentity, parsed_args: argparse.Namespace
    ) -> None:
        """Delete the stack."""
        self.client.stacks.delete(
            stack, keep_going=parsed_args.keep_going or None
        )


class Suspend(Change):
    """Suspend a stack; with --retry go on after a failure."""

    action = "suspend"

    def send(
        self, stack: models.StackIdentity, parsed_args: argparse.Namespace
    ) -> None:
        """Suspend the stack."""
        self.client.stacks.suspend(
            stack, **stack_arguments.run_request(parsed_args)
        )


class Resume(Change):
    """Resume a stack; with --retry go on after a failure."""

    action = "resume"

    def send(
        self, stack: models.StackIdentity, parsed_args: argparse.Namespace
    ) -> None:
        """Resume the stack."""
        self.client.stacks.resume(
            stack, **stack_arguments.run_request(parsed_args)
        )


class Check(Change):
    """Check a stack's physical resources; with --retry go on after failure."""

    action = "check"

    def send(
        self, stack: models.StackIdentity, parsed_args: argparse.Namespace
    ) -> None:
        """Check the stack."""
        self.client.stacks.check(
            stack, **stack_arguments.run_request(parsed_args)
        )


class Retry(base.Running):
    """Retry the newest operation that has failed, with stored inputs."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack, and what a retry takes."""
        parser = super().get_parser(prog_name)
        base.add_stack(parser)
        stack_arguments.add_retry_options(parser)
        stack_arguments.add_converge(parser)
        stack_arguments.add_adopt_verify(parser)
        stack_arguments.add_run_options(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Ask for the retry, and follow it."""
        self.about(parsed_args.stack)
        return follow_retry(self, parsed_args, None)


class Cancel(base.Running):
    """Cancel the running operation of a stack; an update is rolled back."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack, and whether to roll back."""
        parser = super().get_parser(prog_name)
        base.add_stack(parser)
        parser.add_argument(
            "--no-rollback",
            action="store_true",
            help="end it where it is; it can be retried",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Cancel the operation."""
        self.about(parsed_args.stack)
        client = self.client
        found = client.stacks.identify(parsed_args.stack)
        before = progress.mark_position(client, found)
        is_back = not parsed_args.no_rollback
        client.stacks.cancel(found, rollback=is_back)
        if is_back:
            return self.see(parsed_args, found, before)
        self.say(f"{found.name}: stops where it is.")
        return exit_codes.Exit.DONE


class Attach(base.Running):
    """Follow the newest operation of a stack to its end."""

    can_override = False

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack."""
        parser = super().get_parser(prog_name)
        base.add_stack(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Follow the newest operation from its beginning."""
        self.about(parsed_args.stack)
        client = self.client
        found = client.stacks.identify(parsed_args.stack)
        operation = client.operations.find_latest(found)
        if operation is None:
            self.say(f"{found.name}: nothing was ever done.")
            return exit_codes.Exit.DONE
        since = operation.created_at
        if operation.attempts:
            since = operation.attempts[-1].started_at or since
        follower, view = self.follower(
            parsed_args,
            found,
            since=since.replace(microsecond=0),
            waits_on_hold=True,
        )
        return self.attach(parsed_args, follower, view, operation)
