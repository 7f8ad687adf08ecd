"""A worker that stands still for longer than its lease, and wakes up."""

import contextlib
import os
import pathlib
import sqlite3
import time

import sqlalchemy as sa

from orch.db.models import stacks
from tests.chaos import base
from tests.chaos import templates
from tests.support import processes

_STALL_S = base.LEASE_S + 1.5
_STACKS = 6


class StallTests(base.ChaosTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.distribute(base.options(api={"rpc_timeout": 2}))

    def freeze_one_that_works(
        self,
    ) -> tuple[processes.Process, list[base.AcceptedStack]]:
        """Freeze a worker with operations, between its calls and writes.

        What a call does while its worker stands still is the world's to
        forbid, and a lock that it holds there is the world's too.

        :returns: it, and all stacks that were asked for
        """
        asked: list[base.AcceptedStack] = []
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            self.begin_some(asked, ready_after_s=0.4, gone_after_s=0.1)
            for worker_id in self.records.owners():
                victim = self.worker(self.records.hosts()[worker_id])
                victim.freeze()
                owns = worker_id in self.records.owners()
                if owns and not self.is_inside(victim):
                    return victim, asked
                victim.thaw()
                time.sleep(0.03)
        raise AssertionError("no moment between two calls was found")

    def begin_some(
        self, asked: list[base.AcceptedStack], **slow: float
    ) -> None:
        """Ask for stacks where nothing is under way; add them."""
        if self.records.open():
            return
        first = len(asked)
        for number in range(first, first + _STACKS):
            name = f"s{number}"
            asked.append(self.create(name, templates.chain(name, 5, **slow)))

    def worker(self, host: str) -> processes.Process:
        return next(
            each for each in self.system.engines if each.log.stem == host
        )

    def is_inside(self, victim: processes.Process) -> bool:
        """Answer whether it is inside a call or a transaction."""
        return self.is_in_the_world(victim) or self.is_table_locked()

    def is_in_the_world(self, victim: processes.Process) -> bool:
        """Answer whether it is inside a call, or the world is locked."""
        if self.is_world_locked() or self.is_at_the_door(victim):
            return True
        calls = [each for each in self.world.calls() if each.pid == victim.pid]
        begun = {each.token for each in calls if each.act == "create"}
        made = {each.token for each in calls if each.act == "made"}
        return begun != made

    def is_table_locked(self) -> bool:
        table = stacks.OPERATIONS
        rows = sa.select(table.c.id)
        free = rows.with_for_update(skip_locked=True)
        return len(self.records.read(free)) < len(self.records.read(rows))

    def is_world_locked(self) -> bool:
        path = self.world.environment["ORCH_TEST_WORLD"]
        with contextlib.closing(sqlite3.connect(path, timeout=0.1)) as world:
            try:
                world.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
        return False

    def is_at_the_door(self, victim: processes.Process) -> bool:
        """Answer whether a call has begun that the world has not noted."""
        path = os.path.realpath(self.world.environment["ORCH_TEST_WORLD"])
        for each in pathlib.Path(f"/proc/{victim.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                if str(each.readlink()) == path:
                    return True
        return False

    def calls_of(self, victim: processes.Process) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for each in self.world.calls()
            if each.pid == victim.pid
        ]

    def test_the_stalled_worker_writes_nothing_more_and_serves_again(
        self,
    ) -> None:
        victim, asked = self.freeze_one_that_works()
        lost = {
            each["id"]
            for each in self.records.open()
            if self.records.hosts().get(str(each["owner"])) == victim.log.stem
        }
        time.sleep(_STALL_S)
        self.records.wait_until_idle(timeout_s=base.TAKEN_OVER_S)
        before = self.records.everything()
        calls_before = self.calls_of(victim)

        victim.thaw()
        time.sleep(base.LEASE_S)

        self.assertTrue(lost)
        after = self.records.everything()
        # What left for the bus is gone from the outbox; nothing came in.
        self.assertEqual(set(), after.pop("outbox") - before.pop("outbox"))
        self.assertEqual(before, after)
        self.assertEqual(calls_before, self.calls_of(victim))
        self.assertTrue(victim.is_running())
        self.check_created(asked)
        self.check_serves_again(victim)

    def check_serves_again(self, victim: processes.Process) -> None:
        """Check that the worker takes new operations and ends them."""
        for other in self.system.engines:
            if other is not victim:
                other.stop()
        made = self.create("again", templates.flat("again", 2))
        self.records.wait_until_idle(timeout_s=10)
        self.check_stack(made)

    def test_one_that_stalls_inside_a_transaction_locks_nothing_for_long(
        self,
    ) -> None:
        victim, asked = self.freeze_inside_a_transaction()

        self.records.wait_until_idle(timeout_s=20)

        victim.thaw()
        self.check_created(asked)

    def freeze_inside_a_transaction(
        self,
    ) -> tuple[processes.Process, list[base.AcceptedStack]]:
        """Freeze a worker; there is work for as long as that takes.

        :returns: it, and all stacks that were asked for
        """
        asked: list[base.AcceptedStack] = []
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            self.begin_some(asked, ready_after_s=0.2)
            for worker_id in self.records.owners():
                victim = self.worker(self.records.hosts()[worker_id])
                victim.freeze()
                if (
                    not self.is_in_the_world(victim)
                    and not self.is_about_to_call()
                    and self.stays_locked()
                ):
                    return victim, asked
                victim.thaw()
        raise AssertionError("no moment inside a transaction was found")

    def is_about_to_call(self) -> bool:
        """Whether a call is stored as begun that may not be made yet.

        A worker that is frozen then makes it once it goes on.
        """
        columns = stacks.RESOURCES.c
        begun = sa.select(columns.id).where(
            columns.is_outcome_unknown, columns.physical_id.is_(None)
        )
        return bool(self.records.read(begun))

    def stays_locked(self) -> bool:
        """Answer whether a lock is that of somebody who stands still."""
        for _ in range(3):
            if not self.is_table_locked():
                return False
            time.sleep(0.1)
        return True
