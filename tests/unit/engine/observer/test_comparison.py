"""What a report says of things, and what policies say to put back."""

import typing

from oslo_config import cfg

from orch import clock
from orch.engine.observer import comparison
from orch.engine.observer import tree_loader
from orch.model import resource
from orch.model import states
from orch.plugin import reality
from orch.plugin import registry
from tests import base
from tests.support import nouns
from tests.unit.planner import test_drift

_REPAIR: typing.Final = {"stack": "repair"}


class CheckFailedTests(base.TestCase):
    """A check has found fault with a thing that was made."""

    def seen(
        self, answer: reality.Answer, **more: object
    ) -> tuple[resource.Resource, list[comparison.Seen]]:
        row = test_drift.row(
            {"one": "a"},
            {"one": "a"},
            **{
                "action": states.Action.CHECK,
                "status": states.Status.FAILED,
                **more,
            },
        )
        subject = nouns.make_stack()
        tree = tree_loader.Tree(
            root=subject,
            stacks=(
                tree_loader.Loaded(
                    subject=subject,
                    path="",
                    rows=(row,),
                    asked=None,
                    is_busy=False,
                ),
            ),
            read_at=clock.Timestamp(1.0),
            seen={},
        )
        types = registry.ResourceTypes.of([test_drift.Thing], cfg.ConfigOpts())
        self.readable = comparison.readable(tree)
        found = comparison.Comparison(tree, {row.id: answer}, types, _REPAIR)
        return row, found.seen()

    def test_it_is_told_like_any_other(self) -> None:
        row, (seen,) = self.seen({"one": "x"})

        (told,) = seen.observations
        self.assertEqual([row], self.readable)
        self.assertEqual("drifted", told.state.value)
        self.assertEqual((1, 1), (told.covered, told.given))

    def test_what_is_there_is_not_made_anew_by_a_repair(self) -> None:
        _, seen = self.seen({"one": "x"})
        self.assertEqual({}, comparison.repairs_of(seen, _REPAIR))

        row, seen = self.seen(reality.Vanished("gone"))
        self.assertEqual({row.id: None}, comparison.repairs_of(seen, _REPAIR))
        row, seen = self.seen({"one": "x"}, status=states.Status.COMPLETE)
        self.assertEqual(
            {row.id: ("one",)}, comparison.repairs_of(seen, _REPAIR)
        )

    def test_what_was_never_made_is_unknown(self) -> None:
        _, (seen,) = self.seen(None, action=states.Action.CREATE)

        (told,) = seen.observations
        self.assertEqual([], self.readable)
        self.assertEqual(comparison.NOT_COMPLETE, told.reason)
