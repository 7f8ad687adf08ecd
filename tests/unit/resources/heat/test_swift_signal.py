import dataclasses
import json
import urllib.parse

from orch.plugin import call_context
from orch.resources.heat import swift_signal
from orch.resources.signals import condition
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.heat import installations

START = 1000.0
FAILED = {"id": "x", "status": "FAILURE", "reason": "no disk"}


class SwiftSignalTest(base.TestCase):
    """A container of Swift with what was written to one object."""

    def setUp(self) -> None:
        super().setUp()
        self.there = self.useFixture(installations.Installation())
        cloud = self.useFixture(
            installations.Cloud(f"{self.there.url}/AUTH_1")
        )
        self.plugin = swift_signal.SwiftSignal(contexts.options())
        self.plugin.clock = contexts.FakeClock(START + 1)
        self.patch(
            swift_signal.SwiftSignal,
            "cloud",
            lambda *_: cloud.connect(None, region_name=None),
        )

    def write(self, *signals: tuple[float, object]) -> None:
        """Store signals, the oldest first, each with its time."""
        *old, newest = [
            (moment, json.dumps(each) if each != "<html>" else "<html>")
            for moment, each in signals
        ]
        names = [f"001o/{moment:016.5f}" for moment, _ in old]
        self.there.answers["GET", "/AUTH_1/c"] = (
            200,
            [{"name": name} for name in names],
        )
        for name, (_, content) in zip(
            [*names, "o"], [*old, newest], strict=True
        ):
            path = f"/AUTH_1/c/{urllib.parse.quote(name, '')}"
            for method in ("HEAD", "GET"):
                self.there.answers[method, path] = 200, content
        self.there.headers["X-Timestamp"] = f"{newest[0]:016.5f}"

    def wait(self, attempt: int) -> call_context.Pending | None:
        context = contexts.make(
            swift_signal.SwiftSignal,
            started_at=START,
            handle=f"{self.there.url}/AUTH_1/c/o?temp_url_sig=1",
            timeout=60,
            count=2,
        )
        return self.plugin.is_created(
            dataclasses.replace(context, attempt=attempt)
        )

    def test_a_failure_before_a_repeated_attempt_does_not_count(self) -> None:
        self.write((900.0, {"id": "a"}), (950.0, FAILED), (1000.5, {}))

        self.assertIsNone(self.wait(2))

    def test_nor_does_what_is_no_signal(self) -> None:
        self.write((900.0, {"id": "a"}), (950.0, "<html>"), (1000.5, {}))

        self.assertIsNone(self.wait(2))

    def test_a_failure_during_the_attempt_fails_it(self) -> None:
        for signals in (
            [(900.0, {}), (1000.5, FAILED)],
            [(1000.2, FAILED), (1000.5, {})],
        ):
            self.write(*signals)

            self.assertRaises(condition.WaitConditionFailure, self.wait, 2)

    def test_the_first_attempt_counts_all(self) -> None:
        """The clock of the service may be behind."""
        self.write((999.0, FAILED))

        self.assertRaises(condition.WaitConditionFailure, self.wait, 1)
