"""Calls beside the observer's own count with them, on each database."""

import testscenarios

from orch.engine.observer import reality_reader
from tests.functional.db import test_observer
from tests.support import waiting

load_tests = testscenarios.load_tests_apply_scenarios

_TYPE = "OS::Nova::Server"


class _FakeReader(test_observer.FakeReader):
    """Keeps what lets its calls through."""

    paces: list[reality_reader.Pace]

    def observe(
        self,
        claimed: test_observer.Claimed,
        pace: reality_reader.Pace | None = None,
    ) -> dict:
        assert pace is not None
        self.paces = [pace]
        pace(claimed[0].project_id, _TYPE)
        return super().observe(claimed, pace)


class CallsTests(test_observer.ObserverCase):
    def test_a_turn_and_others_share_the_calls_of_a_project(self) -> None:
        self.reader = _FakeReader(self)
        self.enrolled(1)
        found = self.observer(calls_per_second=0.01, call_burst=2)
        found.start()
        waiting.wait_for(lambda: self.reader.observed, "a look")

        self.assertTrue(found.may_call("demo", _TYPE, 1.0))
        self.assertFalse(found.may_call("demo", _TYPE, 1.0))
        self.assertTrue(found.may_call("other", _TYPE, 1.0))
