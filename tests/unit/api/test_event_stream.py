"""Streams of events that do not begin."""

import typing

from orch import clock
from orch.api import event_stream
from orch.api import web
from orch.rpc import contract
from tests import base

_FACTS: contract.FollowedFacts = {
    "events": [],
    "is_idle": False,
    "is_over": False,
}


class _Caller:
    project_id = "demo"


class _Request:
    caller = _Caller()

    def __init__(self, environ: dict[str, object]) -> None:
        self.env = environ


class OpenTest(base.TestCase):
    """One stream at a time."""

    def setUp(self) -> None:
        super().setUp()
        self.streams = event_stream.EventStreams(1, 60, clock.SystemClock())
        self.lent = 0
        self.read_error: Exception | None = None
        self.lend_error: Exception | None = None

    def lend(self, count: int) -> None:
        if self.lend_error is not None:
            raise self.lend_error
        self.lent += count

    def read(self, after: str | None) -> contract.FollowedFacts:
        if self.read_error is not None:
            raise self.read_error
        return _FACTS

    def open(self) -> event_stream.Stream:
        return self.streams.open(
            typing.cast(
                web.Request, _Request({"orch.lend_threads": self.lend})
            ),
            self.read,
            lambda: None,
            lambda event: None,
            None,
            ends_idle=False,
        )

    def check_free(self) -> None:
        """Check that a stream may be open, and gives back what it took."""
        stream = self.open()
        self.assertEqual(1, self.lent)
        stream.close()
        self.assertEqual(0, self.lent)

    def test_a_stream_that_cannot_be_read_takes_nothing(self) -> None:
        self.read_error = ValueError()
        self.assertRaises(ValueError, self.open)
        self.read_error = None

        self.check_free()

    def test_a_stream_without_a_thread_takes_nothing(self) -> None:
        self.lend_error = RuntimeError("can't start new thread")
        self.assertRaises(RuntimeError, self.open)
        self.lend_error = None

        self.check_free()
