import datetime
import typing
import zoneinfo

import yaml

from orch import errors
from orch.plugin import lifecycle
from orch_lifecycle_policies import maintenance_windows
from tests.support import patterns
from tests.unit.lifecycle_plugins import judged
from tests.unit.resources import contexts

_NIGHTS = """
zone: Europe/Berlin
windows:
- days: [mon-thu]
  from: 22:00
  to: 04:00
- days: [sat, sun]
"""

_FREEZE = """
zone: Europe/Berlin
freezes:
- from: 2026-12-20
  to: 2027-01-06
  text: the year ends
- from: 2026-07-01 18:00
  to: 2026-07-01 20:00
"""


class MaintenanceWindowsTest(judged.PluginTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = contexts.FakeClock()

    def plugin(
        self, text: str, **more: object
    ) -> maintenance_windows.MaintenanceWindows:
        settings = {**yaml.safe_load(text), **more}
        return maintenance_windows.MaintenanceWindows(
            "maintenance-windows", settings, self.clock
        )

    def at(self, text: str) -> None:
        """Let it be that moment in Berlin."""
        zone = zoneinfo.ZoneInfo("Europe/Berlin")
        self.clock.time = (
            datetime.datetime.fromisoformat(text)
            .replace(tzinfo=zone)
            .timestamp()
        )

    def judge_now(
        self, plugin: maintenance_windows.MaintenanceWindows
    ) -> lifecycle.Verdict:
        view = patterns.stack(tags=("prod",))
        return self.judge(
            plugin, patterns.make_operation(view, "update", before=view)
        )

    def find_verdicts(self, text: str, *moments: str) -> list[str]:
        plugin = self.plugin(text)
        found = []
        for moment in moments:
            self.at(moment)
            found.append(self.judge_now(plugin).ruling.value)
        return found

    def test_windows_go_on_into_the_next_day(self) -> None:
        # 2026-11-16 is a Monday.
        found = self.find_verdicts(
            _NIGHTS,
            "2026-11-16 03:59",
            "2026-11-16 21:59",
            "2026-11-16 22:00",
            "2026-11-17 03:59",
            "2026-11-17 04:00",
        )

        self.assertEqual(["deny", "deny", "allow", "allow", "deny"], found)

    def test_the_night_after_the_last_day_is_part_of_it(self) -> None:
        # From Thursday to Sunday.
        found = self.find_verdicts(
            _NIGHTS,
            "2026-11-20 03:59",
            "2026-11-20 23:00",
            "2026-11-21 00:00",
            "2026-11-22 23:59",
        )

        self.assertEqual(["allow", "deny", "allow", "allow"], found)

    def test_hours_are_those_of_the_wall_when_clocks_change(self) -> None:
        # In this night 03:00 follows 01:59.
        text = _NIGHTS.replace("mon-thu", "sat").replace("[sat, sun]", "[fri]")

        found = self.find_verdicts(
            text, "2026-03-29 03:30", "2026-03-29 04:00"
        )

        self.assertEqual(["allow", "deny"], found)

    def test_the_reason_says_when(self) -> None:
        plugin = self.plugin(_NIGHTS)
        self.at("2026-11-16 12:30")

        told = self.judge_now(plugin).text

        self.assertEqual(
            "it is Mon 12:30 Europe/Berlin, and changes are made mon-thu"
            " 22:00-04:00, sat, sun 00:00-24:00",
            told,
        )

    def test_a_freeze_holds_to_the_end_of_its_last_day(self) -> None:
        found = self.find_verdicts(
            _FREEZE,
            "2026-12-19 23:59",
            "2026-12-20 00:00",
            "2027-01-06 23:59",
            "2027-01-07 00:00",
        )

        self.assertEqual(["allow", "deny", "deny", "allow"], found)

    def test_a_freeze_may_be_of_hours(self) -> None:
        found = self.find_verdicts(
            _FREEZE,
            "2026-07-01 17:59",
            "2026-07-01 18:00",
            "2026-07-01 19:59",
            "2026-07-01 20:00",
        )

        self.assertEqual(["allow", "deny", "deny", "allow"], found)

    def test_a_freeze_says_why(self) -> None:
        plugin = self.plugin(_FREEZE)
        self.at("2026-12-24 18:00")

        told = self.judge_now(plugin).text

        self.assertEqual(
            "nothing changes until 2027-01-07 00:00 Europe/Berlin: the year"
            " ends",
            told,
        )

    def test_a_freeze_stands_above_windows(self) -> None:
        plugin = self.plugin(
            _NIGHTS + _FREEZE.replace("zone: Europe/Berlin", "")
        )
        self.at("2026-12-26 12:00")

        self.assertEqual(lifecycle.Ruling.DENY, self.judge_now(plugin).ruling)

    def test_it_may_hold_instead(self) -> None:
        plugin = self.plugin(_NIGHTS, outside="hold", deadline=600)
        self.at("2026-11-16 12:00")

        verdict = self.judge_now(plugin)

        self.assertEqual(lifecycle.Ruling.HOLD, verdict.ruling)
        self.assertEqual(600, verdict.deadline_s)

    def test_only_stacks_with_the_tags_are_bound(self) -> None:
        self.at("2026-11-16 12:00")

        bound = self.judge_now(self.plugin(_NIGHTS, tags=["prod*"]))
        free = self.judge_now(self.plugin(_NIGHTS, tags=["test"]))

        self.assertEqual(lifecycle.Ruling.DENY, bound.ruling)
        self.assertEqual(lifecycle.Ruling.ALLOW, free.ruling)

    def test_some_roles_are_exempt(self) -> None:
        self.at("2026-11-16 12:00")

        found = self.judge_now(self.plugin(_NIGHTS, exempt_roles="member"))

        self.assertEqual(lifecycle.Ruling.ALLOW, found.ruling)

    def test_it_judges_all_changes_but_ways_back_and_signals(self) -> None:
        self.assertEqual(
            {
                *("create", "update", "delete", "suspend", "resume"),
                *("restore", "adopt", "abandon", "move", "release"),
                *("delete_snapshot", "accept_drift", "drift_policy"),
                *("mark_unhealthy", "answer_outcome", "clear_breakpoint"),
                *("update_deployment", "delete_deployment"),
            },
            self.plugin(_NIGHTS).verbs,
        )
        self.assertEqual(
            {"rollback"}, self.plugin(_NIGHTS, verbs=["rollback"]).verbs
        )

    def test_wrong_settings_are_refused(self) -> None:
        window: dict[str, typing.Any] = {"days": ["mon"]}
        for settings, told in (
            ({}, "its settings"),
            ({"windows": [window], "zone": "Mars/Base"}, "Mars/Base"),
            ({"windows": [{"days": ["monday"]}]}, "windows.0.days.0"),
            ({"windows": [{**window, "from": "25:00"}]}, "windows.0.from"),
            ({"freezes": [{"from": "soon", "to": "later"}]}, "'soon'"),
            (
                {"freezes": [{"from": "2026-02-02", "to": "2026-02-01"}]},
                "is not after",
            ),
        ):
            error = self.assertRaises(
                errors.Invalid,
                maintenance_windows.MaintenanceWindows,
                "m",
                settings,
            )
            self.assertIn(told, error.message)
