"""A service whose lists and answers are wrong at random, under ``repair``.

Some of its objects really vanish meanwhile. At the end each exists once: no
other one was created a second time, and none was removed.
"""

import collections
import collections.abc
import random
import threading
import time
import typing

from tests.functional import observing
from tests.support import rest
from tests.support import running
from tests.support import services
from tests.support import serving
from tests.support import soak
from tests.support import waiting
from tests.unit.resources.http import service

Json = dict[str, typing.Any]

_SEED: typing.Final = 19
_COUNT: typing.Final = soak.rounds(8, 100)
_ROUNDS: typing.Final = 10
_SOAK_S: typing.Final = 300
_LIMIT_S: typing.Final = 120
_FAILED_READS: typing.Final = 0.2
"""Share of the reads of one object that fail while lists are wrong."""
_NAMES: typing.Final = [f"r{number:03}" for number in range(_COUNT)]


class LyingService(service.Service):
    """Objects by id, and what a list of them shows.

    :ivar lie: what is wrong now; empty for nothing
    :ivar created: how often an object with a label was created
    :ivar doubled: labels of which a second object was created
    :ivar removed: labels of objects that were deleted
    """

    LIES = ("empty", "half", "stale", "failing")

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._random = random.Random(_SEED)
        self._objects: dict[str, Json] = {}
        self._stale: list[Json] = []
        self.lie = ""
        self.created: collections.Counter[str] = collections.Counter()
        self.doubled: list[str] = []
        self.removed: list[str] = []

    def set_lie(self, lie: str) -> None:
        """Answer so from now on; a stale list is that of this moment."""
        with self._lock:
            self._stale = list(self._objects.values())
            self.lie = lie

    def vanish(self, label: str) -> None:
        """Lose an object."""
        with self._lock:
            self._objects = {
                key: each
                for key, each in self._objects.items()
                if each["label"] != label
            }

    def labels(self) -> list[str]:
        """Return the labels of all objects, sorted."""
        with self._lock:
            return sorted(each["label"] for each in self._objects.values())

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        with self._lock:
            if method == "POST":
                assert isinstance(body, dict)
                return 201, self._create(body)
            if path == "/things":
                return self._list()
            key = path.rpartition("/")[2]
            is_wrong = bool(self.lie) and self._random.random() < _FAILED_READS
            if method == "GET" and is_wrong:
                return 500, {"error": "try again"}
            if method == "DELETE" and key in self._objects:
                self.removed.append(self._objects.pop(key)["label"])
                return 204, None
            found = self._objects.get(key)
            return (404, {}) if found is None else (200, found)

    def _create(self, body: Json) -> Json:
        label = body["label"]
        if any(each["label"] == label for each in self._objects.values()):
            self.doubled.append(label)
        self.created[label] += 1
        key = f"{label}-{self.created[label]}"
        self._objects[key] = {**body, "id": key}
        return self._objects[key]

    def _list(self) -> tuple[int, object]:
        listed = list(self._objects.values())
        if self.lie == "failing":
            return 500, {"error": "try again"}
        if self.lie == "empty":
            return 200, []
        if self.lie == "half":
            return 200, listed[::2]
        return 200, self._stale if self.lie == "stale" else listed


class LyingListTests(serving.ServerTestCase):
    limit_s = 300 + soak.rounds(0, _SOAK_S)
    defaults: typing.ClassVar[dict[str, Json]] = {
        **serving.options(),
        "egress": {"allowed_networks": "127.0.0.0/8"},
        "observer": observing.OPTIONS,
    }

    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(LyingService())
        self.random = random.Random(_SEED)

    def create(self) -> rest.Stack:
        """Return a complete stack of objects that are listed, and repaired."""
        resources = {
            name: {
                "type": "Orch::HTTP::Resource",
                "properties": {
                    "url": self.service.url,
                    "create": {
                        "path": "/things",
                        "body": {"label": name, "size": 1},
                        "is_idempotent": False,
                    },
                    "read": {},
                    "list": {},
                },
            }
            for name in _NAMES
        }
        stack = self.client.create(
            "lied-to",
            {
                "heat_template_version": "2021-04-16",
                "resources": resources,
            },
        )
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
        observing.set_policy(self.client, stack, {"stack": "repair"})
        return stack

    def lies(self) -> collections.abc.Iterator[str]:
        """Yield lies: each of them, then any, for the time of a soak."""
        yield from LyingService.LIES
        until = time.monotonic() + soak.rounds(0, _SOAK_S)
        left = _ROUNDS - len(LyingService.LIES)
        while left > 0 or time.monotonic() < until:
            yield self.random.choice(("", *LyingService.LIES))
            left -= 1

    def test_only_what_really_vanished_is_created_again(self) -> None:
        stack = self.create()
        to_vanish = self.random.sample(_NAMES, len(_NAMES))
        vanished = collections.Counter(_NAMES)

        for number, lie in enumerate(self.lies()):
            self.service.set_lie(lie)
            if number % 3 == 1 and to_vanish:
                lost = to_vanish.pop()
                vanished[lost] += 1
                self.service.vanish(lost)
            observing.wait_for_look(self.client, stack, _LIMIT_S)
        self.service.set_lie("")
        waiting.wait_for(
            lambda: self.service.labels() == _NAMES, "repairs", _LIMIT_S
        )
        observing.wait_for_look(self.client, stack, _LIMIT_S)

        self.assertEqual(_NAMES, self.service.labels())
        self.assertEqual(vanished, self.service.created)
        self.assertEqual([], self.service.doubled)
        self.assertEqual([], self.service.removed)


class LyingWorkersTests(LyingListTests):
    """The same with two workers."""

    @classmethod
    def installation(cls) -> running.Distributed:
        services.require("RabbitMQ", "PostgreSQL")
        return running.Distributed(
            {**cls.defaults, **cls.options}, cls.environment()
        )
