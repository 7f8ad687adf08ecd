"""A broker that was away is told of once it is there again."""

import threading

import fixtures

from orch import errors
from orch.rpc import broker
from orch_search_heat import outages
from tests import base


class Broker:
    """A broker that is lost once, and has its queue back later."""

    is_external = True

    def __init__(self) -> None:
        self.losses = 1
        self.looks = 0

    def wait_for_loss(self, is_stopping: threading.Event) -> bool:
        self.losses -= 1
        return self.losses >= 0

    def find_queues(self, names: list[str]) -> list[broker.Queue]:
        self.looks += 1
        if self.looks == 1:
            raise errors.Unavailable("the broker is away")
        return [broker.Queue(names[0], 0, int(self.looks > 2))]


class OutagesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.useFixture(
            fixtures.MonkeyPatch("orch_search_heat.outages._RETRY_S", 0.01)
        )

    def test_it_is_told_of_once_the_queue_is_there(self) -> None:
        known = Broker()
        told = threading.Event()
        stack = outages.Outages(
            known,  # type: ignore[arg-type]
            "queue",
            told.set,
        )

        stack.start()

        self.assertTrue(told.wait(60))
        stack.stop(1.0)
        self.assertEqual(3, known.looks)
