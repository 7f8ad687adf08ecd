import time
import uuid

import fixtures
import oslo_messaging as messaging
from oslo_config import cfg

from orch import errors
from orch.context import request
from orch.rpc import bounded_threads
from orch.rpc import server
from orch.rpc import transport
from tests import base
from tests.support import ports


class Endpoint:
    target = messaging.Target(namespace="stack", version="1.0")

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.outdated = 0

    def show(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> dict[str, object]:
        return {"id": stack_id, "user": ctxt.user_name}

    def lose(self, ctxt: request.RequestContext) -> None:
        raise errors.NotFound("no such stack", [errors.Problem("p", "a")])

    def crash(self, ctxt: request.RequestContext) -> None:
        raise ValueError("a secret")

    def sleep(self, ctxt: request.RequestContext) -> None:
        time.sleep(0.2)

    def judge(self, ctxt: request.RequestContext) -> int:
        self.outdated -= 1
        if self.outdated >= 0:
            raise errors.AskAnother("others have the plug-ins")
        return self.outdated

    def run(self, ctxt: request.RequestContext, *, operation_id: str) -> None:
        self.ran.append(operation_id)


class Lost:
    """A client whose calls get no answer."""

    def call(self, *_: object) -> None:
        raise messaging.MessagingTimeout


class CallerTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])
        self.url = f"orch-inproc:///{uuid.uuid4().hex}"
        self.context = request.RequestContext(user_name="ann")
        self.endpoint = Endpoint()

    def build(self) -> transport.Transport:
        built = transport.build_transport(self.conf, self.url)
        self.addCleanup(built.cleanup)
        return built

    def serve(self) -> None:
        served = server.build_server(
            self.build(), "worker", [self.endpoint], 2
        )
        served.serve()
        self.addCleanup(served.stop)

    def caller(self, timeout_s: float = 30) -> transport.Caller:
        return transport.Caller(self.build(), timeout_s)

    def call(self, method: str, **kwargs: object) -> object:
        return self.caller().call(self.context, "stack", method, **kwargs)

    def test_a_call_brings_the_answer(self) -> None:
        self.serve()

        self.assertEqual(
            {"id": "s1", "user": "ann"}, self.call("show", stack_id="s1")
        )

    def test_where_a_worker_says_so_another_one_is_asked(self) -> None:
        self.serve()
        self.endpoint.outdated = 3

        self.assertEqual(-1, self.call("judge"))

    def test_of_those_no_more_than_five_are_asked(self) -> None:
        self.serve()
        self.endpoint.outdated = 9

        error = self.assertRaises(errors.AskAnother, self.call, "judge")

        self.assertEqual("others have the plug-ins", error.message)
        self.assertEqual(4, self.endpoint.outdated)

    def test_calls_of_one_request_share_its_time(self) -> None:
        self.serve()
        caller = self.caller(900)
        self.context.waiting = spent = request.CallWaiting()
        caller.call(self.context, "stack", "sleep")
        self.assertGreaterEqual(spent.spent_s, 0.2)

        spent.spent_s = 899.95
        for words in ("within 900 seconds", "as long as it may"):
            error = self.assertRaises(
                errors.Unavailable, caller.call, self.context, "stack", "sleep"
            )
            self.assertIn(words, error.message)

    def test_what_fails_has_waited_too(self) -> None:
        self.serve()
        self.context.waiting = spent = request.CallWaiting()

        self.assertRaises(errors.NotFound, self.call, "lose")

        self.assertGreater(spent.spent_s, 0)

    def test_where_too_much_hangs_the_caller_hears_that(self) -> None:
        self.serve()
        built = self.build()
        built.broker.is_external = True
        caller = transport.Caller(built, 50)
        caller._threads = bounded_threads.Threads("full", limit=0)

        error = self.assertRaises(
            errors.Unavailable,
            caller.call,
            self.context,
            "stack",
            "show",
            stack_id="s1",
        )

        self.assertEqual(
            "too many calls wait for the message broker, 256; ask again once"
            " it answers",
            error.message,
        )

    def test_a_cast_is_run(self) -> None:
        self.serve()
        self.caller().cast(self.context, "stack", "run", operation_id="o1")
        self.call("show", stack_id="s1")
        end = time.monotonic() + 10
        while not self.endpoint.ran and time.monotonic() < end:
            time.sleep(0.002)

        self.assertEqual(["o1"], self.endpoint.ran)

    def test_a_refusal_arrives_with_its_problems(self) -> None:
        self.serve()

        error = self.assertRaises(errors.NotFound, self.call, "lose")

        self.assertEqual("no such stack", error.message)
        self.assertEqual((errors.Problem("p", "a"),), error.problems)

    def test_a_crash_arrives_without_its_text(self) -> None:
        self.serve()

        error = self.assertRaises(errors.OrchError, self.call, "crash")

        self.assertEqual("orch.internal", error.code)
        self.assertNotIn("secret", str(error))
        self.assertIsNone(error.__cause__)
        self.assertTrue(error.__suppress_context__)

    def test_wrong_arguments_are_an_internal_error(self) -> None:
        self.serve()

        error = self.assertRaises(errors.OrchError, self.call, "show", x=1)

        self.assertEqual("orch.internal", error.code)

    def test_an_unknown_method_is_an_internal_error(self) -> None:
        self.serve()

        error = self.assertRaises(errors.OrchError, self.call, "missing")

        self.assertEqual("orch.internal", error.code)

    def test_without_a_worker_a_call_is_unavailable(self) -> None:
        self.assertRaises(errors.Unavailable, self.call, "show")

    def test_without_a_worker_a_cast_is_unavailable(self) -> None:
        self.assertRaises(
            errors.Unavailable,
            self.caller().cast,
            self.context,
            "stack",
            "run",
            operation_id="o1",
        )

    def test_a_late_answer_is_unavailable(self) -> None:
        self.serve()

        error = self.assertRaises(
            errors.Unavailable,
            self.caller(0.02).call,
            self.context,
            "stack",
            "sleep",
        )

        self.assertIn("0.02 seconds", error.message)

    def test_a_broker_that_never_was_there_is_unavailable(self) -> None:
        self.url = f"rabbit://guest:guest@127.0.0.1:{ports.find_free()}/"

        error = self.assertRaises(errors.Unavailable, self.call, "show")

        self.assertIn("broker", error.message)

    def test_the_first_question_of_a_process_costs_no_answer(self) -> None:
        """It is to make the queue of answers; the broker may lose it."""
        self.serve()
        caller = self.caller()
        prepare = caller._client.prepare

        def losing(topic: str = "", **given: object) -> object:
            return Lost() if topic else prepare(**given)

        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.rpc.broker.Broker.is_reachable", lambda *_: True
            )
        )
        caller._client.prepare = losing
        caller._transport.broker.is_external = True

        found = caller.call(self.context, "stack", "show", stack_id="s1")

        self.assertEqual({"id": "s1", "user": "ann"}, found)

    def test_a_wrong_address_is_refused(self) -> None:
        for url in ("nonsense://", "rabbit://host:port/"):
            self.assertRaises(
                errors.Invalid, transport.build_transport, self.conf, url
            )
