"""What doctor and the log say of the queues on the broker."""

import typing

from tests import base
from tests.support import queues
from tests.support import running
from tests.support import systems
from tests.support import waiting

_LIMIT_S: typing.Final = 60
_ADVICE: typing.Final = "the same amqp_durable_queues and rabbit_quorum_queue"
_RABBIT: typing.Final = "oslo_messaging_rabbit"


class BrokerChecksTest(base.TestCase):
    limit_s = 240

    def start(self, workers: int = 1, **rabbit: object) -> systems.Distributed:
        options = {_RABBIT: rabbit} if rabbit else {}
        self.found = self.useFixture(
            running.Distributed(options, workers=workers)
        )
        return self.found.system

    def finding(self, topic: str) -> str:
        """Return what the doctor says of a topic; empty for nothing."""
        for line in self.found.system.doctor().splitlines():
            if f" {topic}: " in line:
                return line
        return ""

    def test_one_option_makes_all_queues_durable(self) -> None:
        self.start(amqp_durable_queues=True)
        self.found.system.client.create(
            "web", {"heat_template_version": "2021-04-16"}
        )

        for name in ("orch-engine", "notifications.info"):
            waiting.wait_for(
                lambda name=name: queues.is_durable(
                    self.found.broker.url(), name
                ),
                f"{name} is durable",
                _LIMIT_S,
            )
        self.assertTrue(self.finding("durability").startswith("ok "))

    def test_another_durability_is_reported(self) -> None:
        (first, _) = self.start(workers=2).engines
        self.assertTrue(self.finding("durability").startswith("ok "))
        first.kill()
        with (self.found.directory / "worker-1.conf").open("a") as config:
            config.write(f"[{_RABBIT}]\namqp_durable_queues = true\n")
        first.start()

        waiting.wait_for(
            lambda: _ADVICE in first.log.read_text(), "the log", _LIMIT_S
        )
        found = self.finding("durability")
        self.assertIn("FAIL", found)
        self.assertIn("inequivalent arg 'durable'", found)
        self.assertIn("'orch-engine'", self.found.system.doctor())
        self.assertIn(_ADVICE, found)

    def test_what_nothing_reads_is_found(self) -> None:
        system = self.start()
        client = system.client
        client.create("web", {"heat_template_version": "2021-04-16"})
        waiting.wait_for(
            lambda: self.finding("queue notifications.info"),
            "the queue is there",
            _LIMIT_S,
        )
        self.assertIn("ok ", self.finding("queue notifications.info"))
        queues.fill(self.found.broker.url(), "notifications.info", 1001)

        said = self.finding("queue notifications.info")

        self.assertIn("FAIL", said)
        self.assertIn("0 consumers; nothing reads it", said)
        self.assertIn("orch-manage notification policy", said)
