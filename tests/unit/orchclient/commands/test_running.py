"""A command follows the operation that it has requested."""

import argparse
import typing

from orchclient import models
from orchclient import operations
from orchclient.commands import base as commands
from orchclient.console import progress
from tests import base
from tests.unit.orchclient.console import making


class Operations(operations.Operations):
    def __init__(self, *found: operations.Operation) -> None:
        self._found = found

    def list(
        self, stack: models.Which, **_: object
    ) -> tuple[operations.Operation, ...]:
        return self._found


class Client:
    def __init__(self, *found: operations.Operation) -> None:
        self.operations = Operations(*found)


class Command(commands.Running):
    """Notes what it would follow."""

    def __init__(self, *found: operations.Operation) -> None:
        self.found = Client(*found)
        self.followed: list[str] = []
        self.said: list[str] = []

    @property
    def client(self) -> typing.Any:
        return self.found

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        raise NotImplementedError

    def about(self, stack: str, package: object = None) -> None:
        pass

    def say(self, line: str) -> None:
        self.said.append(line)

    def follower(self, *_: object, **__: object) -> typing.Any:
        return None, None

    def attach(self, *given: typing.Any) -> int:
        self.followed.append(given[-1].id)
        return 0


class RunningTests(base.TestCase):
    def see(
        self, before: operations.Operation | None, *found: operations.Operation
    ) -> Command:
        command = Command(*found)
        command.see(
            argparse.Namespace(detach=False),
            making.ROOT,
            progress.Mark(before, None),
        )
        return command

    def test_what_was_rolled_back_meanwhile_is_followed(self) -> None:
        failed = making.operation("FAILED")
        back = making.operation("COMPLETE", id="op-2", action="ROLLBACK")

        self.assertEqual(["op-1"], self.see(None, back, failed).followed)

    def test_a_rollback_of_before_is_nothing_new(self) -> None:
        failed = making.operation("FAILED")
        back = making.operation("COMPLETE", id="op-2", action="ROLLBACK")

        command = self.see(failed, back, failed)

        self.assertEqual([], command.followed)
        self.assertEqual(["web: nothing to do."], command.said)
