import threading
import time
import uuid

import fixtures
import oslo_messaging as messaging
from oslo_config import cfg
from oslo_messaging.rpc import server as oslo_server

from orch.context import request
from orch.rpc import options
from orch.rpc import server
from orch.rpc import transport
from tests import base
from tests.support import waiting


class Endpoint:
    target = messaging.Target(namespace="stack", version="1.0")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = 0
        self.max_at_once = 0
        self.ended = 0

    def work(self, ctxt: object) -> None:
        with self.lock:
            self.now += 1
            self.max_at_once = max(self.max_at_once, self.now)
        time.sleep(0.02)
        with self.lock:
            self.now -= 1
            self.ended += 1


class LateBroker:
    """A broker that comes after a while."""

    def __init__(self) -> None:
        self.attempts = 0

    def is_reachable(self, timeout_s: float = 0) -> bool:
        self.attempts += 1
        return self.attempts > 2


class ServerTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])
        options.register_options(self.conf)
        self.url = f"orch-inproc:///{uuid.uuid4().hex}"
        self.transport = transport.build_transport(self.conf, self.url)
        self.addCleanup(self.transport.cleanup)
        self.context = request.RequestContext()
        self.endpoint = Endpoint()

    def build(self) -> server.Server:
        return server.build_server(
            self.transport, "worker", [self.endpoint], 3
        )

    def test_no_more_calls_run_at_once_than_allowed(self) -> None:
        served = self.build()
        served.serve()
        caller = transport.Caller(self.transport, 30)
        threads = [
            threading.Thread(
                target=caller.call, args=(self.context, "stack", "work")
            )
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        served.stop()

        self.assertEqual(
            (6, 2), (self.endpoint.ended, self.endpoint.max_at_once)
        )

    def test_stopping_lets_a_call_end(self) -> None:
        served = self.build()
        served.serve()
        transport.Caller(self.transport, 30).cast(
            self.context, "stack", "work"
        )
        end = time.monotonic() + 10
        while not self.endpoint.now and time.monotonic() < end:
            time.sleep(0.001)

        self.assertTrue(served.stop())
        self.assertEqual(1, self.endpoint.ended)

    def test_a_server_that_never_served_can_be_stopped(self) -> None:
        self.assertTrue(self.build().stop())

    def test_a_server_waits_for_its_broker_without_blocking(self) -> None:
        self.useFixture(fixtures.MonkeyPatch("orch.rpc.server._RETRY_S", 0.01))
        self.transport.broker = LateBroker()  # type: ignore[assignment]
        served = self.build()
        begun = time.monotonic()
        served.serve()
        self.assertLess(time.monotonic() - begun, 5)
        caller = transport.Caller(
            transport.build_transport(self.conf, self.url), timeout_s=30
        )
        end = time.monotonic() + 10
        while self.endpoint.ended == 0 and time.monotonic() < end:
            try:
                caller.call(self.context, "stack", "work")
            except Exception:
                time.sleep(0.005)
        served.stop()

        self.assertEqual(1, self.endpoint.ended)

    def test_a_server_that_waits_for_its_broker_can_be_stopped(self) -> None:
        self.transport.broker = LateBroker()  # type: ignore[assignment]
        served = self.build()
        served.serve()

        self.assertTrue(served.stop(10))

    def test_a_server_that_could_not_listen_at_first_serves(self) -> None:
        """What it says in the log then is true."""
        listen = oslo_server.RPCServer._create_listener
        failing = [messaging.MessageDeliveryFailure("reset")]

        def fail_once(one: oslo_server.RPCServer) -> object:
            if failing:
                raise failing.pop()
            return listen(one)

        for name, value in (
            ("orch.rpc.server._RETRY_S", 0.01),
            (
                "oslo_messaging.rpc.server.RPCServer._create_listener",
                fail_once,
            ),
        ):
            self.useFixture(fixtures.MonkeyPatch(name, value))
        log = self.useFixture(fixtures.FakeLogger())
        self.transport.broker = LateBroker()  # type: ignore[assignment]
        served = self.build()
        self.addCleanup(served.stop)
        served.serve()
        waiting.wait_for(
            lambda: "calls are served again" in log.output, "relief"
        )

        transport.Caller(
            transport.build_transport(self.conf, self.url), timeout_s=30
        ).call(self.context, "stack", "work")

        self.assertEqual(1, self.endpoint.ended)

    def test_a_stop_gives_up_on_a_library_that_hangs(self) -> None:
        hung = threading.Event()
        self.addCleanup(hung.set)
        self.useFixture(
            fixtures.MonkeyPatch(
                "oslo_messaging.rpc.server.RPCServer.wait",
                lambda _: hung.wait(),
            )
        )
        served = self.build()
        served.serve()

        self.assertFalse(served.stop(0.05))

    def test_a_ping_is_answered_where_the_operator_wants(self) -> None:
        self.conf.set_override("rpc_ping_enabled", True)
        served = self.build()
        served.serve()
        self.addCleanup(served.stop)
        client = messaging.get_rpc_client(
            self.transport, messaging.Target(topic="orch-engine"), timeout=30
        )

        self.assertEqual("pong", client.call({}, "oslo_rpc_server_ping"))
