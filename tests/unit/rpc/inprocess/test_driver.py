import collections.abc
import threading
import time
import uuid

import oslo_messaging as messaging
from oslo_config import cfg

from orch.rpc import options
from orch.rpc.inprocess import bus
from tests import base

_TOPIC = "topic"


class Endpoint:
    """Answers calls, and keeps what it was told."""

    target = messaging.Target(namespace="noun", version="1.0")

    def __init__(self) -> None:
        self.notified: list[object] = []

    def echo(self, ctxt: dict[str, object], value: object) -> object:
        return {"ctxt": ctxt, "value": value}

    def fail(self, ctxt: dict[str, object]) -> None:
        raise KeyError("because")

    def notify(self, ctxt: dict[str, object], value: object) -> None:
        self.notified.append(value)

    def sleep(self, ctxt: dict[str, object], seconds: float) -> str:
        time.sleep(seconds)
        return "slept"


class InprocTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])
        options.register_options(self.conf)
        self.url = f"orch-inproc:///{uuid.uuid4().hex}"

    def transport(self, url: str | None = None) -> messaging.Transport:
        transport = messaging.get_rpc_transport(self.conf, url or self.url)
        self.addCleanup(transport.cleanup)
        return transport

    def serve(self, endpoint: object, server: str = "server") -> object:
        served = messaging.get_rpc_server(
            self.transport(),
            messaging.Target(topic=_TOPIC, server=server),
            [endpoint],
        )
        served.start(override_pool_size=4)
        self.addCleanup(served.stop)
        return served

    def client(self, **how: object) -> messaging.RPCClient:
        target = messaging.Target(
            topic=_TOPIC, namespace="noun", version="1.0"
        )
        how.setdefault("timeout", 30)
        return messaging.get_rpc_client(self.transport(), target, **how)

    def until(self, condition: collections.abc.Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), end, "waited too long")
            time.sleep(0.002)


class CallTest(InprocTest):
    def test_a_call_is_answered(self) -> None:
        self.serve(Endpoint())

        answer = self.client().call({"a": 1}, "echo", value=[1, {"b": None}])

        self.assertEqual({"ctxt": {"a": 1}, "value": [1, {"b": None}]}, answer)

    def test_a_caller_shares_no_object_with_its_server(self) -> None:
        endpoint = Endpoint()
        self.serve(endpoint)
        sent = {"a": 1}

        self.client().call({}, "notify", value=sent)
        sent["a"] = 2

        self.assertEqual([{"a": 1}], endpoint.notified)

    def test_a_builtin_exception_arrives_as_itself(self) -> None:
        self.serve(Endpoint())

        error = self.assertRaises(KeyError, self.client().call, {}, "fail")

        self.assertIn("because", str(error))

    def test_a_foreign_exception_arrives_as_remote_error(self) -> None:
        self.serve(Endpoint())

        error = self.assertRaises(
            messaging.RemoteError, self.client().call, {}, "missing"
        )

        self.assertEqual("NoSuchMethod", error.exc_type)

    def test_a_call_without_a_server_times_out(self) -> None:
        self.assertRaises(
            messaging.MessagingTimeout,
            self.client(timeout=0.02).call,
            {},
            "echo",
            value=1,
        )

    def test_a_call_that_must_arrive_is_refused_without_a_server(self) -> None:
        client = self.client(
            transport_options=messaging.TransportOptions(at_least_once=True)
        )

        self.assertRaises(
            messaging.MessageUndeliverable, client.call, {}, "echo", value=1
        )

    def test_a_call_waits_for_a_server_that_comes_back(self) -> None:
        self.serve(Endpoint()).stop()
        answers: list[object] = []
        caller = threading.Thread(
            target=lambda: answers.append(
                self.client().call({}, "echo", value=1)["value"]
            )
        )
        caller.start()
        self.serve(Endpoint())
        caller.join(20)

        self.assertEqual([1], answers)

    def test_a_call_that_expired_is_never_run(self) -> None:
        self.serve(Endpoint()).stop()
        self.assertRaises(
            messaging.MessagingTimeout,
            self.client(timeout=0.01).call,
            {},
            "notify",
            value=1,
        )
        endpoint = Endpoint()
        self.serve(endpoint)
        self.client().call({}, "notify", value=2)

        self.assertEqual([2], endpoint.notified)

    def test_a_long_call_lives_on_by_its_heartbeats(self) -> None:
        self.serve(Endpoint())
        client = self.client(call_monitor_timeout=2)

        # The server beats each second.
        self.assertEqual("slept", client.call({}, "sleep", seconds=2.5))

    def test_the_median_call_takes_less_than_a_millisecond(self) -> None:
        self.serve(Endpoint())
        client = self.client()
        times = []
        for _ in range(300):
            begun = time.perf_counter()
            client.call({}, "echo", value=1)
            times.append(time.perf_counter() - begun)

        self.assertLess(sorted(times)[150], 0.001)

    def test_an_idle_server_uses_no_processor(self) -> None:
        self.serve(Endpoint())
        self.client().call({}, "echo", value=1)
        begun = time.process_time()
        time.sleep(0.5)

        self.assertLess(time.process_time() - begun, 0.01)


class CastTest(InprocTest):
    def test_servers_of_a_topic_share_its_casts(self) -> None:
        endpoints = [Endpoint(), Endpoint()]
        for number, endpoint in enumerate(endpoints):
            self.serve(endpoint, f"server-{number}")
        client = self.client()
        for number in range(40):
            client.cast({}, "notify", value=number)
            self.until(lambda n=number: self._total(endpoints) > n)

        self.assertEqual(
            list(range(40)),
            sorted(value for each in endpoints for value in each.notified),
        )
        for endpoint in endpoints:
            self.assertGreater(len(endpoint.notified), 5)

    def _total(self, endpoints: list[Endpoint]) -> int:
        return sum(len(endpoint.notified) for endpoint in endpoints)

    def test_a_fanout_reaches_every_server(self) -> None:
        endpoints = [Endpoint(), Endpoint()]
        for number, endpoint in enumerate(endpoints):
            self.serve(endpoint, f"server-{number}")
        self.client().prepare(fanout=True).cast({}, "notify", value=1)
        self.until(lambda: self._total(endpoints) == 2)

        self.assertEqual([[1], [1]], [each.notified for each in endpoints])

    def test_a_server_that_is_named_gets_the_cast(self) -> None:
        endpoints = [Endpoint(), Endpoint()]
        for number, endpoint in enumerate(endpoints):
            self.serve(endpoint, f"server-{number}")
        client = self.client().prepare(server="server-1")
        for _ in range(5):
            client.cast({}, "notify", value=1)
        self.until(lambda: self._total(endpoints) == 5)

        self.assertEqual([[], [1] * 5], [each.notified for each in endpoints])


class BusTest(InprocTest):
    def test_another_path_is_another_bus(self) -> None:
        self.serve(Endpoint())
        target = messaging.Target(topic=_TOPIC)
        client = messaging.get_rpc_client(
            self.transport(f"{self.url}-other"), target, timeout=0.02
        )

        self.assertRaises(
            messaging.MessagingTimeout, client.call, {}, "echo", value=1
        )

    def test_a_bus_ends_with_its_last_transport(self) -> None:
        one, other = self.transport(), self.transport()
        target = messaging.Target(topic="gone", server="server")
        messaging.get_rpc_server(one, target, [Endpoint()]).start()
        one.cleanup()
        kept = messaging.get_rpc_client(
            other,
            messaging.Target(topic="gone", namespace="noun", version="1.0"),
        )
        self.assertEqual(
            1, kept.prepare(timeout=30).call({}, "echo", value=1)["value"]
        )


class Consumer:
    """Keeps the notifications of two priorities."""

    def __init__(self) -> None:
        self.got: list[tuple[str, object]] = []
        self.refuse = 0

    def info(self, *said: object) -> object:
        return self._note("info", *said)

    def error(self, *said: object) -> object:
        return self._note("error", *said)

    def _note(
        self,
        priority: str,
        ctxt: object,
        publisher_id: str,
        event_type: str,
        payload: object,
        metadata: object,
    ) -> object:
        if self.refuse:
            self.refuse -= 1
            return messaging.NotificationResult.REQUEUE
        self.got.append((priority, payload))
        return messaging.NotificationResult.HANDLED


class NotificationTest(InprocTest):
    def setUp(self) -> None:
        super().setUp()
        self.notifier = messaging.Notifier(
            self.notification_transport(),
            publisher_id="me",
            driver="messagingv2",
            topics=["notifications"],
        )

    def notification_transport(self) -> object:
        transport = messaging.get_notification_transport(self.conf, self.url)
        self.addCleanup(transport.cleanup)
        return transport

    def listen(self, consumer: Consumer, pool: str | None = None) -> object:
        listener = messaging.get_notification_listener(
            self.notification_transport(),
            [messaging.Target(topic="notifications")],
            [consumer],
            allow_requeue=True,
            pool=pool,
        )
        listener.start(override_pool_size=1)
        self.addCleanup(listener.stop)
        return listener

    def test_a_listener_gets_all_priorities(self) -> None:
        consumer = Consumer()
        self.listen(consumer)
        self.notifier.info({}, "a.start", {"n": 1})
        self.notifier.error({}, "a.error", {"n": 2})
        self.until(lambda: len(consumer.got) == 2)

        self.assertEqual(
            [("error", {"n": 2}), ("info", {"n": 1})], sorted(consumer.got)
        )

    def test_a_notification_waits_for_a_listener(self) -> None:
        self.notifier.info({}, "a.start", {"n": 1})
        consumer = Consumer()
        self.listen(consumer)
        self.until(lambda: bool(consumer.got))

        self.assertEqual([("info", {"n": 1})], consumer.got)

    def test_what_nobody_wants_does_not_pile_up(self) -> None:
        for number in range(bus.MAX_NOTIFICATIONS + 5):
            self.notifier.info({}, "a.start", {"n": number})
        consumer = Consumer()
        self.listen(consumer)
        self.until(lambda: len(consumer.got) >= bus.MAX_NOTIFICATIONS)

        self.assertEqual(("info", {"n": 5}), consumer.got[0])

    def test_each_pool_gets_a_copy_and_shares_it(self) -> None:
        consumers = {
            name: Consumer() for name in ("search", "search ", "billing")
        }
        for name, consumer in consumers.items():
            self.listen(consumer, name.strip())
        for number in range(6):
            self.notifier.info({}, "a.start", {"n": number})

        def count(name: str) -> int:
            return sum(
                len(each.got)
                for key, each in consumers.items()
                if key.strip() == name
            )

        self.until(lambda: count("search") + count("billing") == 12)

        self.assertEqual((6, 6), (count("search"), count("billing")))

    def test_a_refused_notification_comes_again(self) -> None:
        consumer = Consumer()
        consumer.refuse = 2
        self.listen(consumer)
        self.notifier.info({}, "a.start", {"n": 1})
        self.until(lambda: bool(consumer.got))

        self.assertEqual([("info", {"n": 1})], consumer.got)

    def test_a_batch_listener_gets_many_at_once(self) -> None:
        batches: list[int] = []

        class Batches:
            def info(self, messages: list[object]) -> None:
                batches.append(len(messages))

        for number in range(4):
            self.notifier.info({}, "a.start", {"n": number})
        listener = messaging.get_batch_notification_listener(
            self.notification_transport(),
            [messaging.Target(topic="notifications")],
            [Batches()],
            batch_size=3,
            batch_timeout=0.05,
        )
        listener.start()
        self.addCleanup(listener.stop)
        self.until(lambda: sum(batches) == 4)

        self.assertEqual([3, 1], batches)
