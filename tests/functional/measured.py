"""What tests of metrics share."""

import contextlib

from tests.support import ports
from tests.support import rest
from tests.support import scraped
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

_SOON = 1.0


class MetricsTestCase(serving.WorldTestCase):
    """The server shows its metrics."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.metrics_port = ports.find_free()
        cls.options = {
            **cls.options,
            "metrics": {
                "port": cls.metrics_port,
                "ports": 1,
                "database_interval": _SOON,
            },
        }
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        self.before = self.scrape()

    def scrape(self) -> scraped.Scraped:
        return scraped.scrape(self.metrics_port)

    def grown(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """Return by how much samples have grown in this test."""
        before = self.before.all_of(name, *labels)
        return {
            key: value - before.get(key, 0.0)
            for key, value in self.scrape().all_of(name, *labels).items()
            if value != before.get(key, 0.0)
        }

    def wait_until_grown(
        self, wanted: dict[tuple[str, ...], float], name: str, *labels: str
    ) -> None:
        """Return once so much was counted, and no more.

        An end is counted a moment after it can be read.
        """
        # What it is instead is told below.
        with contextlib.suppress(AssertionError):
            waiting.wait_for(lambda: self.grown(name, *labels) == wanted, name)
        self.assertEqual(wanted, self.grown(name, *labels))

    def wait_for_ends(self, wanted: dict[tuple[str, ...], float]) -> None:
        """Return once these operations have ended, and no others."""
        self.wait_until_grown(
            wanted, "orch_operations_ended_total", "action", "outcome"
        )

    def create(self) -> rest.Stack:
        """Return a stack of three things, once all of it is counted."""
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_COMPLETE")
        self.wait_for_ends({("CREATE", "complete"): 1})
        return stack
