"""Processes that tests start, as the engine does."""

import contextlib
import dataclasses
import os
import pathlib
import signal
import socket

from orch.plugin import call_context
from orch.resources.local import proc
from orch.resources.local import process
from tests import base
from tests.support import waiting
from tests.unit.resources import contexts

SLEEP = ["sleep", "60"]


def make(command: list[str], **more: object) -> call_context.Context:
    properties = {"stop_timeout_s": 5, **more}
    return contexts.make(process.Process, command=command, **properties)


def shell(text: str) -> list[str]:
    return ["sh", "-c", text]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def create_and_die(place: str) -> None:
    """Start the process, and be killed before anybody hears of it."""
    conf = contexts.options(pathlib.Path(place))
    process.Process(conf).create(make(SLEEP))
    os.kill(os.getpid(), signal.SIGKILL)


class ProcessTestCase(base.TestCase):
    """A plug-in below a root of the test's own."""

    def setUp(self) -> None:
        super().setUp()
        self.root = self.make_directory()
        self.conf = contexts.options(self.root)
        self.clock = contexts.FakeClock()
        self.plugin = process.Process(self.conf, self.clock)
        self.store = self.root / ".orch" / "processes"
        self.addCleanup(self._kill_all)

    def _kill_all(self) -> None:
        # Other tests use the same token at the same time: by place, then.
        for path in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            with contextlib.suppress(OSError):
                if path.readlink().is_relative_to(self.root):
                    os.kill(int(path.parent.name), signal.SIGKILL)

    def create(self, context: call_context.Context) -> call_context.Context:
        physical_id = self.plugin.create(context)
        assert isinstance(physical_id, str)
        return dataclasses.replace(context, physical_id=physical_id)

    def wait(self, context: call_context.Context) -> None:
        """Wait as the engine does until the process is up."""
        waiting.wait_for(
            lambda: self.plugin.is_created(context) is None, "it is up"
        )

    def stop(self, context: call_context.Context) -> None:
        """Delete as the engine does."""
        self.plugin.delete(context)
        waiting.wait_for(
            lambda: self.plugin.is_deleted(context) is None, "it is gone"
        )

    def is_alive(self, context: call_context.Context) -> bool:
        identity = proc.parse_identity(context.physical_id or "")
        assert identity is not None
        return proc.is_alive(identity)

    def wait_until_dead(self, context: call_context.Context) -> None:
        waiting.wait_for(lambda: not self.is_alive(context), "it is dead")
