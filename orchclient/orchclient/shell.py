"""The program ``orch``."""

import argparse
import functools
import importlib.metadata
import itertools
import logging
import sys
import typing

from cliff import app
from cliff import command
from cliff import commandmanager
from cliff import help as help_

from orchclient import client as clients
from orchclient import connection
from orchclient import errors
from orchclient.commands import base
from orchclient.console import exit_codes

_NAME: typing.Final = "orch"
_DISTRIBUTION: typing.Final = "python-orchclient"
_COMMANDS: typing.Final = "openstack.orch.v1"
_PREFIX: typing.Final = "orch "
_LEVELS: typing.Final = (logging.ERROR, logging.WARNING, logging.INFO)
_VERBOSE: typing.Final = 2


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether a log message is shown without ``-v``.

    Libraries warn of each try of a request; the last one's error is reported.
    """
    return record.name.startswith((_NAME, "cliff", "stevedore"))


class _Commands(commandmanager.CommandManager):
    """The commands of ``openstack orch``, without their first word.

    Those of ``openstack`` itself are not here.
    """

    def load_commands(self, namespace: str) -> None:
        """Load them."""
        super().load_commands(namespace)
        self.commands = {
            name.removeprefix(_PREFIX): each
            for name, each in self.commands.items()
            if name.startswith(_PREFIX)
        }

    def find_command(
        self, argv: list[str]
    ) -> tuple[type[command.Command], str, list[str]]:
        """Return the command that words begin with, its name, the other words.

        Names are written in full: behind ``drift``, the beginning of
        ``accept`` may be the name of a stack.

        :raises ValueError: there is no such command
        """
        words = list(
            itertools.takewhile(lambda word: not word.startswith("-"), argv)
        )
        for count in range(len(words), 0, -1):
            name = " ".join(words[:count])
            if name in self.commands:
                return self.commands[name].load(), name, argv[count:]
        raise ValueError(f"Unknown command {argv!r}")


class ClientManager:
    """Holds the client, built when the first command needs it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options

    @functools.cached_property
    def orch(self) -> clients.Client:
        """Return the client."""
        return connection.from_arguments(self._options)

    def close(self) -> None:
        """Close the client, if there is one."""
        if "orch" in self.__dict__:
            self.orch.close()


class Shell(app.App):
    """Parses the command line and runs one command."""

    NAME = _NAME
    LOG = logging.getLogger(_NAME)

    def __init__(
        self,
        argv: list[str],
        stdin: typing.TextIO | None = None,
        stdout: typing.TextIO | None = None,
        stderr: typing.TextIO | None = None,
    ) -> None:
        self._argv = argv
        self._handlers: list[logging.Handler] = []
        super().__init__(
            description="Orchestrates: creates the resources of a template,"
            " and changes and removes them.",
            version=importlib.metadata.version(_DISTRIBUTION),
            command_manager=_Commands(_COMMANDS),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            deferred_help=True,
        )
        self.client_manager: ClientManager | None = None

    def build_option_parser(
        self,
        description: str | None,
        version: str | None,
        argparse_kwargs: dict[str, typing.Any] | None = None,
    ) -> argparse.ArgumentParser:
        """Return the options of the program, including those of the login."""
        parser = super().build_option_parser(
            description, version, {"allow_abbrev": False}
        )
        connection.add_arguments(parser, self._argv)
        return parser

    def configure_logging(self) -> None:
        """Log warnings, and more with ``-v``."""
        root = logging.getLogger()
        level = self.options.verbose_level
        handler: logging.Handler = logging.StreamHandler(self.stderr)
        handler.setLevel(
            _LEVELS[level] if level < len(_LEVELS) else logging.DEBUG
        )
        handler.setFormatter(logging.Formatter(self.CONSOLE_MESSAGE_FORMAT))
        if level < _VERBOSE:
            handler.addFilter(_is_ours)
        else:
            root.setLevel(handler.level)
        self._handlers.append(handler)
        if self.options.log_file:
            handler = logging.FileHandler(self.options.log_file)
            handler.setFormatter(
                logging.Formatter(self.LOG_FILE_MESSAGE_FORMAT)
            )
            self._handlers.append(handler)
            root.setLevel(logging.DEBUG)
        for each in self._handlers:
            root.addHandler(each)

    def initialize_app(self, argv: list[str]) -> None:
        """Store the login options; no request is sent yet."""
        self.client_manager = ClientManager(self.options)

    def interact(self) -> None:
        """Show the list of commands, where none is named.

        :raises cliff.help.HelpExit: always, once that is shown
        """
        self.interactive_mode = False
        self.run_subcommand(["help"])
        raise help_.HelpExit

    def run_subcommand(self, argv: list[str]) -> int:
        """Run the command that the words behind the options name.

        Where its help is asked for by ``--help``, its own options count not.
        """
        if argv[:1] == ["help"]:
            argv = list(
                itertools.takewhile(
                    lambda word: not word.startswith("-"), argv
                )
            )
        return super().run_subcommand(argv)

    def run(self, argv: list[str]) -> int:
        """Run one command."""
        try:
            return super().run(argv)
        except help_.HelpExit:
            return exit_codes.Exit.DONE
        finally:
            if self.client_manager is not None:
                self.client_manager.close()
            for each in self._handlers:
                logging.getLogger().removeHandler(each)
                each.close()


def main(
    argv: list[str] | None = None,
    stdin: typing.TextIO | None = None,
    stdout: typing.TextIO | None = None,
    stderr: typing.TextIO | None = None,
) -> int:
    """Run ``orch``; return its exit code.

    The codes are in :mod:`orchclient.console.exit_codes`.

    :param argv: without the program's name; by default the command line's
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return int(Shell(words, stdin, stdout, stderr).run(words))
    except errors.Error as error:
        return base.report_error(_NAME, error, stderr or sys.stderr)
    except KeyboardInterrupt:
        return exit_codes.Exit.DETACHED
