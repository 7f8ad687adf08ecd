"""The database's clock jumps while workers are at work."""

import sqlalchemy as sa

from orch.db.models import stacks
from tests.chaos import base
from tests.chaos import records
from tests.chaos import templates

_SCAN_S = 0.1
_STACKS = 6


class ClockJumpTests(base.ChaosTestCase):
    def test_no_worker_takes_what_another_is_at(self) -> None:
        self.distribute(base.options(engine={"scan_interval": _SCAN_S}))
        asked = [
            self.create(name, templates.chain(name, 2, delay_before_s=1.5))
            for name in (f"s{number}" for number in range(_STACKS))
        ]
        records.wait_until(
            lambda: len(self.running()) == _STACKS, what="not all run"
        )

        # To leases it is the same as a jump of an hour.
        table = stacks.OPERATIONS
        self.records.change(
            sa.update(table)
            .where(table.c.state == "RUNNING")
            .values(lease_expires_at=table.c.lease_expires_at - 3600)
        )
        self.records.wait_until_idle(timeout_s=60)

        self.check_created(asked)
        fences = [each["fence"] for each in self.records.operations()]
        self.assertEqual([1] * _STACKS, fences)

    def running(self) -> list[records.Row]:
        return [
            each
            for each in self.records.operations()
            if each["state"] == "RUNNING"
        ]
