"""What a report says of things, and what policies say to put back."""

import typing

from oslo_config import cfg

from orch import clock
from orch.engine.observer import repair_policy
from orch.engine.observer import tree as observer_tree
from orch.flow.state import drift_records
from orch.model import resource
from orch.model import states
from orch.planner import drift
from orch.plugin import reality
from orch.plugin import registry
from tests import base
from tests.support import nouns
from tests.unit.planner import test_drift

_REPAIR: typing.Final = {"stack": "repair"}


class CheckFailedTests(base.TestCase):
    """A check has found fault with a thing that was made."""

    def observed(
        self, answer: reality.Answer, **more: object
    ) -> tuple[resource.Resource, list[drift_records.StackObservations]]:
        row = test_drift.row(
            {"one": "a"},
            {"one": "a"},
            **{
                "action": states.Action.CHECK,
                "status": states.Status.FAILED,
                **more,
            },
        )
        stack = nouns.make_stack()
        tree = observer_tree.Tree(
            members=(
                observer_tree.Member(
                    stack=stack,
                    path="",
                    rows=(row,),
                    operation=None,
                    is_busy=False,
                ),
            ),
            read_at=clock.Timestamp(1.0),
            observed={},
        )
        types = registry.ResourceTypes.of(
            [test_drift.SampleResource], cfg.ConfigOpts()
        )
        self.readable = tree.readable_rows()
        found = tree.compare({row.id: answer}, types, _REPAIR)
        return row, found

    def test_it_is_told_like_any_other(self) -> None:
        row, (observed,) = self.observed({"one": "x"})

        (told,) = observed.observations
        self.assertEqual([row], self.readable)
        self.assertEqual("drifted", told.state.value)
        self.assertEqual((1, 1), (told.compared, told.given))

    def test_what_is_there_is_not_made_anew_by_a_repair(self) -> None:
        _, observed = self.observed({"one": "x"})
        self.assertEqual({}, repair_policy.repairs_of(observed, _REPAIR))

        row, observed = self.observed(reality.Vanished("gone"))
        self.assertEqual(
            {row.id: None}, repair_policy.repairs_of(observed, _REPAIR)
        )
        row, observed = self.observed(
            {"one": "x"}, status=states.Status.COMPLETE
        )
        self.assertEqual(
            {row.id: ("one",)}, repair_policy.repairs_of(observed, _REPAIR)
        )

    def test_what_was_never_made_is_unknown(self) -> None:
        _, (observed,) = self.observed(None, action=states.Action.CREATE)

        (told,) = observed.observations
        self.assertEqual([], self.readable)
        self.assertEqual(drift.NOT_COMPLETE, told.reason)
