"""Plug-ins judge each acceptance of drift by a policy."""

from tests.functional import observing
from tests.functional import test_lifecycle_doors
from tests.support import rest
from tests.support import waiting


class AcceptedTests(test_lifecycle_doors.DoorsTestCase):
    def test_the_observer_s_acceptance_in_a_child_is_denied(self) -> None:
        tree = self.tree()
        observing.set_policy(self.client, tree.root, {"stack": "accept"})
        self.deny()

        self.world.relabel(self.holder("inner"), "inner", "drifted")
        waiting.wait_for(
            lambda: observing.drifted(self.client, tree.root) == ["kid/inner"],
            "drift that is not accepted",
        )
        for _ in range(3):
            observing.wait_for_look(self.client, tree.root)
        lasting = observing.drifted(self.client, tree.root)
        denied = self._observed(tree.child, "frozen")
        self.plugins.forgive()
        waiting.wait_for(
            lambda: self._observed(tree.child, "was accepted"),
            "drift that is accepted",
        )

        self.assertEqual(["kid/inner"], lasting)
        self.assertEqual(1, len(denied))
        self.assertEqual(
            {("repair", ("kid/inner",))},
            {
                (each["cause"], tuple(each["paths"]))
                for each in self.plugins.lines(tree.root)
                if each["verb"] == "accept_drift"
            },
        )

    def _observed(self, stack: rest.Stack, text: str) -> list[str]:
        """Return the reasons of events of a stack with a text in them."""
        return [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
            if text in str(each["resource_status_reason"])
        ]
