"""What suspend, resume and check do with what stands."""

import itertools

from orch import clock
from orch import ids
from orch.model import resource
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from tests import base

A = states.Action
S = states.Status
NOW = clock.Timestamp(0.0)
MINE = ids.OperationId("mine")
OTHER = ids.OperationId("other")


def row(
    name: str,
    action: states.Action = A.CREATE,
    status: states.Status = S.COMPLETE,
    *requires: str,
    **fields: object,
) -> resource.Resource:
    return resource.Resource(
        **{
            "id": ids.ResourceId(f"{name}-row"),
            "stack_id": ids.StackId("s"),
            "name": name,
            "type_name": "A::B::C",
            "physical_id": f"{name}-thing",
            "created_at": NOW,
            "updated_at": NOW,
            "action": action,
            "status": status,
            "requires": requires,
            "operation_id": OTHER,
            **fields,
        }
    )


def build(action: states.Action, *rows: resource.Resource) -> plan.Plan:
    return builder.build_plan(
        draft.Situation(
            action=action, desired={}, existing=rows, operation_id=MINE
        )
    )


def named(action: states.Action, *rows: resource.Resource) -> list[str]:
    """Return the names of what is acted on, in order."""
    return [each.name for each in build(action, *rows).changes]


CHAIN = (row("a"), row("b", A.CREATE, S.COMPLETE, "a"))


class ActTest(base.TestCase):
    def test_rest_begins_at_the_dependents_and_ends_there(self) -> None:
        resting = [
            row("a", A.SUSPEND, is_at_rest=True),
            row("b", A.SUSPEND, S.COMPLETE, "a", is_at_rest=True),
        ]

        self.assertEqual(
            "suspend b (exists)\nsuspend a (exists) after suspend b",
            build(A.SUSPEND, *CHAIN).describe(),
        )
        self.assertEqual(
            "resume a (exists)\nresume b (exists) after resume a",
            build(A.RESUME, *resting).describe(),
        )

    def test_a_check_looks_at_all_at_once(self) -> None:
        self.assertEqual(
            "check a (exists)\ncheck b (exists)",
            build(A.CHECK, *CHAIN).describe(),
        )

    def test_a_check_finds_what_has_failed_before_it_stood(self) -> None:
        found = build(
            A.CHECK,
            row("stands"),
            row("never", A.INIT),
            row("broken", A.CREATE, S.FAILED),
            row("strange", A.ADOPT, S.FAILED),
            row("going", A.DELETE, S.FAILED),
            row("half", A.UPDATE, S.FAILED),
            row("unwell", A.CHECK, S.FAILED),
        )

        self.assertEqual(
            {
                "stands": "",
                "broken": "CREATE",
                "strange": "ADOPT",
                "going": "DELETE",
                "half": "",
                "unwell": "",
            },
            {each.name: each.unfinished for each in found.changes},
        )
        self.assertEqual(("never",), found.unchanged)

    def test_only_what_stands_is_put_to_rest(self) -> None:
        rows = [
            row("never", A.INIT),
            row("broken", A.CREATE, S.FAILED),
            row("going", A.DELETE, S.FAILED),
            row("half", A.UPDATE, S.FAILED),
            row("unwell", A.CHECK, S.FAILED),
            row("resting", A.SUSPEND),
        ]

        self.assertEqual(["half", "unwell"], named(A.SUSPEND, *rows))

    def test_only_what_may_rest_is_woken(self) -> None:
        """Whatever has been done with it since it went to rest."""
        actions = (A.UPDATE, A.SUSPEND, A.RESUME, A.CHECK, A.SNAPSHOT)
        rows = [
            row(
                f"{action}-{status}-{rests}".lower(),
                action,
                status,
                is_at_rest=rests,
            )
            for action, status, rests in itertools.product(
                actions, S, (True, False)
            )
        ]

        self.assertEqual(
            sorted(
                f"{action}-{status}-true".lower()
                for action, status in itertools.product(actions, S)
                if (action, status) != (A.RESUME, S.COMPLETE)
            ),
            sorted(named(A.RESUME, *rows)),
        )

    def test_a_retry_acts_on_what_this_operation_has_not_done(self) -> None:
        done = row("done", A.CHECK, operation_id=MINE)
        failed = row("failed", A.CHECK, S.FAILED, operation_id=MINE)
        before = row("before", A.CHECK)

        found = build(A.CHECK, done, failed, before)

        self.assertEqual(
            {"failed": True, "before": False},
            {each.name: each.is_repeated for each in found.changes},
        )
        self.assertEqual(("done",), found.unchanged)
