"""What one project asks for does not slow down the stacks of another one.

Each round of a measurement has an attack of its own, which is over before the
next one and before the other project's work is measured alone: there its
quickest round counts. Of several attempts one has to be within the bound:
other work on the machine may slow down any of them.
"""

import collections.abc
import concurrent.futures
import contextlib
import functools
import http.server
import itertools
import pathlib
import re
import socket
import statistics
import threading
import time
import typing

import psutil
import requests

from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting

_ROUNDS: typing.Final = 2
_REPEATS: typing.Final = 2
"""How often the work of a round is done: once alone is too short to time."""
_SENDERS: typing.Final = 20
_ATTEMPTS: typing.Final = 4
_SLOWER: typing.Final = 2.0
_SLOWER_IN_RUN: typing.Final = 10.0
"""While another project's child stacks are created: they take turns, but a
process runs one thread at a time. doc/source/security.rst admits two to six
times; on a busy machine it is more."""
_CHILD_STACKS: typing.Final = 450
"""With one resource each, and one that holds it, nearly all of a tree."""
_END_S: typing.Final = 400
_LARGER: typing.Final = 300 * 1024 * 1024
_CONNECTIONS: typing.Final = 1005
_NUMBERS: typing.Final = itertools.count()
_ELSEWHERE: typing.Final = "127.0.0.2"
"""Another address than that of the other project's clients."""

Json = dict[str, object]


def _hot(resources: Json, **more: object) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": resources,
        **more,
    }


def _group(count: int, member: Json) -> Json:
    return {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": count, "resource_def": member},
    }


_NONE: typing.Final[Json] = {"type": "OS::Heat::None"}
_FLAT: typing.Final = _hot({f"n{number}": _NONE for number in range(10)})
_SMALL: typing.Final = _hot({"group": _group(2, _NONE)})


class _PeakMemory:
    """The most memory that processes have had since the start, in bytes.

    Linux keeps it. Where it may not be reset, it is sampled.
    """

    def __init__(self, pids: collections.abc.Iterable[int]) -> None:
        self._processes = [psutil.Process(pid) for pid in pids]
        self._sampled = 0
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Forget what the processes had before."""
        self._sampled = self.current()
        try:
            for each in self._processes:
                pathlib.Path(f"/proc/{each.pid}/clear_refs").write_text("5")
        except OSError:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._sample)
            self._thread.start()

    def stop(self) -> int:
        """Return the sum of the peaks since the start."""
        if self._thread is None:
            return sum(map(_read_peak, self._processes))
        self._stopping.set()
        self._thread.join()
        self._thread = None
        return self._sampled

    def current(self) -> int:
        """Return what they have now."""
        return sum(each.memory_info().rss for each in self._processes)

    def _sample(self) -> None:
        while not self._stopping.wait(0.05):
            self._sampled = max(self._sampled, self.current())


def _read_peak(process: psutil.Process) -> int:
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


class _Held(http.server.BaseHTTPRequestHandler):
    """Answers at once, or, of an address with "slow", when it is told to."""

    def do_GET(self) -> None:
        server = typing.cast("_Service", self.server)
        if "slow" in self.path or server.is_slow:
            server.held.append(self.path)
            server.gate.wait()
        body = b'{"id": "1"}'
        with contextlib.suppress(OSError):
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    do_POST = do_DELETE = do_GET  # noqa: N815 - the base names them

    def log_message(self, *args: object) -> None:
        """Say nothing."""


class _Service(http.server.ThreadingHTTPServer):
    """A service that a project names, which does not answer.

    :ivar held: paths that wait for an answer
    :ivar gate: lets all of them end
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Held)
        self.held: list[str] = []
        self.gate = threading.Event()
        self.is_slow = False
        self.url = f"http://127.0.0.1:{self.server_port}"


class IsolationTest(serving.ServerTestCase):
    """One process serves all: the project of an attack, and another one."""

    limit_s = 1200

    def setUp(self) -> None:
        super().setUp()
        self.base = f"http://127.0.0.1:{self.system.port}"
        self.innocent = rest.Client(f"{self.base}/v1/innocent", timeout_s=90)
        self.addCleanup(self.innocent.close)
        self.attacker = f"{self.base}/v1/attacker"
        self.service = _Service()
        thread = threading.Thread(target=self.service.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.service.server_close)
        self.addCleanup(self.service.shutdown)
        self.senders = concurrent.futures.ThreadPoolExecutor(_SENDERS)
        self.addCleanup(self.senders.shutdown)
        self.sent: list[concurrent.futures.Future[object]] = []
        self.addCleanup(self.end_attack)
        self.opened: list[socket.socket] = []
        self.peak = _PeakMemory(each.pid for each in self.system.members)
        self.addCleanup(self.peak.stop)

    def test_groups_in_groups_previewed(self) -> None:
        nested = functools.reduce(
            lambda member, _: _group(900, member), range(4), _NONE
        )
        self.check(self.posted("/stacks/preview", 1, _hot({"g": nested})))

    def test_groups_in_groups_created(self) -> None:
        nested = _group(900, _group(900, _NONE))
        self.check(self.posted("/stacks", 1, _hot({"g": nested})))

    def test_child_stacks_created(self) -> None:
        """A tree that is as large as is allowed, while it is created."""
        template = _hot({"g": _group(_CHILD_STACKS, _group(1, _NONE))})
        client = rest.Client(self.attacker, timeout_s=90)
        self.addCleanup(client.close)
        created: list[rest.Stack] = []

        def status() -> object:
            return client.show(created[-1])["stack_status"]

        def attack() -> None:
            if created and status() == "CREATE_IN_PROGRESS":
                return
            end()
            created.append(client.create(f"s{next(_NUMBERS)}", template))
            waiting.wait_for(
                lambda: len(self.list_trees(client)) > 5, "child stacks", 60
            )

        def end() -> None:
            for stack in created:
                client.delete(stack)
                client.wait(stack, "DELETE_COMPLETE", timeout_s=_END_S)
            created.clear()

        self.check(
            attack,
            end=end,
            is_on=lambda: status() == "CREATE_IN_PROGRESS",
            bound=_SLOWER_IN_RUN,
        )

    def list_trees(self, client: rest.Client) -> list[object]:
        """Return a few stacks, child stacks too."""
        found = client.get("/stacks?show_nested=true&limit=10", "stacks")
        return typing.cast(list[object], found)

    def test_templates_from_slow_addresses(self) -> None:
        resources = {
            f"a{number}": {
                "Type": "AWS::CloudFormation::Stack",
                "Properties": {"TemplateURL": self.slow(number)},
            }
            for number in range(40)
        }
        self.check(
            self.posted(
                "/stacks/preview",
                3,
                {
                    "AWSTemplateFormatVersion": "2010-09-09",
                    "Resources": resources,
                },
            ),
            holds=True,
        )

    def test_template_url(self) -> None:
        bodies = [{"template_url": self.slow(number)} for number in range(16)]
        self.check(lambda: self.send("/stacks/preview", bodies), holds=True)

    def test_live_attributes(self) -> None:
        url = f"{self.service.url}/thing"
        client = rest.Client(self.attacker)
        self.addCleanup(client.close)
        stack = client.create(
            f"s{next(_NUMBERS)}",
            _hot(
                {
                    "thing": {
                        "type": "Orch::HTTP::Resource",
                        "properties": {"url": url, "create": {}},
                    }
                }
            ),
        )
        client.wait(stack, "CREATE_COMPLETE")

        def attack() -> None:
            self.service.is_slow = True
            path = f"{stack.path}/resources/thing?with_attr=show"
            for _ in range(6):
                self.submit(requests.get, path)

        self.check(attack, holds=True)

    def test_idle_connections(self) -> None:
        head = b"POST /v1/attacker/stacks HTTP/1.1\r\nHost: localhost\r\n"

        def attack() -> None:
            while len(self.opened) < _CONNECTIONS:
                each = socket.socket()
                self.opened.append(each)
                each.bind((_ELSEWHERE, 0))
                each.connect(("127.0.0.1", self.system.port))
                each.sendall(head + b"Content-Length: 1000\r\n\r\n{")
            # Once this is answered all of them are accepted: to open them
            # takes more time of the server than to have them.
            requests.get(f"{self.base}/healthcheck", timeout=90)

        self.check(attack)

    def slow(self, number: int) -> str:
        """Return an address that does not answer."""
        return f"{self.service.url}/slow{number}"

    def posted(
        self, path: str, times: int, template: Json
    ) -> collections.abc.Callable[[], None]:
        """Return what sends a template so many times at once."""
        return lambda: self.send(path, [{"template": template}] * times)

    def send(self, path: str, bodies: list[Json]) -> None:
        """Send the bodies, each for another stack, and wait for no answer."""
        for body in bodies:
            named = {"stack_name": f"s{next(_NUMBERS)}", **body}
            self.submit(requests.post, path, json=named)

    def submit(
        self,
        method: collections.abc.Callable[..., object],
        path: str,
        **given: object,
    ) -> None:
        """Send a request from another thread, once it is free."""
        self.sent.append(
            self.senders.submit(
                method, self.attacker + path, timeout=120, **given
            )
        )

    def end_attack(self) -> None:
        """Let all that was sent come to an end."""
        for each in self.opened:
            each.close()
        self.opened.clear()
        for each in self.sent:
            each.cancel()
        self.service.gate.set()
        concurrent.futures.wait(self.sent)
        self.sent.clear()
        self.service.held.clear()
        self.service.gate = threading.Event()

    def check(
        self,
        attack: collections.abc.Callable[[], None],
        *,
        holds: bool = False,
        end: collections.abc.Callable[[], None] | None = None,
        is_on: collections.abc.Callable[[], bool] | None = None,
        bound: float = _SLOWER,
    ) -> None:
        """Check that the other project's stacks are as quick as before.

        :param holds: it is an attack only once the service holds a request
        :param end: ends an attack that lasts for all rounds of an attempt
        :param is_on: whether an attack lasted until the end of a round, which
            does not count otherwise
        :param bound: how many times longer the work may take
        """
        if end is not None:
            self.addCleanup(end)
        first = self.work()
        memory = self.peak.current()
        found: list[float] = []
        for attempt in range(_ATTEMPTS):
            alone = min(
                first if attempt == 0 else self.work(),
                *(self.work() for _ in range(_ROUNDS - 1)),
            )
            attacked: list[float] = []
            for _ in range(_ROUNDS):
                self.peak.start()
                attack()
                if holds:
                    waiting.wait_for(lambda: self.service.held, "a request")
                seconds = self.work()
                if is_on is None or is_on():
                    attacked.append(seconds)
                self.assertLess(self.peak.stop() - memory, _LARGER)
                if end is None:
                    self.end_attack()
            if end is not None:
                end()
            self.assertTrue(attacked, "each attack was over too soon")
            found.append(statistics.mean(attacked) / alone)
            if found[-1] <= bound:
                return
        self.fail(f"so many times slower than alone: {found}")

    def work(self) -> float:
        """Create and delete small stacks; return the seconds that it took."""
        began = time.monotonic()
        for template in (_FLAT, _SMALL) * _REPEATS:
            stack = self.innocent.create(f"s{next(_NUMBERS)}", template)
            self.innocent.wait(stack, "CREATE_COMPLETE", timeout_s=120)
            answer = requests.get(f"{self.base}/healthcheck", timeout=90)
            self.assertEqual(200, answer.status_code)
            self.innocent.get("/stacks?limit=1", "stacks")
            self.innocent.delete(stack)
            self.innocent.wait(stack, "DELETE_COMPLETE", timeout_s=120)
        return time.monotonic() - began


class DistributedIsolationTest(IsolationTest):
    """An API process and two workers serve all."""

    # It takes minutes, and turns are those of each worker.
    test_child_stacks_created = None  # type: ignore[assignment]

    @classmethod
    def installation(cls) -> running.Distributed:
        """Return what runs; the service of the attacks is on this machine."""
        return running.Distributed(
            {"egress": {"allowed_networks": "127.0.0.0/8"}}
        )
