"""Many operations whose plug-ins are slow, and what else there is to do."""

from tests.functional import lifecycle
from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

THREADS = 2
"""Those that one project may take; as many are for others."""


class TestCrowds(lifecycle.LifecycleTestCase):
    """A pre-op that hangs, of more operations than there are threads."""

    count = 1
    defaults = serving.options(call_threads=2 * THREADS)

    def crowd(self) -> list[rest.Stack]:
        """Return stacks of which as many are judged as there are threads."""
        self.plugins.order(1, "pre", "hang", verb="create", text=self.name)
        self.addCleanup(self.plugins.release, self.name)
        found = [
            self.client.create(
                f"{self.name}-{number}", world_templates.chain()
            )
            for number in range(3 * THREADS)
        ]
        waiting.wait_for(
            lambda: len(self.judged(found)) == THREADS, "threads are taken"
        )
        return found

    def judged(self, stacks: list[rest.Stack]) -> list[lifecycle.Json]:
        return [each for stack in stacks for each in self.plugins.lines(stack)]

    def test_slow_ones_keep_no_change_waiting(self) -> None:
        self.world.order(self.name, "create", "a")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("create", "a")
        crowd = self.crowd()

        self.world.release(self.name)
        self.wait_for_act("create", "c")
        judged = len(self.judged(crowd))
        self.plugins.release(self.name)

        self.assertEqual(THREADS, judged)
        for each in (stack, *crowd):
            self.client.wait(each, "CREATE_COMPLETE")

    def test_a_worker_that_stops_gives_back_what_has_no_thread_yet(
        self,
    ) -> None:
        crowd = self.crowd()

        self.system.server.stop()
        held = lifecycle.rows(
            self.system,
            "SELECT count(*) FROM operations WHERE state = 'RUNNING'"
            " AND lease_expires_at > 0",
        )
        self.plugins.release(self.name)
        self.system.start()

        self.assertEqual([(THREADS,)], held)
        for each in crowd:
            self.client.wait(each, "CREATE_COMPLETE")
