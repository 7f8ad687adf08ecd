from orch.engine.lifecycle import hook_call
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order
from tests import base
from tests.support import patterns
from tests.unit.resources import contexts


class _Counting(lifecycle.LifecyclePlugin):
    """Decides how often it was asked; from the third time on it denies."""

    count = 0

    def pre_operation(
        self, seen: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        self.count += 1
        if self.count > 2:
            return lifecycle.deny("no room is left")
        return lifecycle.allow({"web": self.count})


class AskTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = _Counting("counting", None)
        [self.member] = lifecycle_order.PluginOrder.of([self.plugin]).members
        self.store: list[object] = []
        self.answers: list[bool] = []

    def store_decisions(self, plugin: str, decisions: object) -> bool:
        self.store.append((plugin, decisions))
        return self.answers.pop(0)

    def ask(self) -> hook_call.CallResult:
        return hook_call.call_hook(
            self.member,
            patterns.make_operation(),
            contexts.FakeClock(),
            save=self.store_decisions,
        )

    def test_what_may_be_kept_is_the_answer(self) -> None:
        self.answers = [True]

        heard = self.ask()

        self.assertEqual({"web": 1}, heard.verdict and heard.verdict.decisions)
        self.assertEqual([("counting", {"web": 1})], self.store)

    def test_what_may_not_be_kept_is_decided_again(self) -> None:
        self.answers = [False, True]

        heard = self.ask()

        self.assertEqual({"web": 2}, heard.verdict and heard.verdict.decisions)
        self.assertEqual(2, self.plugin.count)

    def test_the_last_answer_counts_also_if_it_denies(self) -> None:
        self.answers = [False, False]

        heard = self.ask()

        assert heard.verdict is not None
        self.assertEqual(lifecycle.Ruling.DENY, heard.verdict.ruling)
        self.assertEqual({}, heard.verdict and heard.verdict.decisions)
        self.assertEqual(2, len(self.store))
