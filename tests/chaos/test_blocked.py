"""``kill -9`` while operations wait: for room, for a service, for somebody."""

import time

from tests.chaos import base
from tests.chaos import records
from tests.chaos import templates
from tests.functional import databases
from tests.support import rest

_STACKS = 6
_AT_ONCE_S = 5.0
_HELD = {"resource_registry": {"resources": {"*-1": {"hooks": "pre-create"}}}}


class BlockedTestCase(base.ChaosTestCase):
    """Chains of three things; the second one waits."""

    settings = base.options(
        engine={
            "retry_first_pause": 0.2,
            "retry_max_pause": 0.5,
            "blocked_first_pause": 1.0,
            "blocked_max_pause": 1.0,
        }
    )

    def ask(self, **body: object) -> list[base.AcceptedStack]:
        names = [f"s{number}" for number in range(_STACKS)]
        return [
            self.create(name, templates.chain(name, 3), **body)
            for name in names
        ]

    def order(self, how: str, moment: str = "before", **more: int) -> None:
        for number in range(_STACKS):
            self.world.order(
                f"s{number}",
                "create",
                f"s{number}-1",
                how=how,
                moment=moment,
                **more,
            )

    def are_blocked(self) -> bool:
        found = [each["state"] for each in self.records.open()]
        return found == ["BLOCKED"] * _STACKS

    def wait_until_blocked(self) -> None:
        records.wait_until(
            self.are_blocked, timeout_s=20, what="not all are blocked"
        )

    def kill_all(self) -> None:
        """Kill all workers, and start them again; return when they work."""
        for each in self.system.engines:
            each.kill()
        before = len(self.records.hosts())
        for each in self.system.engines:
            each.start()
        records.wait_until(
            lambda: len(self.records.hosts()) == 2 * before,
            timeout_s=30,
            what="the workers do not come back",
        )


class QuotaTests(BlockedTestCase):
    def check(self) -> None:
        self.order("quota")
        asked = self.ask()
        self.wait_until_blocked()

        self.kill_all()
        self.wait_until_blocked()
        for number in range(_STACKS):
            self.world.forgive(f"s{number}")
        self.records.wait_until_idle(timeout_s=20)

        made = [each.name for each in self.world.calls() if each.act == "made"]
        self.assertEqual(sorted(set(made)), sorted(made))
        self.assertEqual(3 * _STACKS, len(made))
        for each in asked:
            self.assertEqual(
                "CREATE_COMPLETE",
                self.system.client.show(each.stack)["stack_status"],
            )

    def test_what_waits_for_room_goes_on_elsewhere(self) -> None:
        self.distribute(self.settings)

        self.check()

    def test_what_waits_for_room_goes_on_elsewhere_on_mariadb(self) -> None:
        self.distribute(self.settings, database=databases.MariaDB)

        self.check()


class TriesTests(BlockedTestCase):
    def test_between_two_tries_nothing_is_lost_or_made_twice(self) -> None:
        self.distribute(self.settings)
        self.order("transient", "after", times=2)
        asked = self.ask()
        records.wait_until(
            lambda: "find" in [each.act for each in self.world.calls()],
            what="nothing is tried again",
        )

        self.kill_all()
        self.records.wait_until_idle(timeout_s=30)

        names = sorted(name for each in asked for name in each.resource_names)
        self.assertEqual(names, self.world.names())
        self.check_no_doubles()


class HeldTests(BlockedTestCase):
    def clear(self, asked: base.AcceptedStack) -> None:
        stack: rest.Stack = asked.stack
        self.system.client.ask(
            "POST",
            f"{stack.path}/resources/{asked.resource_names[1]}/signal",
            {"unset_hook": "pre-create"},
        )

    def test_they_are_held_still_and_go_on_at_once_when_cleared(self) -> None:
        # The scan would find them only long after.
        self.distribute(base.options(engine={"scan_interval": 60}))
        asked = self.ask(environment=_HELD)
        self.wait_until_blocked()

        self.kill_all()
        names = self.world.names()
        cleared_at = time.time()
        for each in asked:
            self.clear(each)
        ended_at = self.records.wait_until_idle(timeout_s=20)

        self.assertEqual([each.resource_names[0] for each in asked], names)
        self.assertLess(ended_at - cleared_at, _AT_ONCE_S)
        for each in asked:
            self.check_paused_once(each)
        self.check_no_doubles()

    def check_paused_once(self, asked: base.AcceptedStack) -> None:
        told = [
            str(each["resource_status_reason"])
            for each in self.system.client.events(asked.stack)
        ]
        self.assertEqual(
            [
                "CREATE paused until Hook pre-create is cleared",
                "Hook pre-create is cleared",
            ],
            [each for each in told if "Hook" in each],
        )
