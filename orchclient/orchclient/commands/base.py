"""What all commands share: their client, exit codes, and reports."""

import argparse
import collections.abc
import datetime
import shlex
import typing

from cliff import command
from cliff import lister
from cliff import show

from orchclient import client as clients
from orchclient import errors
from orchclient import models
from orchclient import operations
from orchclient import packaging
from orchclient.console import error_reports
from orchclient.console import exit_codes
from orchclient.console import json_lines
from orchclient.console import live_tree
from orchclient.console import output_formats
from orchclient.console import plain
from orchclient.console import progress
from orchclient.console import progress_events

FORMATS: typing.Final = ("auto", "live", "plain", "json")


def view_of(
    chosen: str, out: typing.TextIO, *, shows_secrets: bool = False
) -> progress_events.View:
    """Return the view of a format; ``auto`` is live on a terminal only.

    :param shows_secrets: also the values of sensitive outputs
    """
    if chosen == "json":
        return json_lines.View(out, shows_secrets=shows_secrets)
    if chosen == "live" or (chosen == "auto" and out.isatty()):
        return live_tree.View(out, shows_secrets=shows_secrets)
    return plain.View(out, shows_secrets=shows_secrets)


Row = collections.abc.Sequence[object]
Facts = tuple[tuple[str, ...], tuple[object, ...]]
Table = tuple[collections.abc.Sequence[str], collections.abc.Iterable[Row]]
_NAME: typing.Final = "orch"


class _ClientManager(typing.Protocol):
    """Holds the client, under the name that ``osc`` gives it."""

    @property
    def orch(self) -> clients.Client: ...


class _App(typing.Protocol):
    """What the commands need of either program."""

    client_manager: _ClientManager


class Base(command.Command):
    """A command of ``orch``, and of ``openstack orch``.

    :cvar auth_required: ``openstack`` logs in before it runs one
    :cvar can_override: it has an option to override denials
    """

    auth_required = True
    can_override: typing.ClassVar[bool] = False
    _stack = ""
    _package: packaging.Package | None = None
    _reports_json = False

    @property
    def client(self) -> clients.Client:
        """Return the client of the user who runs the command."""
        return typing.cast(_App, self.app).client_manager.orch

    @property
    def program(self) -> str:
        """Return the words that users type before the name of a command."""
        return _NAME if self.app.NAME == _NAME else f"openstack {_NAME}"

    @property
    def out(self) -> typing.TextIO:
        """Return the stream that results are written to."""
        return self.app.stdout

    def about(
        self, stack: str, package: packaging.Package | None = None
    ) -> None:
        """Set the stack, and its package, that reports of errors name."""
        self._stack = stack
        self._package = package or self._package

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the override, where plug-ins are called for the command."""
        parser = super().get_parser(prog_name)
        if self.can_override:
            parser.add_argument(
                "--override",
                metavar="REASON",
                help="override denials of soft-mandatory lifecycle plug-ins;"
                " the reason is recorded",
            )
        return parser

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run the command; return its exit code."""
        reason = getattr(parsed_args, "override", None)
        try:
            if reason is not None:
                with self.client.overriding(reason):
                    return super().run(parsed_args)
            return super().run(parsed_args)
        except (errors.Error, exit_codes.UsageError) as error:
            if self.app.options.debug:
                self.app.LOG.exception(error)
            return self.report(error)

    def report(self, error: Exception) -> int:
        """Report an error; return the exit code."""
        situation = error_reports.Situation(
            self.program, self._stack, self._package
        )
        report = error_reports.report_of(error, situation)
        if self._reports_json:
            json_lines.write_line(self.out, report.document())
        else:
            print("\n".join(report.lines()), file=self.app.stderr, flush=True)
        return int(report.code)

    def say(self, line: str) -> None:
        """Write a line of the result."""
        print(line, file=self.out, flush=True)

    def hint(self, line: str) -> None:
        """Write a hint for the user that is no part of the result."""
        print(line, file=self.app.stderr, flush=True)

    def confirm(self, question: str, *, is_sure: bool) -> bool:
        """Whether the user at the terminal agrees; true without a terminal."""
        if is_sure or not self.app.stdin.isatty():
            return True
        self.app.stderr.write(f"{question} [y/N] ")
        self.app.stderr.flush()
        return self.app.stdin.readline().strip().lower() in ("y", "yes")


class AboutStack(Base):
    """A command about one stack, whose name comes first."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack."""
        parser = super().get_parser(prog_name)
        add_stack(parser)
        return parser

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run the command; return its exit code."""
        self.about(parsed_args.stack)
        return super().run(parsed_args)


class Lister(Base, lister.Lister):
    """A command that shows rows, in the order in which they come."""

    @property
    def need_sort_by_cliff(self) -> bool:
        """Keep the order."""
        return False


class ShowOne(Base, show.ShowOne):
    """A command that shows one object."""

    def displayed(self, facts: collections.abc.Mapping[str, object]) -> Facts:
        """Return facts as they are shown; maps and lists in lines."""
        return tuple(facts), tuple(
            output_formats.Lines(each)
            if isinstance(each, dict | list)
            else each
            for each in facts.values()
        )


class StackLister(AboutStack, Lister):
    """A command that lists what a stack has."""


class Document(Base):
    """A command that writes a document, laid out for people by default."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add how it is written."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "-f",
            "--format",
            choices=output_formats.LANGUAGES,
            default=output_formats.LANGUAGES[0],
            help="language of the document",
        )
        return parser

    def write(
        self, parsed_args: argparse.Namespace, document: object
    ) -> exit_codes.Exit:
        """Write a document; return the exit code."""
        self.say(output_formats.document_text(document, parsed_args.format))
        return exit_codes.Exit.DONE


class Running(Base):
    """A command that starts an operation, and follows it to its end.

    :cvar prints_outputs: those of the stack, when the operation has ended
    """

    can_override = True
    prints_outputs = True

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add how progress is shown, and how long the command waits."""
        parser = super().get_parser(prog_name)
        add_format(parser)
        add_wait_options(parser)
        if self.prints_outputs:
            add_show_secrets(parser)
        else:
            parser.set_defaults(show_secrets=False)
        return parser

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run the command; return its exit code."""
        self._reports_json = parsed_args.format == "json"
        try:
            return super().run(parsed_args)
        except KeyboardInterrupt:
            # Before it was followed: the request may have come through.
            if self._stack:
                self.hint(f"\nThe operation of {self._stack} may continue.")
                self.hint(self._reattach(self._stack))
            return exit_codes.Exit.DETACHED

    def see(
        self,
        parsed_args: argparse.Namespace,
        stack: models.StackIdentity,
        before: progress.Mark,
        operation_id: str | None = None,
    ) -> int:
        """Follow the operation that was just requested; return the exit code.

        :param before: the position of the stack before the request
        :param operation_id: ``None``: the last that was requested, also when
            it has failed and is rolled back by now
        """
        self.about(stack.name)
        if operation_id is None:
            operation = self.client.operations.find_last_requested(stack)
        else:
            operation = self.client.operations.show(stack, operation_id)
        if operation is None or not before.is_moved(operation):
            self.say(f"{stack.name}: nothing to do.")
            return exit_codes.Exit.DONE
        if parsed_args.detach:
            view = view_of(
                _format_without_progress(parsed_args.format), self.out
            )
            view.begin(operation)
            if not self._reports_json:
                self.hint(self._reattach(stack.name))
            return exit_codes.Exit.DONE
        follower, view = self.follower(
            parsed_args, stack, after=before.event_id
        )
        return self.attach(parsed_args, follower, view, operation)

    def follower(
        self,
        parsed_args: argparse.Namespace,
        stack: models.StackIdentity,
        *,
        after: str | None = None,
        since: datetime.datetime | None = None,
        waits_on_hold: bool = False,
    ) -> tuple[progress.Follower, progress_events.View]:
        """Return the follower of a stack, and the view that it notifies."""
        view = view_of(
            parsed_args.format,
            self.out,
            shows_secrets=parsed_args.show_secrets,
        )
        follower = progress.Follower(
            self.client,
            view,
            stack,
            after=after,
            since=since,
            waits_on_hold=waits_on_hold or parsed_args.wait_on_hold,
        )
        return follower, view

    def attach(
        self,
        parsed_args: argparse.Namespace,
        follower: progress.Follower,
        view: progress_events.View,
        operation: operations.Operation,
    ) -> int:
        """Follow an operation; return the exit code.

        :raises orchclient.operation_errors.OperationError: it ended otherwise
            than was requested
        """
        try:
            ended = follower.follow(operation, parsed_args.wait_timeout)
        except KeyboardInterrupt:
            view.close()
            self.hint(
                f"\nDetached: the {operation.action.lower()} of"
                f" {operation.stack.name} goes on."
            )
            self.hint(self._reattach(operation.stack.name))
            return exit_codes.Exit.DETACHED
        finally:
            view.close()
        self.client.waiters.check(ended)
        return exit_codes.Exit.DONE

    def _reattach(self, name: str) -> str:
        return "\n".join(
            f"  {self.program} {words} {shlex.quote(name)}  # {why}"
            for words, why in (
                ("attach", "follow it to its end"),
                ("logs --follow", "see what happens"),
                ("stack cancel", "end it"),
            )
        )


def add_stack(parser: argparse.ArgumentParser) -> None:
    """Add the stack that a command is about."""
    parser.add_argument("stack", metavar="NAME", help="name or id")


def add_nested_depth(parser: argparse.ArgumentParser) -> None:
    """Add ``--nested-depth``."""
    parser.add_argument(
        "-n",
        "--nested-depth",
        type=int,
        default=0,
        metavar="DEPTH",
        help="so many levels of child stacks",
    )


def add_show_secrets(parser: argparse.ArgumentParser) -> None:
    """Add ``--show-secrets``."""
    parser.add_argument(
        "--show-secrets",
        action="store_true",
        help="show the values of sensitive outputs, which are (sensitive)"
        " otherwise",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add ``--format`` of progress."""
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        default="auto",
        help="how progress is shown: a live picture on a terminal and plain"
        " lines elsewhere (auto), or always live, plain, or one JSON object"
        " a line (json)",
    )


def add_wait_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--detach``, ``--wait-timeout`` and ``--wait-on-hold``."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--detach",
        action="store_true",
        help="return as soon as the service has accepted it",
    )
    group.add_argument(
        "--wait-timeout",
        type=float,
        metavar="SECONDS",
        help="wait no longer; the operation goes on (exit code 10)",
    )
    parser.add_argument(
        "--wait-on-hold",
        action="store_true",
        help="go on waiting while a lifecycle plug-in holds the operation"
        " until it is approved (otherwise exit code 12)",
    )


def report_error(program: str, error: Exception, out: typing.TextIO) -> int:
    """Report an error from before any command; return the exit code."""
    report = error_reports.report_of(error, error_reports.Situation(program))
    print("\n".join(report.lines()), file=out)
    return int(report.code)


def _format_without_progress(chosen: str) -> str:
    """Return a format for an operation that is not followed."""
    return chosen if chosen == "json" else "plain"
