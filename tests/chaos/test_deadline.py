"""A stack has its time, whoever is there to enforce it."""

import time

import sqlalchemy as sa

from orch.db.models import stacks
from tests.chaos import base
from tests.chaos import records
from tests.chaos import templates

_TABLE = stacks.OPERATIONS


class DeadlineTests(base.ChaosTestCase):
    def wait_until_in_progress(self) -> None:
        records.wait_until(
            lambda: any(each.act == "made" for each in self.world.calls()),
            what="nothing was made",
        )

    def check_timed_out(self, asked: base.AcceptedStack) -> None:
        shown = self.system.client.show(asked.stack)
        (row,) = self.system.client.resources(asked.stack).values()
        self.assertEqual("CREATE_FAILED", shown["stack_status"])
        self.assertEqual("Create timed out", shown["stack_status_reason"])
        self.assertEqual("CREATE_FAILED", row["resource_status"])

    def test_it_passes_while_a_killed_worker_is_replaced(self) -> None:
        system = self.distribute(workers=1)
        asked = self.create("s", templates.flat("s", 1, ready_after_s=600))
        self.wait_until_in_progress()
        self.records.change(
            sa.update(_TABLE).values(deadline_at=time.time() + 1)
        )
        (worker,) = system.engines

        worker.kill()
        time.sleep(1)
        worker.start()
        self.records.wait_until_idle(timeout_s=base.TAKEN_OVER_S)

        self.check_timed_out(asked)

    def test_it_still_lies_ahead_when_another_worker_takes_over(self) -> None:
        system = self.distribute()
        asked = self.create("s", templates.flat("s", 1, ready_after_s=600))
        self.wait_until_in_progress()
        deadline = time.time() + base.LEASE_S + 3
        self.records.change(sa.update(_TABLE).values(deadline_at=deadline))
        (worker_id,) = self.records.owners()
        host = self.records.hosts()[worker_id]

        next(each for each in system.engines if each.log.stem == host).kill()
        ended_at = self.records.wait_until_idle(
            timeout_s=base.LEASE_S + base.TAKEN_OVER_S
        )

        self.assertGreaterEqual(ended_at, deadline - 0.1)
        self.assertLess(ended_at, deadline + 2)
        self.check_timed_out(asked)

    def test_it_ends_a_stack_that_waits_under_a_live_worker(self) -> None:
        self.embed(base.options(DEFAULT={"stack_action_timeout": 1}))
        asked = self.create("s", templates.flat("s", 1, ready_after_s=600))

        self.records.wait_until_idle(timeout_s=5)

        self.check_timed_out(asked)
        self.assertEqual(["s-0"], self.world.names())
