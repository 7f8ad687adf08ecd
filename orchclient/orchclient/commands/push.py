"""``stack push``: moves a stack to another installation."""

import argparse
import os
import shlex
import typing

from orchclient import client as clients
from orchclient import connection
from orchclient import plan_diff
from orchclient import plans
from orchclient import push
from orchclient.commands import base
from orchclient.commands import stack_arguments
from orchclient.console import exit_codes

_PREFIX: typing.Final = "TO_"
"""What variables of the target begin with: ``TO_OS_AUTH_URL``."""
_FILES: typing.Final = frozenset(
    {"OS_CLIENT_CONFIG_FILE", "OS_CLIENT_SECURE_FILE"}
)


class Push(base.Base):
    """Push a stack to another installation; again to continue."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the stack, the target, and how the target adopts."""
        parser = super().get_parser(prog_name)
        base.add_stack(parser)
        target = parser.add_mutually_exclusive_group()
        target.add_argument(
            "--to-os-cloud",
            metavar="CLOUD",
            help="the target, an entry of clouds.yaml",
        )
        target.add_argument(
            "--to-endpoint",
            metavar="URL",
            help="the target, with the project; how to log in there is in"
            " variables TO_OS_…, as OS_… for the source",
        )
        parser.add_argument(
            "--name", metavar="NEW_NAME", help="of the stack at the target"
        )
        parser.add_argument(
            "--receiver",
            metavar="KEY",
            help="the public key of the target: only the target can read the"
            " secrets of the document; a key that begins with a hyphen is"
            " given as --receiver=KEY",
        )
        stack_arguments.add_adopt_verify(parser)
        parser.add_argument(
            "--adopt-missing",
            choices=("fail", "create"),
            help="what to do where a resource has no physical one",
        )
        parser.add_argument(
            "-y", "--yes", action="store_true", help="do not ask"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Push, and show each step."""
        self.about(parsed_args.stack)
        request: push.PushRequest = {}
        if parsed_args.adopt_verify:
            request["adopt_verify"] = parsed_args.adopt_verify
        if parsed_args.adopt_missing:
            request["adopt_missing"] = parsed_args.adopt_missing

        def confirm(plan: plans.Plan) -> bool:
            self.say(plan_diff.plan_text(plan))
            question = f"Abandon {parsed_args.stack}, to be adopted there?"
            return self.confirm(question, is_sure=parsed_args.yes)

        try:
            with _connect(parsed_args) as target:
                pushed = push.push(
                    self.client,
                    target,
                    parsed_args.stack,
                    parsed_args.name,
                    receiver=parsed_args.receiver,
                    confirm=confirm,
                    report=lambda step, text: self.say(f"{step}: {text}"),
                    **request,
                )
        except KeyboardInterrupt:
            self.hint(f"\nTo continue: {self._again(parsed_args)}")
            return exit_codes.Exit.DETACHED
        if pushed is None:
            self.hint("Nothing was done.")
            return exit_codes.Exit.DONE
        self.say(f"{pushed.stack} is at the target.")
        for each in pushed.warnings:
            self.hint(f"Warning: signals are not forwarded: {each}")
        if pushed.warnings:
            self.hint(f"Announce later: {self._again(parsed_args)}")
        return exit_codes.Exit.DONE

    def _again(self, parsed_args: argparse.Namespace) -> str:
        """Return the command that continues, ready to type."""
        words = ["stack", "push", parsed_args.stack]
        for option, value in (
            ("--to-os-cloud", parsed_args.to_os_cloud),
            ("--to-endpoint", parsed_args.to_endpoint),
            ("--name", parsed_args.name),
            ("--receiver", parsed_args.receiver),
        ):
            if value:
                # Keys may begin with a hyphen, as options do.
                words.append(f"{option}={value}")
        return f"{self.program} {shlex.join(words)}"


def _connect(parsed_args: argparse.Namespace) -> clients.Client:
    """Return the client of the target; nothing is sent yet.

    :raises exit_codes.UsageError: nothing says where that is
    """
    cloud, endpoint = parsed_args.to_os_cloud, parsed_args.to_endpoint
    given = {
        name.removeprefix(_PREFIX): value
        for name, value in os.environ.items()
        if name.startswith(f"{_PREFIX}OS_")
    }
    if cloud is None and given:
        files = {each: os.environ[each] for each in _FILES & os.environ.keys()}
        return connection.from_variables(files | given, endpoint)
    if cloud is None and endpoint is None:
        raise exit_codes.UsageError(
            "The target is missing: give --to-os-cloud CLOUD, or --to-endpoint"
            " URL, or variables TO_OS_…"
        )
    return connection.connect(cloud, endpoint=endpoint)
