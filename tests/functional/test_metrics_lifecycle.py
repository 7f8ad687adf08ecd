"""Calls of lifecycle plug-ins, as Prometheus gets them."""

import typing

from tests.functional import lifecycle
from tests.functional import measured
from tests.support import world_templates

_MOMENTS = ("pre", "post")


class TestLifecycleCalls(
    lifecycle.LifecycleTestCase, measured.MetricsTestCase
):
    """Three recording plug-ins around operations."""

    def calls(self) -> dict[tuple[str, ...], float]:
        return self.grown(
            "orch_lifecycle_calls_total", "plugin", "moment", "outcome"
        )

    def test_each_call_is_counted_by_plug_in_moment_and_outcome(self) -> None:
        self.create()

        plugins = [f"orch-test-{number}" for number in (1, 2, 3)]
        self.assertEqual(
            {
                **{(each, "pre", "allow"): 1 for each in plugins},
                **{(each, "post", "done"): 1 for each in plugins},
            },
            self.calls(),
        )
        self.assertEqual(
            {(each, moment): 1 for each in plugins for moment in _MOMENTS},
            self.grown(
                "orch_lifecycle_call_duration_seconds_count",
                "plugin",
                "moment",
            ),
        )

    def test_warnings_denials_and_failures_are_outcomes(self) -> None:
        self.plugins.order(1, "pre", "warn", text="dear")
        self.plugins.order(2, "pre", "deny", text="no room today")
        self.plugins.order(1, "post", "raise", text="broken")

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        self.wait_for_ends({("CREATE", "failed"): 1})
        self.assertEqual(
            {
                ("orch-test-1", "pre", "warn"): 1,
                ("orch-test-2", "pre", "deny"): 1,
                ("orch-test-1", "post", "failed"): 1,
            },
            self.calls(),
        )

    def test_a_hold_is_one_call_however_long_it_lasts(self) -> None:
        self.plugins.order(3, "pre", "hold", text="ask Ann")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_until_held(stack)

        self.act(stack, "approve")
        self.client.wait(stack, "CREATE_COMPLETE")

        self.wait_for_ends({("CREATE", "complete"): 1})
        self.assertEqual(1, self.calls()[("orch-test-3", "pre", "hold")])
        self.assertNotIn(("orch-test-3", "pre", "allow"), self.calls())


class TestPreviews(lifecycle.LifecycleTestCase, measured.MetricsTestCase):
    """Plug-ins that are asked before anybody asks for an operation."""

    each: typing.ClassVar = {"previews": True}

    def test_calls_for_a_preview_are_told_apart(self) -> None:
        self.plugins.order(2, "pre", "deny", text="no room today")

        self.client.ask(
            "POST",
            "/stacks/preview",
            {"stack_name": self.name, "template": world_templates.chain()},
        )

        self.assertEqual(
            {
                ("orch-test-1", "preview", "allow"): 1,
                ("orch-test-2", "preview", "deny"): 1,
                ("orch-test-3", "preview", "allow"): 1,
            },
            self.grown(
                "orch_lifecycle_calls_total", "plugin", "moment", "outcome"
            ),
        )


class TestLateLifecycleCalls(
    lifecycle.LifecycleTestCase, measured.MetricsTestCase
):
    """A plug-in that gives no answer in its time."""

    count = 1
    switches: typing.ClassVar = {"time_limit": 0.5}

    def test_a_call_that_takes_too_long_is_late(self) -> None:
        self.plugins.order(1, "pre", "hang", text=self.name)
        self.addCleanup(self.plugins.release, self.name)

        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        self.wait_for_ends({("CREATE", "failed"): 1})
        self.assertEqual(
            {("orch-test-1", "pre", "late"): 1},
            self.grown(
                "orch_lifecycle_calls_total", "plugin", "moment", "outcome"
            ),
        )
