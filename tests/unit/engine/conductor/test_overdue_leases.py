"""Which leases a worker takes over, and when."""

import sqlalchemy as sa

from orch import ids
from orch.db import engine as db_engine
from orch.db.models import stacks as tables
from orch.db.repositories import leases
from orch.engine.conductor import overdue_leases
from orch.model import operation
from tests.unit.flow import running

TTL_S = 60.0
OTHER = ids.WorkerId("worker-2")


class JumpingClock:
    """A clock that goes on when it is told."""

    def __init__(self) -> None:
        self.passed_s = 1000.0

    def now(self) -> float:
        return self.passed_s

    def monotonic(self) -> float:
        return self.passed_s


class OverdueTests(running.RunnerCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = JumpingClock()
        self.held = self.flows.claim(self.flows.accept(), TTL_S)
        self.overdue = overdue_leases.OverdueLeases(
            self.flows.database, TTL_S, self.clock
        )

    def jump(self, seconds: float) -> None:
        """Let the database's clock jump, so far as the lease knows of it."""
        expires_at = tables.OPERATIONS.c.lease_expires_at
        change = sa.update(tables.OPERATIONS).values(
            lease_expires_at=expires_at - seconds
        )

        def work(connection: db_engine.Connection) -> None:
            connection.execute(change)

        self.flows.database.run(work)

    def renew(self) -> None:
        self.flows.database.run(
            lambda connection: leases.touch(
                connection, self.held.id, self.held.fence, TTL_S
            )
        )

    def claim(self) -> list[operation.Operation]:
        """Look, and claim what may be taken over."""
        overdue = self.overdue.look()
        return self.flows.database.run(
            lambda connection: leases.claim(
                connection, OTHER, TTL_S, 9, overdue=overdue
            )
        )

    def test_a_lease_that_a_jump_ended_is_not_taken(self) -> None:
        self.jump(3600)
        self.assertEqual([], self.claim())
        self.clock.passed_s += TTL_S - 1
        self.assertEqual([], self.claim())

        self.renew()
        self.clock.passed_s += TTL_S

        self.assertEqual([], self.claim())

    def test_one_that_was_renewed_between_two_jumps_is_not_taken(self) -> None:
        self.jump(3600)
        self.claim()
        self.renew()
        self.jump(3600)
        self.clock.passed_s += TTL_S

        self.assertEqual([], self.claim())

    def test_a_dead_worker_s_is_taken_after_the_time_of_a_lease(self) -> None:
        self.jump(TTL_S / 2)
        self.assertEqual([], self.claim())
        self.assertEqual(TTL_S, self.overdue.next_look_s(1000.0))
        self.clock.passed_s += TTL_S
        self.jump(TTL_S)

        self.assertEqual([], self.claim(), "its end has changed")
        self.clock.passed_s += TTL_S
        (taken,) = self.claim()

        self.assertEqual((self.held.id, 2), (taken.id, taken.fence))

    def test_healthy_leases_are_not_waited_for(self) -> None:
        self.assertEqual(set(), self.overdue.look())

        self.assertEqual(7.0, self.overdue.next_look_s(7.0))
