"""Golden plans: what is wanted and what exists in, text out."""

import dataclasses
import itertools

import testtools

from orch import clock
from orch import ids
from orch.model import resource
from orch.model import retry_exclusions
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from orch.planner import sorting

NOW = clock.Timestamp(0.0)


@dataclasses.dataclass(frozen=True)
class Declaration:
    """What the planner reads of a declaration."""

    name: str
    requires: tuple[str, ...] = ()
    declared_type: str = "A::B::C"
    type_name: str = "A::B::C"
    deletion_policy: str = "Delete"
    external_id: str | None = None
    restricted_actions: tuple[str, ...] = ()


def declare(**requires: tuple[str, ...]) -> dict[str, Declaration]:
    return {
        name: Declaration(name, needed) for name, needed in requires.items()
    }


def row(
    name: str,
    action: states.Action = states.Action.CREATE,
    status: states.Status = states.Status.COMPLETE,
    **fields: object,
) -> resource.Resource:
    values = {
        "id": ids.ResourceId(f"{name}-row"),
        "stack_id": ids.StackId("s"),
        "name": name,
        "type_name": "A::B::C",
        "physical_id": f"{name}-thing",
        "created_at": NOW,
        "updated_at": NOW,
        "action": action,
        "status": status,
    }
    return resource.Resource(**{**values, **fields})


def build(
    desired: dict[str, Declaration] | None = None,
    existing: tuple[resource.Resource, ...] = (),
    action: states.Action = states.Action.CREATE,
    exclusions: retry_exclusions.RetryExclusions = retry_exclusions.NOTHING,
) -> plan.Plan:
    numbers = itertools.count()
    return builder.build_plan(
        draft.Situation(
            action=action,
            desired=desired or {},
            existing=existing,
            exclusions=exclusions,
            new_id=lambda: f"new-{next(numbers)}",
        )
    )


class BuilderTest(testtools.TestCase):
    def test_what_is_declared_is_made_after_what_it_requires(self) -> None:
        wanted = build(declare(web=("disk", "net"), disk=(), net=()))

        self.assertEqual(
            "create disk (is not there yet)\n"
            "create net (is not there yet)\n"
            "create web (is not there yet) after create disk, create net",
            wanted.describe(),
        )

    def test_what_is_complete_drops_out_of_the_plan(self) -> None:
        wanted = build(
            declare(web=("disk",), disk=()), existing=(row("disk"),)
        )

        self.assertEqual("create web (is not there yet)", wanted.describe())
        self.assertEqual(("disk",), wanted.unchanged)

    def test_an_interrupted_creation_goes_on_with_its_row(self) -> None:
        begun = row("web", status=states.Status.IN_PROGRESS, physical_id=None)

        (change,) = build(declare(web=()), (begun,)).changes

        self.assertEqual(begun.id, change.resource_id)
        self.assertTrue(change.is_repeated)

    def test_a_row_that_never_began_is_no_repetition(self) -> None:
        waiting = row("web", states.Action.INIT, physical_id=None)

        (change,) = build(declare(web=()), (waiting,)).changes

        self.assertEqual(waiting.id, change.resource_id)
        self.assertFalse(change.is_repeated)

    def test_a_failure_that_left_nothing_keeps_its_row(self) -> None:
        failed = row("web", status=states.Status.FAILED, physical_id=None)

        (change,) = build(declare(web=()), (failed,)).changes

        self.assertEqual((plan.Kind.CREATE, failed.id), _what(change))
        self.assertTrue(change.is_repeated)

    def test_what_failed_and_stands_may_be_good_by_now(self) -> None:
        failed = row(
            "web",
            status=states.Status.FAILED,
            status_reason="TimedOut: resources.web: time was over",
        )

        wanted = build(declare(web=()), (failed,))

        self.assertEqual(
            "perhaps create web (its creation failed (TimedOut): stays if it"
            " is usable by now, else is replaced)",
            wanted.describe(),
        )
        (change,) = wanted.changes
        self.assertEqual((plan.Kind.CREATE, failed.id), _what(change))
        self.assertTrue(change.replaces_failed)
        self.assertTrue(change.preserves_properties)

    def test_what_was_begun_once_is_not_replaced_where_it_fails(self) -> None:
        begun = row("web", status=states.Status.IN_PROGRESS, attempt=1)

        (change,) = build(declare(web=()), (begun,)).changes

        self.assertFalse(change.replaces_failed)
        self.assertTrue(change.is_certain)

    def test_a_crash_while_it_is_looked_at_plans_the_same(self) -> None:
        begun = row("web", status=states.Status.IN_PROGRESS, attempt=2)

        (change,) = build(declare(web=()), (begun,)).changes

        self.assertEqual((plan.Kind.CREATE, begun.id), _what(change))
        self.assertTrue(change.replaces_failed)

    def test_what_failed_is_replaced_unseen_on_request(self) -> None:
        failed = row("web", status=states.Status.FAILED)

        wanted = build(
            declare(web=()),
            (failed,),
            exclusions=retry_exclusions.RetryExclusions(
                replace=frozenset({"web"}), replaced=frozenset({failed.id})
            ),
        )

        self.assertEqual(
            "delete web (is replaced on request)\n"
            "create web (is replaced on request) after delete web",
            wanted.describe(),
        )

    def test_a_failed_update_is_replaced_on_request(self) -> None:
        failed = row("web", states.Action.UPDATE, states.Status.FAILED)

        wanted = build(
            declare(web=()),
            (failed,),
            exclusions=retry_exclusions.RetryExclusions(
                replace=frozenset({"web"}), replaced=frozenset({failed.id})
            ),
        )

        self.assertEqual(
            "create web (is replaced on request)\n"
            "clean-up  (all else is complete) after create web\n"
            "delete web (is replaced) after clean-up ",
            wanted.describe(),
        )

    def test_remains_of_a_failure_are_removed_before_the_next_try(
        self,
    ) -> None:
        failed = row(
            "web", states.Action.DELETE, status=states.Status.IN_PROGRESS
        )

        wanted = build(declare(web=()), (failed,))

        self.assertEqual(
            "delete web (failed)\ncreate web (failed before) after delete web",
            wanted.describe(),
        )
        self.assertEqual(failed.id, wanted.changes[1].replaces)

    def test_remains_that_are_to_be_retained_are_only_forgotten(self) -> None:
        failed = row(
            "web",
            states.Action.DELETE,
            status=states.Status.IN_PROGRESS,
            deletion_policy="Retain",
        )

        wanted = build(declare(web=()), (failed,))

        self.assertEqual(
            "retain web (failed)\ncreate web (failed before) after retain web",
            wanted.describe(),
        )

    def test_a_crash_between_removal_and_next_try_plans_the_same(
        self,
    ) -> None:
        failed = row(
            "web",
            states.Action.DELETE,
            states.Status.IN_PROGRESS,
            replaced_by=ids.ResourceId("new"),
        )
        waiting = row(
            "web",
            states.Action.INIT,
            id=ids.ResourceId("new"),
            physical_id=None,
        )

        wanted = build(declare(web=()), (failed, waiting))

        self.assertEqual(
            "delete web (was replaced)\n"
            "create web (is not there yet) after delete web",
            wanted.describe(),
        )

    def test_what_requires_others_is_removed_before_them(self) -> None:
        wanted = build(
            existing=(row("disk"), row("web", requires=("disk",))),
            action=states.Action.DELETE,
        )

        self.assertEqual(
            "delete web (is not wanted)\n"
            "delete disk (is not wanted) after delete web",
            wanted.describe(),
        )

    def test_what_is_removed_already_is_not_removed_again(self) -> None:
        gone = row("web", states.Action.DELETE)

        self.assertEqual((), build(existing=(gone,)).changes)

    def test_a_removed_resource_that_is_wanted_is_made_anew(self) -> None:
        gone = row("web", states.Action.DELETE)

        (change,) = build(declare(web=()), (gone,)).changes

        self.assertEqual(
            (plan.Kind.CREATE, ids.ResourceId("new-0")), _what(change)
        )

    def test_what_is_to_be_retained_is_only_forgotten(self) -> None:
        kept = row("web", deletion_policy="Retain")

        (change,) = build(existing=(kept,)).changes

        self.assertEqual((plan.Kind.RETAIN, kept.id), _what(change))

    def test_an_external_thing_is_adopted_and_not_made(self) -> None:
        desired = {"net": Declaration("net", external_id="net-1")}

        (change,) = build(desired).changes

        self.assertEqual(plan.Kind.ADOPT, change.kind)
        self.assertEqual("net-1", change.external_id)

    def test_a_failed_adoption_removes_nothing(self) -> None:
        desired = {"net": Declaration("net", external_id="net-1")}
        failed = row(
            "net",
            states.Action.ADOPT,
            states.Status.FAILED,
            external_id="net-1",
        )

        (change,) = build(desired, (failed,)).changes

        self.assertEqual((plan.Kind.ADOPT, failed.id), _what(change))

    def test_changes_that_wait_for_one_another_are_refused(self) -> None:
        error = self.assertRaises(
            sorting.CircularPlan, build, declare(a=("b",), b=("a",))
        )

        self.assertIn("a -> b", str(error))


def _what(change: plan.Change) -> tuple[plan.Kind, ids.ResourceId]:
    return change.kind, change.resource_id
