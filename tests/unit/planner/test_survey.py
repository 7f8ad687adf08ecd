"""Plans that go by what things are, and plans without what is no change."""

from oslo_config import cfg

from orch import errors
from orch import ids
from orch.model import resource as model_resource
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from orch.planner import survey
from orch.plugin import reality
from orch.template.resources import declaration
from tests import base
from tests.unit.planner import test_drift

_TYPE = "Test::Drift::Thing"


class Known:
    """Wants of each resource what the test says."""

    def __init__(self, **wanted: dict[str, object]) -> None:
        self._desired = wanted
        self._plugin = test_drift.SampleResource(cfg.ConfigOpts())

    def plugin(self, type_name):
        return self._plugin

    def properties(self, name, seen):
        return self._desired[name]

    def metadata(self, name, seen):
        return {}

    def attributes_read(self, name):
        return ()

    def is_sensitive(self, row, attribute, value):
        return False

    def reference_id(self, row):
        return row.physical_id


def existing_resource(name: str, **more: object) -> model_resource.Resource:
    return model_resource.Resource(
        stack_id=ids.StackId("s"),
        name=name,
        type_name=_TYPE,
        physical_id=f"thing-{name}",
        properties={"one": "a"},
        created_at=0.0,
        updated_at=0.0,
        **{  # type: ignore[arg-type]
            "id": ids.ResourceId(f"{name}-id"),
            "action": states.Action.CREATE,
            "status": states.Status.COMPLETE,
            **more,
        },
    )


class SurveyPlanTests(base.TestCase):
    def plan_of(
        self,
        answers: dict[str, reality.Answer],
        *rows: model_resource.Resource,
        wanted: tuple[str, ...] = ("a",),
        narrowed_to: frozenset[ids.ResourceId] | None = None,
    ) -> plan.Plan:
        situation = draft.Situation(
            action=states.Action.UPDATE,
            desired={
                name: declaration.Declaration(
                    name=name, type_name=_TYPE, declared_type=_TYPE
                )
                for name in wanted
            },
            existing=rows,
            known=Known(**{name: {"one": "a"} for name in wanted}),
            survey=survey.Survey(
                {ids.ResourceId(f"{n}-id"): a for n, a in answers.items()},
                narrowed_to=narrowed_to,
            ),
            new_id=lambda: "new-id",
        )
        return builder.build_plan(situation)

    def lines(self, found: plan.Plan) -> list[str]:
        return [
            f"{each.kind} {each.name} {each.resource_id} ({each.reason})"
            for each in found.changes
            if each.name
        ]

    def test_what_is_left_of_what_vanished_is_removed_before_the_next(
        self,
    ) -> None:
        gone = reality.Vanished("it is gone")
        on_it = existing_resource("b", required_ids=(ids.ResourceId("a-id"),))

        found = self.plan_of(
            {"a": gone}, existing_resource("a"), on_it, wanted=("a", "b")
        )

        self.assertEqual(
            [
                "delete a a-id (is not there any more)",
                "create a new-id (is not there any more)",
            ],
            self.lines(found),
        )
        remove, make = found.changes[:2]
        self.assertTrue(remove.is_vanished)
        self.assertEqual((remove.key,), make.requires)
        self.assertEqual("a-id", make.replaces)

    def test_of_what_vanished_and_is_not_wanted_there_is_no_snapshot(
        self,
    ) -> None:
        gone = reality.Vanished("it is gone")
        policy = existing_resource("a", deletion_policy="Snapshot")

        found = self.plan_of({"a": gone}, policy, wanted=())

        self.assertEqual(
            ["delete a a-id (is not there any more)"], self.lines(found)
        )

    def test_what_vanished_and_is_to_be_retained_is_only_forgotten(
        self,
    ) -> None:
        gone = reality.Vanished("it is gone")

        found = self.plan_of(
            {"a": gone}, existing_resource("a", deletion_policy="Retain")
        )

        self.assertEqual(
            [
                "create a new-id (is not there any more)",
                "retain a a-id (is not there any more)",
            ],
            sorted(self.lines(found)),
        )

    def test_a_repair_creates_and_completes_nothing_else(self) -> None:
        left_out = existing_resource(
            "a", action=states.Action.CREATE, status=states.Status.FAILED
        )
        half = existing_resource(
            "b", action=states.Action.UPDATE, status=states.Status.FAILED
        )
        names = ("a", "b", "missing")

        repair = self.plan_of(
            {}, left_out, half, wanted=names, narrowed_to=frozenset()
        )
        begun = self.plan_of(
            {},
            left_out,
            half,
            wanted=names,
            narrowed_to=frozenset({left_out.id}),
        )
        update = self.plan_of({}, left_out, half, wanted=names)

        self.assertEqual([], self.lines(repair))
        self.assertEqual({"a"}, {each.name for each in begun.changes} - {""})
        self.assertEqual(
            set(names), {each.name for each in update.changes} - {""}
        )

    def test_a_repair_leaves_what_another_stack_took_over(self) -> None:
        taken = existing_resource("a", action=states.Action.DELETE)

        other = self.plan_of({}, taken, narrowed_to=frozenset())
        own = self.plan_of({}, taken, narrowed_to=frozenset({taken.id}))

        self.assertEqual([], self.lines(other))
        self.assertEqual({"a"}, {each.name for each in own.changes} - {""})

    def test_a_repair_keeps_what_an_unfinished_one_replaces(self) -> None:
        old = existing_resource("a", replaced_by=ids.ResourceId("new"))
        new = existing_resource(
            "a",
            id=ids.ResourceId("new"),
            action=states.Action.CREATE,
            status=states.Status.FAILED,
        )

        repair = self.plan_of({}, old, new, narrowed_to=frozenset())

        self.assertEqual([], self.lines(repair))

    def test_a_repair_leaves_what_a_replacement_could_not_remove(
        self,
    ) -> None:
        left = existing_resource(
            "a",
            id=ids.ResourceId("left"),
            action=states.Action.DELETE,
            status=states.Status.FAILED,
            replaced_by=ids.ResourceId("a-id"),
        )
        gone = reality.Vanished("it is gone")
        rows = (left, existing_resource("a"))

        other = self.plan_of({}, *rows, narrowed_to=frozenset())
        own = self.plan_of(
            {"a": gone}, *rows, narrowed_to=frozenset({rows[1].id})
        )
        update = self.plan_of({}, *rows)

        self.assertEqual([], self.lines(other))
        self.assertEqual(
            [
                "delete a a-id (is not there any more)",
                "create a new-id (is not there any more)",
            ],
            self.lines(own),
        )
        self.assertEqual(["delete a left (was replaced)"], self.lines(update))

    def test_a_repair_removes_nothing_that_is_not_wanted(self) -> None:
        old = existing_resource("old")

        repair = self.plan_of({}, old, wanted=(), narrowed_to=frozenset())
        update = self.plan_of({}, old, wanted=())

        self.assertEqual([], self.lines(repair))
        self.assertEqual(
            ["delete old old-id (is not wanted)"], self.lines(update)
        )

    def test_a_repair_leaves_what_a_check_found_fault_with(self) -> None:
        ill = existing_resource(
            "a", action=states.Action.CHECK, status=states.Status.FAILED
        )

        repair = self.plan_of({}, ill, narrowed_to=frozenset())
        meant = self.plan_of({}, ill, narrowed_to=frozenset({ill.id}))
        update = self.plan_of({}, ill)

        self.assertEqual([], self.lines(repair))
        self.assertIn("create a new-id (failed before)", self.lines(meant))
        self.assertIn("create a new-id (failed before)", self.lines(update))

    def test_what_could_not_be_read_is_named(self) -> None:
        found = self.plan_of(
            {"a": errors.Transient("no answer")}, existing_resource("a")
        )

        self.assertEqual([], self.lines(found))
        (unread,) = found.unread
        self.assertEqual(("a", "no answer"), (unread.name, unread.reason))

    def test_what_is_as_wanted_already_is_only_noted(self) -> None:
        row = existing_resource("a", baseline={"one": "was"})

        found = self.plan_of({"a": {"one": "a"}}, row)

        (change,) = (each for each in found.changes if each.name)
        self.assertTrue(change.notes_only)
        self.assertEqual((), change.changed)


class WithoutTests(base.TestCase):
    def change(self, name: str, *requires: str) -> plan.Change:
        return plan.Change(
            plan.Kind.UPDATE,
            name,
            _TYPE,
            ids.ResourceId(f"{name}-id"),
            tuple(f"update:{each}:{each}-id" for each in requires),
            "changed",
        )

    def test_what_waited_for_it_waits_for_what_it_waited_for(self) -> None:
        first, idle = self.change("a"), self.change("b", "a")
        last = self.change("c", "b", "a")
        whole = plan.Plan((first, idle, last), unchanged=("d",))

        found = plan.without_changes(whole, [idle])

        self.assertEqual(["a", "c"], [each.name for each in found.changes])
        self.assertEqual((first.key,), found.changes[1].requires)
        self.assertEqual(("d", "b"), found.unchanged)

    def test_nothing_is_left_to_clean_up_behind_nothing(self) -> None:
        idle = self.change("a")

        found = plan.without_changes(
            plan.Plan((idle, plan.new_clean_up())), [idle]
        )

        self.assertEqual((), found.changes)
