"""Signals for stacks that move at that moment, or whose workers die."""

import concurrent.futures
import json
import typing

import requests

from tests import base
from tests.functional import test_forwarding
from tests.support import installations
from tests.support import rest
from tests.support import running
from tests.support import waiting

_KEPT = 6
_LATER = 6
_LIMIT_S = 60


class WorkersTests(base.TestCase):
    """The old installation has workers on RabbitMQ and PostgreSQL."""

    limit_s = 240

    def test_a10_another_worker_goes_on_where_one_was_killed(self) -> None:
        options = {
            **test_forwarding.OPTIONS,
            **installations.SWITCHED_ON,
            "signals": {"seal_keys": "k" * 32},
            "adoption": {"forward_hosts": "127.0.0.1"},
        }
        old = self.useFixture(running.Distributed(options)).system
        new = self.useFixture(running.Embedded(test_forwarding.OPTIONS)).system
        moves = test_forwarding.Moves(old, new)
        stack = moves.create("web", test_forwarding.handle())
        address = str(old.client.outputs(stack)["url"])
        # The workers do not know where this test lets the API listen.
        url = test_forwarding.origin(old) + address[address.index("/v1/") :]
        adopted = moves.adopt(stack, moves.abandon(stack))
        moves.announce(stack, moves.announcement(adopted))
        new.server.kill()
        self.send(url, range(_KEPT))
        waiting.wait_for(
            lambda: moves.addresses(stack)["handle"]["problem"],
            "an attempt that failed",
            _LIMIT_S,
        )

        # Whichever passes signals on is not known: one goes, then the other.
        old.engines[0].kill()
        new.start()
        self.send(url, range(_KEPT, _KEPT + _LATER))
        waiting.wait_for(
            lambda: moves.signalled(adopted, "handle"), "a signal", _LIMIT_S
        )
        old.engines[0].start()
        old.engines[1].kill()
        waiting.wait_for(
            lambda: not moves.addresses(stack)["handle"]["signals_waiting"],
            "nothing waits",
            _LIMIT_S,
        )

        self.assertEqual(
            [
                f"Signal: status:SUCCESS reason:n{each}"
                for each in range(_KEPT + _LATER)
            ],
            moves.signalled(adopted, "handle"),
        )

    def send(self, url: str, numbers: range) -> None:
        for each in numbers:
            answer = requests.post(
                url, json={"id": str(each), "reason": f"n{each}"}, timeout=30
            )
            self.assertEqual(202, answer.status_code)


class MomentTests(base.TestCase):
    limit_s = 180

    def setUp(self) -> None:
        super().setUp()
        old, new = (
            self.useFixture(running.Embedded(test_forwarding.OPTIONS)).system
            for _ in "ab"
        )
        self.moves = test_forwarding.Moves(old, new)
        self.client = old.client

    def test_a10_no_signal_is_lost_while_a_stack_is_let_go_of(self) -> None:
        stack = self.moves.create("web", test_forwarding.handle())
        url = str(self.client.outputs(stack)["url"])
        taken: list[int] = []

        def send(number: int) -> None:
            answer = requests.post(url, json={"id": str(number)}, timeout=30)
            if answer.ok:
                taken.append(number)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            sent = [pool.submit(send, each) for each in range(80)]
            waiting.wait_for(lambda: len(taken) > 10, "signals")
            document = self.moves.abandon(stack)
            concurrent.futures.wait(sent)
        adopted = self.moves.adopt(stack, document)
        self.moves.announce(stack, self.moves.announcement(adopted))

        self.assertEqual(80, len(taken))
        path = f"{adopted.path}/resources/handle/metadata"
        waiting.wait_for(
            lambda: len(self.moves.new.client.get(path, "metadata")) == 80,
            "80 signals",
        )

    def test_a10_a_signal_between_the_two_steps_is_not_lost(self) -> None:
        inner = json.dumps(test_forwarding.handle())
        wanted = {
            "heat_template_version": "2021-04-16",
            "resources": {"inner": {"type": "inner.yaml"}},
            "outputs": {"url": {"value": {"get_attr": ["inner", "url"]}}},
        }
        stack = self.client.create("s", wanted, files={"inner.yaml": inner})
        self.client.wait(stack, "CREATE_COMPLETE")
        url = str(self.client.outputs(stack)["url"])
        path = f"{stack.path}/abandon"
        token = self.step(path, {"prepare": None})["token"]

        requests.post(url, json={"id": "1"}, timeout=10)
        error = self.assertRaises(
            rest.RefusedError, self.step, path, {"commit": token}
        )
        again = self.step(path, {"prepare": None})
        self.step(path, {"commit": again["token"]})

        self.assertEqual(409, error.status)
        handle = again["document"]["resources"]["inner"]["resources"]["handle"]
        self.assertEqual(["1"], list(handle["signals"]))

    def step(self, path: str, body: dict[str, object]) -> typing.Any:
        answer = typing.cast(
            dict[str, object], self.client.ask("POST", path, body)
        )
        return answer["abandonment"]
