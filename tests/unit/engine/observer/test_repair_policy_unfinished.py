"""What a repair that failed has left undone, by the rows and policies."""

import testtools

from orch import clock
from orch import ids
from orch.engine.observer import repair_policy
from orch.engine.observer import tree
from orch.model import operation as operation_model
from orch.model import repair
from orch.model import resource
from orch.model import states
from tests.functional.db import base
from tests.support import nouns

_REPAIR = {"stack": "repair"}


def _row(
    name: str,
    action: states.Action = states.Action.UPDATE,
    status: states.Status = states.Status.FAILED,
) -> resource.Resource:
    return base.make_resource(
        id=ids.ResourceId(name), name=name, action=action, status=status
    )


def _tree(
    *rows: resource.Resource,
    state: states.OperationState = states.OperationState.FAILED,
    only: repair.Repair | None = None,
) -> tree.Tree:
    stack = nouns.make_stack()
    operation = operation_model.Operation(
        id=ids.OperationId("o"),
        stack_id=stack.id,
        project_id="p",
        action=states.Action.UPDATE,
        state=state,
        options={} if only is None else only.to_options(),
        created_at=clock.Timestamp(0),
    )
    root = tree.Member(
        stack=stack, path="", rows=rows, operation=operation, is_busy=False
    )
    return tree.Tree(members=(root,), read_at=clock.Timestamp(0), observed={})


_OLD = repair.Repair({ids.ResourceId("old"): None})
_LABEL = repair.Repair({ids.ResourceId("a"): ("label", "value")})


class UnfinishedTests(testtools.TestCase):
    def test_d6_what_could_not_be_made_anew_is_wanted_still(self) -> None:
        failed = _row("new", states.Action.CREATE)
        standing = _row("b", status=states.Status.COMPLETE)

        found = repair_policy.find_unfinished(
            _tree(failed, standing, only=_OLD), _REPAIR
        )

        # Without the old one, which is no current row, it is gone back to.
        self.assertEqual({failed.id: None, "old": None}, found)

    def test_d6_what_a_policy_says_no_more_is_not_wanted(self) -> None:
        failed = _row("new", states.Action.CREATE)
        policy = {
            **_REPAIR,
            "resources": {
                "new": {"policy": "report"},
                "a": {"properties": {"value": "report"}},
            },
        }

        self.assertEqual(
            {}, repair_policy.find_unfinished(_tree(failed, only=_OLD), policy)
        )
        self.assertEqual(
            {"a": ("label",)},
            repair_policy.find_unfinished(
                _tree(_row("a"), only=_LABEL), policy
            ),
        )

    def test_d6_only_a_failed_repair_has_left_something(self) -> None:
        failed = _row("a", states.Action.CREATE)
        done = _tree(failed, state=states.OperationState.COMPLETE, only=_LABEL)

        self.assertEqual(
            {}, repair_policy.find_unfinished(_tree(failed), _REPAIR)
        )
        self.assertEqual({}, repair_policy.find_unfinished(done, _REPAIR))

    def test_what_a_check_has_found_is_seen_by_a_look(self) -> None:
        checked = _row("a", states.Action.CHECK)

        self.assertEqual(
            {},
            repair_policy.find_unfinished(_tree(checked, only=_OLD), _REPAIR),
        )
