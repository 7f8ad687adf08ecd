import socket

from oslo_config import cfg

from orch.cmd import metrics
from orch.cmd import process
from orch.conf import load
from orch.metrics import catalogue
from orch.metrics import meters
from tests import base
from tests.support import ports
from tests.support import scraped


class ServeTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.port = ports.find_free()

    def options(self, **given: object) -> cfg.ConfigOpts:
        conf = load.load([], [])
        for name, value in given.items():
            conf.set_override(name, value, group="metrics")
        return conf

    def serve(self, program: str = "orch-test", **given: object) -> None:
        for stop in metrics.serve_metrics(
            self.options(port=self.port, **given), program
        ):
            self.addCleanup(stop)

    def taken(self) -> None:
        """Let somebody have the first port."""
        self.useFixture(scraped.Counting())
        listener = socket.create_server(("127.0.0.1", self.port))
        self.addCleanup(listener.close)

    def test_there_is_nothing_unless_a_port_is_set(self) -> None:
        self.assertEqual(
            [], metrics.serve_metrics(self.options(), "orch-test")
        )

        counter = catalogue.LEASES_LOST
        counter.count()
        self.useFixture(scraped.Counting())
        counter.count()
        self.serve()
        found = scraped.scrape(self.port)
        self.assertEqual(0, found.value("orch_leases_lost_total"))

    def test_what_parts_know_is_shown_with_what_is_counted(self) -> None:
        stops = metrics.serve_metrics(
            self.options(port=self.port),
            "orch-test",
            lambda: [meters.Reading(catalogue.SEARCH_WAITING, 3)],
        )
        catalogue.LEASES_LOST.count()

        found = scraped.scrape(self.port)
        for stop in stops:
            stop()

        self.assertEqual(1, found.value("orch_leases_lost_total"))
        self.assertEqual(3, found.value("orch_search_stacks_waiting"))
        self.assertFalse(ports.is_open(self.port))

    def test_the_next_port_that_is_free_is_taken(self) -> None:
        self.taken()

        self.serve("orch-second", ports=50)

        found = next(
            each
            for each in range(self.port + 1, self.port + 50)
            if self.is_ours(each)
        )
        self.assertGreater(found, self.port)

    @staticmethod
    def is_ours(port: int) -> bool:
        if not ports.is_open(port):
            return False
        info = scraped.scrape(port).all_of("orch_process_info", "program")
        return ("orch-second",) in info

    def test_a_process_without_a_port_does_not_start(self) -> None:
        self.taken()

        error = self.assertRaises(
            process.Failure,
            metrics.serve_metrics,
            self.options(port=self.port, ports=1),
            "orch-test",
        )

        self.assertIn(
            f"no port of 127.0.0.1 from {self.port} to {self.port}",
            str(error),
        )

    def test_no_port_is_beyond_the_last_one(self) -> None:
        self.port = 65535
        self.taken()

        error = self.assertRaises(
            process.Failure,
            metrics.serve_metrics,
            self.options(port=65535, ports=9),
            "orch-test",
        )

        self.assertIn("from 65535 to 65535", str(error))
