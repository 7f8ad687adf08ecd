"""What is passed on, while more comes in, on each database."""

import http.server
import threading
import types
import typing

import sqlalchemy as sa
import testscenarios
from sqlalchemy import event

from orch import clock
from orch import ids
from orch.db import functions
from orch.db.repositories import forwarding
from orch.engine import dependencies
from orch.engine.forwarding import forwarder
from orch.engine.forwarding import pending_signals
from orch.engine.forwarding import sender
from orch.model import forwarding as model
from tests.functional import databases
from tests.functional.db import base
from tests.functional.db import test_forwarding

_NAMES = tuple(f"h:{number}" for number in range(forwarder.MAX_DELIVERIES + 2))

load_tests = testscenarios.load_tests_apply_scenarios


class _Receiver(http.server.BaseHTTPRequestHandler):
    """Takes all that comes."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_POST  # noqa: N815 - http.server names it

    def log_message(self, *words: object) -> None:
        """Say nothing."""


class _Slow(http.server.BaseHTTPRequestHandler):
    """Answers once the other host was reached, or after a while.

    :cvar reached: whether it was, at each request
    """

    other: typing.ClassVar[threading.Event]
    reached: typing.ClassVar[list[bool]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        # Shorter than whoever sends waits for an answer.
        self.reached.append(self.other.wait(4))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_POST  # noqa: N815 - http.server names it

    def log_message(self, *words: object) -> None:
        """Say nothing."""


class ForwarderTest(base.TestCase):
    # On SQLite nothing is written beside another write.
    scenarios = tuple(
        each for each in databases.SCENARIOS if each[0] != "SQLite"
    )

    def setUp(self) -> None:
        super().setUp()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Receiver)
        self.host = f"127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.other = self.connect()
        self.forwarder = forwarder.Forwarder(
            self.database,
            dependencies.Settings(forward_hosts=("127.0.0.1", *_NAMES)),
            ids.WorkerId("worker"),
            clock.SystemClock(),
            self.send_here,
        )
        self.sent: list[model.Signal] = []
        self.result = sender.DeliveryResult.TAKEN

    def send_here(
        self, address: model.Address, signal: model.Signal
    ) -> sender.Answer:
        """Deliver a signal for a stack of this installation."""
        self.sent.append(signal)
        return sender.Answer(self.result)

    def store(self) -> model.Address:
        value = test_forwarding.make_address(
            new_address=f"http://{self.host}/",
            host=self.host,
            created_at=clock.SystemClock().now(),
        )
        with self.database.write() as conn:
            forwarding.insert(conn, [value])
        return value

    def store_signal(self, address: model.Address) -> None:
        """Let another worker take a signal in."""
        deps = types.SimpleNamespace(settings=dependencies.Settings())
        with self.other.write() as conn:
            pending_signals.save_signal(
                deps, conn, address, None, pending_signals.Arrival()
            )

    def read(self, address: model.Address) -> model.Address:
        with self.database.read() as conn:
            found = forwarding.find(conn, address.resource_id)
        assert found is not None
        return found

    def before_the_lock(self, act: typing.Callable[[], None]) -> None:
        """Act once, before an address is locked the next time."""
        acts = [act]

        def look(conn, cursor, statement: str, *more: object) -> None:
            if acts and "FOR UPDATE" in statement:
                acts.pop()()

        event.listen(sa.Engine, "before_cursor_execute", look)
        self.addCleanup(event.remove, sa.Engine, "before_cursor_execute", look)

    def step(self) -> None:
        """Let the hosts that are due have their turns."""
        self.forwarder.step()
        self.assertIs(True, self.forwarder.finish(20))

    def test_what_comes_while_one_is_passed_on_is_next(self) -> None:
        address = self.store()
        self.store_signal(address)
        due_at = self.read(address).next_at
        self.before_the_lock(lambda: self.store_signal(address))

        self.step()

        left = self.read(address)
        self.assertIsInstance(due_at, float)
        self.assertEqual((1, due_at), (left.waiting, left.next_at))
        self.step()
        left = self.read(address)
        self.assertEqual((0, None), (left.waiting, left.next_at))

    def test_what_comes_as_nothing_is_found_is_next(self) -> None:
        address = self.store()
        with self.database.write() as conn:
            now = clock.Timestamp(functions.read_clock(conn))
            forwarding.update(conn, address, next_at=now)
        self.before_the_lock(lambda: self.store_signal(address))

        self.step()

        left = self.read(address)
        self.assertEqual((1, now), (left.waiting, left.next_at))

    def serve(self, handler: type[http.server.BaseHTTPRequestHandler]) -> str:
        """Return the host of a further server."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        return f"127.0.0.1:{server.server_address[1]}"

    def store_at(self, host: str, name: str = "") -> model.Address:
        """Return an address at which a signal waits.

        :param name: by which the host is known
        """
        value = test_forwarding.make_address(
            new_address=f"http://{host}/",
            host=name or host,
            created_at=clock.SystemClock().now(),
        )
        with self.database.write() as conn:
            forwarding.insert(conn, [value])
        self.store_signal(value)
        return value

    def test_a_slow_host_holds_up_no_other(self) -> None:
        _Slow.other, _Slow.reached = threading.Event(), []

        class Fast(_Receiver):
            def do_POST(self) -> None:
                _Slow.other.set()
                super().do_POST()

            do_PUT = do_POST  # noqa: N815 - http.server names it

        slow, fast = self.serve(_Slow), self.serve(Fast)
        addresses = [self.store_at(host) for host in (slow, fast)]

        self.step()

        self.assertEqual([True], _Slow.reached)
        self.assertEqual(
            [0, 0], [self.read(each).waiting for each in addresses]
        )

    def taken_over(self) -> model.Address:
        """Return an address of a stack that is taken over, with a signal."""
        value = test_forwarding.make_address(
            created_at=clock.SystemClock().now()
        )
        with self.database.write() as conn:
            forwarding.insert(conn, [value])
        self.store_signal(value)
        self.assertIsNone(self.read(value).next_at)
        with self.database.write() as conn:
            forwarding.save_successor(
                conn, value.origin_id, ids.StackId(ids.new())
            )
        return value

    def test_what_waits_is_due_once_a_stack_is_taken_over(self) -> None:
        address = self.taken_over()

        self.step()
        self.store_signal(address)
        self.step()

        self.assertEqual([1, 2], [each.number for each in self.sent])
        left = self.read(address)
        self.assertEqual((0, None), (left.waiting, left.next_at))

    def test_no_attempt_here_is_put_off_for_long(self) -> None:
        self.result = sender.DeliveryResult.NOT_NOW
        address = self.taken_over()
        with self.database.write() as conn:
            forwarding.update(conn, address, attempts=8)

        self.step()

        next_at = self.read(address).next_at
        assert next_at is not None
        self.assertLess(next_at - clock.SystemClock().now(), 16)

    def test_only_so_many_are_served_at_once(self) -> None:
        addresses = [self.store_at(self.host, name) for name in _NAMES]

        self.step()
        left = sum(self.read(each).waiting for each in addresses)
        self.step()

        self.assertEqual(2, left)
        self.assertEqual(0, sum(self.read(each).waiting for each in addresses))
