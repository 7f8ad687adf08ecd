"""Whether a lost call made something stays open until there is an answer."""

from orch import errors
from orch.model import states
from tests import base
from tests.support import flows


class OpenOutcomeTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.flows = self.useFixture(flows.Flows())
        self.script = self.flows.kind.script
        self.lose_an_answer()

    def lose_an_answer(self) -> None:
        """Let a creation make something that nobody was told of."""
        self.script["create", "a"] = [errors.Transient("no answer")] * 9
        self.script["find", "a"] = [errors.Transient("no answer")] * 9
        self.flows.run(flows.Template(a=""))
        self.assertTrue(self.flows.row("a").is_outcome_unknown)
        self.script["find", "a"] = []

    def deletes(self) -> int:
        return self.flows.kind.calls.count(("delete", "a"))

    def test_a_removal_that_fails_does_not_answer_it(self) -> None:
        self.script["find", "a"] = ["thing-a", "thing-a"]
        self.script["delete", "a"] = [errors.Permanent("not today")]
        failed = self.flows.run(None, states.Action.DELETE)

        done = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(states.OperationState.FAILED, failed.state)
        self.assertEqual(states.OperationState.COMPLETE, done.state)
        self.assertEqual(2, self.deletes())

    def test_a_removal_that_is_refused_for_now_does_not_answer_it(
        self,
    ) -> None:
        self.script["find", "a"] = ["thing-a", "thing-a"]
        self.script["delete", "a"] = [errors.Busy("not yet")]

        done = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(states.OperationState.COMPLETE, done.state)
        self.assertEqual(2, self.deletes())

    def test_a_search_that_fails_does_not_answer_it(self) -> None:
        self.script["create", "a"] = []
        self.script["find", "a"] = [errors.Permanent("not today")]

        self.flows.run(flows.Template(a=""))

        row = self.flows.row("a")
        self.assertTrue(row.is_outcome_unknown)
        self.assertIn("cannot be searched for: not today", row.status_reason)

    def test_a_search_that_is_refused_for_now_is_made_again(self) -> None:
        self.script["create", "a"] = []
        self.script["find", "a"] = [errors.Busy("not yet"), "thing-a"]

        done = self.flows.run(flows.Template(a=""))

        self.assertEqual(states.OperationState.COMPLETE, done.state)
        self.assertEqual("thing-a", self.flows.row("a").physical_id)

    def test_refusals_of_a_search_do_not_answer_it(self) -> None:
        self.script["create", "a"] = []
        self.script["find", "a"] = [errors.Busy("not yet")] * 9

        self.flows.run(flows.Template(a=""))

        row = self.flows.row("a")
        self.assertTrue(row.is_outcome_unknown)
        self.assertIn("cannot be searched for yet: not yet", row.status_reason)
