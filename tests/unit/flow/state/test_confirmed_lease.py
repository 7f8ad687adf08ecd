"""A lease whose renewal is late is looked at before a call."""

from orch.db.repositories import leases
from orch.flow.state import fence
from orch.flow.state import writer
from tests.unit.flow import running

TTL_S = 60.0


class ConfirmTests(running.RunnerCase):
    def setUp(self) -> None:
        super().setUp()
        self.claimed = self.flows.claim(self.flows.accept())

    def held(self, left_s: float) -> fence.Fence:
        """Return the fence of a lease that holds for so long still."""
        until = self.flows.clock.monotonic() + left_s
        number = self.claimed.fence
        return fence.Fence(self.claimed.id, number, until, self.flows.clock)

    def confirm(self, held: fence.Fence) -> None:
        found = writer.Writer(
            self.flows.database, held, TTL_S, self.flows.stack
        )
        found.confirm_lease()

    def take_away(self) -> None:
        """Let another worker have the operation."""

        def work(connection) -> None:
            leases.release(connection, self.claimed.id, self.claimed.fence)
            leases.claim(connection, "worker-2", TTL_S, 1)

        self.flows.database.run(work)

    def test_a_late_renewal_is_made_up_for(self) -> None:
        held = self.held(TTL_S / 3)

        self.confirm(held)

        self.assertGreater(held.left_s, TTL_S / 2)

    def test_a_lease_that_another_worker_has_is_lost(self) -> None:
        held = self.held(TTL_S / 3)
        self.take_away()

        self.assertRaises(fence.NotHeld, self.confirm, held)

        self.assertTrue(held.is_lost)

    def test_a_renewal_in_time_costs_nothing(self) -> None:
        held = self.held(TTL_S)
        self.take_away()

        self.confirm(held)

        self.assertFalse(held.is_lost)
