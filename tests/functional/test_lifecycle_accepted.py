"""Plug-ins judge each acceptance of drift by a policy."""

from tests.functional import doors
from tests.functional import lifecycle
from tests.functional import observing
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates


class AcceptedTests(doors.DoorsTestCase):
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
        return _find_reasons(self.client, stack, text)


class CheckedTests(lifecycle.LifecycleTestCase):
    """The observer is off: only a check finds drift."""

    count = 1

    def test_what_a_check_finds_is_judged_as_an_acceptance(self) -> None:
        stack = self.client.create(
            self.name, world_templates.template(a=observing.listed())
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        observing.set_policy(self.client, stack, {"stack": "accept"})
        self.plugins.order(
            1, "pre", "deny", verb="accept_drift", text="frozen"
        )
        self.world.relabel(self.name, "a", "drifted")

        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")
        waiting.wait_for(
            lambda: _find_reasons(self.client, stack, "frozen"), "the denial"
        )
        denied = observing.drifted(self.client, stack)
        self.plugins.forgive()
        self.act(stack, "check")
        waiting.wait_for(
            lambda: _find_reasons(self.client, stack, "was accepted"),
            "drift that is accepted",
        )

        self.assertEqual(["a"], denied)
        self.assertEqual([], observing.drifted(self.client, stack))
        self.assertEqual(
            [("pre", ["a"]), ("pre", ["a"]), ("post", ["a"])],
            [
                (each["phase"], each["paths"])
                for each in self.plugins.lines(stack)
                if each["verb"] == "accept_drift"
            ],
        )


def _find_reasons(
    client: rest.Client, stack: rest.Stack, text: str
) -> list[str]:
    """Return the reasons of events of a stack with a text in them."""
    return [
        str(each["resource_status_reason"])
        for each in client.events(stack)
        if text in str(each["resource_status_reason"])
    ]
