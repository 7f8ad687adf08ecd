"""The RPC floor over a real RabbitMQ, and what happens when it goes."""

import threading
import time

import fixtures
import kombu
import oslo_messaging as messaging
from falcon import testing
from oslo_config import cfg

from orch import errors
from orch.api import app
from orch.api import settings
from orch.context import request
from orch.rpc import broker
from orch.rpc import contract
from orch.rpc import server
from orch.rpc import transport
from tests import base
from tests.support import broker as own_broker
from tests.support import proxy
from tests.support import rabbit
from tests.support import waiting


class Endpoint:
    target = messaging.Target(namespace="stack", version="1.0")

    def __init__(self) -> None:
        self.shown: list[str] = []

    def show(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> dict[str, object]:
        self.shown.append(stack_id)
        return {"id": stack_id, "user": ctxt.user_name}

    def list(
        self, ctxt: request.RequestContext, *, query: dict[str, object]
    ) -> list[dict[str, object]]:
        return []

    def lose(self, ctxt: request.RequestContext) -> None:
        raise errors.NotFound("no such stack", [errors.Problem("p", "a")])

    def crash(self, ctxt: request.RequestContext) -> None:
        raise ValueError("a secret")


class Freezing:
    """Lets the broker stand still behind the first answer, late as it is."""

    def __init__(self, caller: transport.Caller, way: proxy.Proxy) -> None:
        self._caller = caller
        self._way = way
        self._is_first = True

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        found = self._caller.call(ctxt, namespace, method, **kwargs)
        if self._is_first:
            self._is_first = False
            assert ctxt.waiting is not None
            ctxt.waiting.spent_s += 899.0
            self._way.freeze()
        return found

    cast = broadcast = call


class RabbitTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.host = self.useFixture(rabbit.VirtualHost())
        self.proxy = self.useFixture(proxy.Proxy(rabbit.HOST, rabbit.PORT))
        self.url = self.host.url(self.proxy.port)
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])
        self.context = request.RequestContext(user_name="ann")
        # Let no clean-up wait for a broker that a test has switched off.
        self.addCleanup(self._restore)

    def _restore(self) -> None:
        self.proxy.cut()
        self.proxy.restore()

    def build(self) -> transport.Transport:
        built = transport.build_transport(self.conf, self.url)
        self.addCleanup(built.cleanup)
        return built

    def serve(self) -> server.Server:
        self.endpoint = Endpoint()
        served = server.build_server(
            self.build(), "worker", [self.endpoint], 2
        )
        served.serve()
        self.addCleanup(served.stop)
        return served

    def caller(self, timeout_s: float = 20) -> transport.Caller:
        return transport.Caller(self.build(), timeout_s)

    def show(self, caller: transport.Caller) -> object:
        return caller.call(self.context, "stack", "show", stack_id="s1")

    def show_within(self, caller: transport.Caller, limit_s: float) -> object:
        """Return the answer that comes once all have found each other."""
        end = time.monotonic() + limit_s
        while True:
            try:
                return self.show(caller)
            except errors.Unavailable:
                self.assertLess(time.monotonic(), end, "no recovery")
                time.sleep(0.1)


class CallTest(RabbitTest):
    def test_answers_and_errors_travel(self) -> None:
        self.serve()
        caller = self.caller()

        self.assertEqual({"id": "s1", "user": "ann"}, self.show(caller))
        lost = self.assertRaises(
            errors.NotFound, caller.call, self.context, "stack", "lose"
        )
        self.assertEqual((errors.Problem("p", "a"),), lost.problems)
        crashed = self.assertRaises(
            errors.OrchError, caller.call, self.context, "stack", "crash"
        )
        self.assertEqual("orch.internal", crashed.code)
        self.assertNotIn("secret", str(crashed))

    def test_where_no_worker_ever_was_the_caller_hears_at_once(self) -> None:
        caller = self.caller()
        begun = time.monotonic()

        self.assertRaises(errors.Unavailable, self.show, caller)
        self.assertLess(time.monotonic() - begun, 5)

    def test_a_worker_that_is_gone_is_unavailable_in_time(self) -> None:
        self.serve().stop()
        caller = self.caller(timeout_s=1)
        begun = time.monotonic()

        self.assertRaises(errors.Unavailable, self.show, caller)
        self.assertLess(time.monotonic() - begun, 5)


class Waiting:
    """Answers with the name of its worker, once it may."""

    target = messaging.Target(namespace="stack", version="1.0")

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.is_called = threading.Event()
        self.may_answer = threading.Event()

    def show(self, ctxt: request.RequestContext, *, stack_id: str) -> str:
        self.is_called.set()
        self.may_answer.wait(30)
        return self.worker


class StopTest(RabbitTest):
    def test_a_worker_that_stops_leaves_requests_to_the_others(self) -> None:
        leaving, other = Waiting("leaving"), Waiting("other")
        other.may_answer.set()
        built = self.build()
        served = server.build_server(built, "a", [leaving], 2)
        served.serve()
        caller = self.caller(timeout_s=10)
        answers: list[object] = []
        slow = threading.Thread(
            target=lambda: answers.append(self.show(caller))
        )
        slow.start()
        self.assertTrue(leaving.is_called.wait(10))
        beside = server.build_server(self.build(), "b", [other], 2)
        beside.serve()
        self.addCleanup(beside.stop)
        stopping = threading.Thread(target=served.stop, args=(20,))
        stopping.start()

        def consumers() -> list[int]:
            found = built.broker.find_queues([contract.TOPIC])
            return [queue.consumers for queue in found]

        waiting.wait_for(lambda: consumers() == [1], "one consumer less")
        found = [self.show(caller) for _ in range(20)]

        self.assertEqual(["other"] * 20, found)
        self.assertTrue(stopping.is_alive())
        leaving.may_answer.set()
        slow.join(10)
        stopping.join(10)
        self.assertEqual(["leaving"], answers)


class OutageTest(RabbitTest):
    def test_both_sides_recover_from_a_broker_that_forgot_all(self) -> None:
        self.serve()
        caller = self.caller()
        self.show(caller)

        self.proxy.cut()
        self.host.forget_everything()
        begun = time.monotonic()
        self.assertRaises(errors.Unavailable, self.show, caller)
        self.assertLess(time.monotonic() - begun, 20)
        self.proxy.restore()

        self.assertEqual(
            {"id": "s1", "user": "ann"}, self.show_within(caller, 20)
        )

    def test_a_first_call_without_a_broker_does_not_hang(self) -> None:
        self.proxy.cut()
        caller = self.caller()
        begun = time.monotonic()
        self.assertRaises(errors.Unavailable, self.show, caller)
        self.assertLess(time.monotonic() - begun, 5)
        self.proxy.restore()
        self.serve()

        self.assertEqual(
            {"id": "s1", "user": "ann"}, self.show_within(caller, 10)
        )

    def test_a_server_started_without_a_broker_serves_later(self) -> None:
        self.proxy.cut()
        self.serve()
        self.proxy.restore()

        self.assertEqual(
            {"id": "s1", "user": "ann"}, self.show_within(self.caller(), 15)
        )

    def test_a_server_stops_in_time_while_the_broker_is_away(self) -> None:
        served = self.serve()
        self.proxy.cut()
        begun = time.monotonic()
        served.stop(2)

        self.assertLess(time.monotonic() - begun, 5)


class FreezeTest(RabbitTest):
    """The broker, or the way to it, stands still: no connection ends."""

    def setUp(self) -> None:
        super().setUp()
        # What serves has a way of its own.
        url, self.url = self.url, self.host.url()
        self.served = self.serve()
        self.url = url

    def ask(
        self, caller: transport.Caller, stack_id: str, kind: str = "call"
    ) -> str:
        """Return why there was no answer, once the caller hears it."""
        heard: list[str] = []

        def call() -> None:
            try:
                send = getattr(caller, kind)
                send(self.context, "stack", "show", stack_id=stack_id)
                heard.append("it was answered")
            except errors.Unavailable as error:
                heard.append(error.message)

        asking = threading.Thread(target=call, daemon=True)
        asking.start()
        asking.join(60)
        return "".join(heard)

    def test_a_call_ends_in_time(self) -> None:
        caller = self.caller(timeout_s=2)
        self.show(caller)
        self.proxy.freeze()

        for _ in range(2):
            self.assertEqual(
                "the message broker did not answer within 2 seconds",
                self.ask(caller, "s2"),
            )

        self.proxy.thaw()
        self.show_within(caller, 30)

    def test_calls_of_one_request_share_its_time(self) -> None:
        caller = self.caller(timeout_s=900)
        self.context.waiting = waiting_for = request.CallWaiting()
        self.show(caller)
        self.assertGreater(waiting_for.spent_s, 0)
        self.proxy.freeze()
        self.addCleanup(self.proxy.thaw)
        # All but a second of its time is over.
        waiting_for.spent_s = 899.0

        self.assertEqual(
            "the message broker did not answer within 900 seconds",
            self.ask(caller, "s2"),
        )
        self.assertGreaterEqual(waiting_for.spent_s, 900)

    def test_without_time_that_is_left_nobody_is_asked(self) -> None:
        caller = self.caller(timeout_s=2)
        self.context.waiting = request.CallWaiting(2.0)

        for kind in ("call", "cast"):
            self.assertIn(
                "this request has waited for 2 seconds",
                self.ask(caller, "never", kind),
            )

        self.context.waiting = None
        self.show(caller)
        self.assertTrue(self.served.stop(30))
        self.assertEqual(["s1"], self.endpoint.shown)

    def test_the_api_lets_the_calls_of_a_request_share_its_time(self) -> None:
        caller = self.caller(timeout_s=900)
        self.show(caller)
        client = testing.TestClient(
            app.build_app(Freezing(caller, self.proxy), settings.Settings())
        )
        self.addCleanup(self.proxy.thaw)
        answers: list[testing.Result] = []

        def ask() -> None:
            answers.append(
                client.simulate_get("/v1/demo/stacks?with_count=true")
            )

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(60)

        self.assertEqual([503], [each.status_code for each in answers])
        self.assertIn("did not answer", answers[0].text)
        # The next request has time of its own.
        self.proxy.thaw()
        waiting.wait_for(
            lambda: client.simulate_get("/v1/demo/stacks").status_code == 200,
            "an answer once the broker goes on",
            60,
        )

    def test_a_hint_is_given_up_earlier_than_a_call(self) -> None:
        self.useFixture(fixtures.MonkeyPatch("orch.rpc.transport._CAST_S", 1))
        caller = self.caller(timeout_s=50)
        self.show(caller)
        self.proxy.freeze()
        self.addCleanup(self.proxy.thaw)

        error = self.assertRaises(
            errors.Unavailable,
            caller.cast,
            self.context,
            "stack",
            "show",
            stack_id="s2",
        )

        self.assertIn("within 1 seconds", error.message)

    def test_a_first_call_ends_in_time_and_is_not_made_later(self) -> None:
        caller = self.caller(timeout_s=2)
        # It was there a moment ago, and does not stand still but is gone:
        # for that the library waits for ever.
        with fixtures.MonkeyPatch(
            "orch.rpc.broker.Broker.is_reachable", lambda *_: True
        ):
            self.proxy.cut()
            for kind in ("cast", "call"):
                self.assertIn(
                    "the message broker", self.ask(caller, "late", kind)
                )

        self.proxy.restore()
        # Those left behind send what they have to send, and it is served
        # before this worker ends.
        threads = caller._threads
        waiting.wait_for(
            lambda: len(threads._idle) == threads._count,
            "the end of the calls left behind",
            60,
        )
        self.show_within(caller, 30)
        self.assertTrue(self.served.stop(30))
        self.assertEqual({"s1"}, set(self.endpoint.shown))


class BrokerTest(RabbitTest):
    def setUp(self) -> None:
        super().setUp()
        self.broker = self.build().broker

    def test_queues_are_shown_with_what_waits_in_them(self) -> None:
        self.serve().stop()
        with kombu.Connection(self._kombu_url()) as connection:
            connection.Producer().publish("waits", routing_key=contract.TOPIC)

        self.assertEqual(
            [broker.Queue(contract.TOPIC, 1, 0)],
            self._settled(contract.TOPIC, "missing"),
        )

    def test_a_purge_tells_how_much_it_threw_away(self) -> None:
        self.test_queues_are_shown_with_what_waits_in_them()

        self.assertEqual(1, self.broker.purge(contract.TOPIC))
        self.assertEqual(
            [broker.Queue(contract.TOPIC, 0, 0)],
            self.broker.find_queues([contract.TOPIC]),
        )

    def test_a_missing_queue_cannot_be_purged(self) -> None:
        self.assertRaises(errors.NotFound, self.broker.purge, "missing")

    def test_the_probe_follows_the_broker(self) -> None:
        self.assertTrue(self.broker.is_reachable())
        self.proxy.cut()
        self.assertFalse(self.broker.is_reachable())
        self.assertRaises(
            errors.Unavailable, self.broker.find_queues, [contract.TOPIC]
        )
        self.assertRaises(
            errors.Unavailable, self.broker.purge, contract.TOPIC
        )
        self.proxy.restore()
        self.assertTrue(self.broker.is_reachable())

    def test_a_wrong_password_is_not_reachable(self) -> None:
        url = self.url.replace("guest:guest", "guest:wrong")
        built = transport.build_transport(self.conf, url)

        self.assertFalse(built.broker.is_reachable())

    def test_a_missing_virtual_host_is_not_reachable(self) -> None:
        built = transport.build_transport(self.conf, self.url + "-missing")

        self.assertFalse(built.broker.is_reachable())

    def _kombu_url(self) -> str:
        return self.url.replace("rabbit://", "amqp://")

    def _settled(self, *names: str) -> list[broker.Queue]:
        end = time.monotonic() + 10
        while True:
            found = self.broker.find_queues(names)
            if any(each.messages for each in found):
                return found
            self.assertLess(time.monotonic(), end, f"nothing in {found}")
            time.sleep(0.05)


class LoadTest(RabbitTest):
    def test_callers_on_many_threads_get_their_own_answers(self) -> None:
        self.serve()
        caller = self.caller()
        wrong: list[object] = []

        def ask(number: int) -> None:
            for count in range(20):
                asked = f"{number}-{count}"
                answer = caller.call(
                    self.context, "stack", "show", stack_id=asked
                )
                if answer != {"id": asked, "user": "ann"}:
                    wrong.append(answer)

        threads = [
            threading.Thread(target=ask, args=(number,)) for number in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        self.assertEqual([], wrong)


class RestartTest(base.TestCase):
    """A node of our own, killed and started again: nothing is faked."""

    limit_s = 180

    def test_both_sides_recover_from_a_killed_broker(self) -> None:
        node = self.useFixture(own_broker.Broker())
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        context = request.RequestContext(user_name="ann")
        serving = transport.build_transport(conf, node.url)
        calling = transport.build_transport(conf, node.url)
        served = server.build_server(serving, "worker", [Endpoint()], 2)
        served.serve()
        self.addCleanup(served.stop, 2)
        caller = transport.Caller(calling, 20)
        caller.call(context, "stack", "show", stack_id="s1")

        node.kill()
        begun = time.monotonic()
        self.assertRaises(
            errors.Unavailable,
            caller.call,
            context,
            "stack",
            "show",
            stack_id="s1",
        )
        self.assertLess(time.monotonic() - begun, 20)
        node.start()

        end = time.monotonic() + 30
        while True:
            try:
                caller.call(context, "stack", "show", stack_id="s1")
                return
            except errors.Unavailable:
                self.assertLess(time.monotonic(), end, "no recovery")
                time.sleep(0.2)
