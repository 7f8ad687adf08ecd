"""Ceilometer's conversion of notifications to events."""

import collections.abc
import json
import pathlib
import subprocess
import sys
import threading
import typing
import unittest

import fixtures

from tests.support import apart

_CONVERT: typing.Final = (
    pathlib.Path(__file__).parent / "ceilometer_agent" / "convert.py"
)
_START_S = 120.0
_END_S = 20.0

Event = dict[str, typing.Any]


class Agent(fixtures.Fixture):
    """Converts what comes on a broker to Ceilometer's events.

    It listens once it is set up. Without Ceilometer the test is skipped.

    :ivar definitions: whether Ceilometer's own definitions are there
    """

    definitions: bool

    def __init__(self, url: str) -> None:
        """Listen on the broker of this address."""
        super().__init__()
        self._url = url
        self._lock = threading.Lock()
        self._lines: list[Event] = []

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        python = apart.CEILOMETER.find()
        if python is None:
            raise unittest.SkipTest("there is no Ceilometer to convert with")
        ready = threading.Event()
        agent = subprocess.Popen(
            (python, "-W", "ignore", str(_CONVERT), self._url),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sys.stderr,
            text=True,
        )
        reader = threading.Thread(target=self._read, args=(agent, ready))
        reader.start()
        self.addCleanup(self._end, agent, reader)
        if not ready.wait(_START_S) or not self._lines:
            raise AssertionError("Ceilometer's agent does not listen")
        self.definitions = bool(self._lines[0]["definitions"])

    def events(self, stack_id: str) -> list[Event]:
        """Return the events of a stack, each once."""
        with self._lock:
            found = self._lines[1:]
        return list(
            {
                each["message_id"]: each
                for each in found
                if each["traits"].get("resource_id") == stack_id
            }.values()
        )

    def _read(
        self, agent: "subprocess.Popen[str]", ready: threading.Event
    ) -> None:
        lines: collections.abc.Iterable[str] = agent.stdout or ()
        for line in lines:
            with self._lock:
                self._lines.append(json.loads(line))
            ready.set()
        ready.set()

    @staticmethod
    def _end(agent: "subprocess.Popen[str]", reader: threading.Thread) -> None:
        assert agent.stdin is not None
        agent.stdin.close()
        try:
            agent.wait(_END_S)
        except subprocess.TimeoutExpired:
            agent.kill()
            agent.wait()
        reader.join()
        assert agent.stdout is not None
        agent.stdout.close()
