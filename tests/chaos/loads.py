"""Somebody who asks for stacks all the time, whatever is broken."""

import threading
import time
import typing

import fixtures
import requests

from tests.chaos import templates
from tests.support import rest


class Answer(typing.NamedTuple):
    """What one request got.

    :ivar stack: the stack that was accepted, ``None`` if refused
    :ivar status: the HTTP status
    :ivar requested_at: when the request was sent
    :ivar answered_at: when the answer came
    """

    name: str
    stack: rest.Stack | None
    status: int
    requested_at: float
    answered_at: float


class Load(fixtures.Fixture):
    """A thread that asks for one small stack after the other.

    :ivar answers: what it got, in the order of asking
    """

    def __init__(self, endpoint: str, *, pause_s: float = 0.2) -> None:
        super().__init__()
        self._endpoint = endpoint
        self._pause_s = pause_s

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.answers: list[Answer] = []
        self._is_stopping = threading.Event()
        self._client = rest.Client(self._endpoint)
        self.addCleanup(self._client.close)
        self._thread = threading.Thread(target=self._ask_for_ever)
        self._thread.start()
        self.addCleanup(self.stop)

    def stop(self) -> None:
        """Ask no more; return once the last answer is there."""
        self._is_stopping.set()
        self._thread.join()

    def _ask_for_ever(self) -> None:
        number = 0
        while not self._is_stopping.is_set():
            self.answers.append(self._ask(f"load-{number}"))
            number += 1
            self._is_stopping.wait(self._pause_s)

    def _ask(self, name: str) -> Answer:
        began = time.time()
        stack, status = None, 201
        try:
            stack = self._client.create(name, templates.chain(name, 2))
        except rest.RefusedError as refused:
            status = refused.status
        except requests.RequestException:
            status = 0
        return Answer(name, stack, status, began, time.time())
