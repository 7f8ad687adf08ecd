"""Conditions that wait for the signals of a handle."""

import collections.abc
import dataclasses
import json

from orch import clock
from orch.plugin import call_context
from orch.resources.heat import wait_condition
from orch.resources.signals import condition
from tests import base
from tests.unit.resources import contexts

KIND = wait_condition.HeatWaitCondition


def entry(status: str = "SUCCESS", **more: object) -> dict[str, object]:
    return {"status": status, "reason": "r", "data": None, **more}


class WaitConditionTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = contexts.FakeClock()
        self.plugin = KIND(contexts.options(), self.clock)

    def context(
        self,
        signals: collections.abc.Mapping[str, object],
        **properties: object,
    ) -> call_context.Context:
        given = {"handle": "h", "timeout": 60, "count": 2, **properties}
        return dataclasses.replace(
            contexts.make(KIND, **given),
            signals=signals,
            has_signal_source=True,
        )

    def test_it_waits_for_signals_and_its_time(self) -> None:
        self.clock.time += 20
        context = self.context({"a": entry()})

        self.plugin.create(context)
        self.assertEqual(
            call_context.Pending(
                after_s=40, note="1 of 2 received", awaits_signal=True
            ),
            self.plugin.is_created(context),
        )

    def test_a_clock_that_was_set_back_does_not_prolong_it(self) -> None:
        self.clock.time -= 500
        pending = self.plugin.is_created(self.context({}))

        assert pending is not None
        self.assertEqual(60, pending.after_s)

    def test_enough_signals_complete_it_however_late_it_looks(self) -> None:
        self.clock.time += 1000
        context = self.context({"a": entry(), "b": entry(), "c": entry()})

        self.assertIsNone(self.plugin.is_created(context))
        self.assertIsNone(self.plugin.is_updated(context))

    def test_a_failure_counts_more_than_enough_successes(self) -> None:
        context = self.context(
            {
                "a": entry(),
                "b": entry(),
                "c": entry("FAILURE", reason="one"),
                "d": entry("FAILURE", reason=2),
            }
        )
        error = self.assertRaises(
            condition.WaitConditionFailure, self.plugin.is_created, context
        )

        self.assertEqual("one;2", error.message)

    def test_its_time_is_over(self) -> None:
        self.clock.time += 60
        for signals, said in (
            ({}, "0 of 2 received"),
            ({"a": entry(reason="half")}, "1 of 2 received - half"),
        ):
            error = self.assertRaises(
                condition.WaitConditionTimeout,
                self.plugin.is_created,
                self.context(signals),
            )
            self.assertEqual(said, error.message)

    def test_without_a_handle_there_is_nothing_to_wait_for(self) -> None:
        context = dataclasses.replace(
            self.context({}), has_signal_source=False
        )

        self.assertRaises(condition.NoHandle, self.plugin.create, context)
        self.assertRaises(
            condition.NoHandle, self.plugin.update, context, {}, ["count"]
        )

    def test_an_update_waits_as_long_again(self) -> None:
        context = dataclasses.replace(
            self.context({"a": entry()}), started_at=clock.Timestamp(2000)
        )
        self.clock.time = 2010

        pending = self.plugin.is_updated(context)

        assert pending is not None
        self.assertEqual(50, pending.after_s)

    def test_data_is_json_text(self) -> None:
        context = self.context({"a": entry(data={"x": 1}), "2": entry()})

        found = self.plugin.read_attributes(context, ["data"])

        self.assertEqual(
            {"a": {"x": 1}, "2": None}, json.loads(str(found["data"]))
        )
