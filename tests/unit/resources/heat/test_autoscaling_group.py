"""Groups that are scaled, brought from stage to stage."""

import dataclasses

from orch import errors
from orch.plugin import signals
from orch.resources.groups import adjustment as group_adjustment
from orch.resources.heat import autoscaling_group
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.groups import members

KIND = autoscaling_group.AutoScalingResourceGroup
WEB = {"type": "Web"}
NEW = {"type": "New"}


class AutoScalingGroupTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = contexts.FakeClock()
        self.plugin = KIND(contexts.options(), self.clock)

    def group(self, **properties: object) -> members.Group:
        given = {"min_size": 1, "max_size": 5, "resource": WEB, **properties}
        return members.Group(self.plugin, contexts.make(KIND, **given))

    def resize(
        self,
        group: members.Group,
        adjustment: float,
        kind: str = group_adjustment.CHANGE,
        step: int | None = None,
    ) -> bool:
        """Answer whether the group takes another size; it then has that."""
        asked = signals.Resize(
            group="g",
            adjustment_type=kind,
            adjustment=adjustment,
            min_step=step,
        )
        data = self.plugin.resized(group.context, group.members, asked)
        if data is None:
            return False
        group.context = dataclasses.replace(group.context, data=data)
        group.bring()
        return True

    def test_it_begins_with_the_desired_number_or_the_smallest(self) -> None:
        self.assertEqual(3, len(self.group(desired_capacity=3).bring()[-1]))
        self.assertEqual(1, len(self.group().bring()[-1]))

    def test_the_same_plan_gives_the_same_names(self) -> None:
        first, second = (self.group(desired_capacity=3) for _ in range(2))

        self.assertEqual(first.bring(), second.bring())
        for each in first.members:
            self.assertRegex(each.name, "^[a-z2-7]{12}$")

    def test_an_interrupted_creation_keeps_its_names(self) -> None:
        whole = self.group(desired_capacity=3).bring()[-1]
        group = self.group(desired_capacity=3)
        group.begin()
        group.reach(dict(list(whole.items())[:2]))

        self.assertEqual(whole, group.bring()[-1])

    def test_the_oldest_go_and_their_names_do_not_come_again(self) -> None:
        group = self.group(desired_capacity=2)
        gone = set(group.bring()[-1])
        group.bring(desired_capacity=4)
        young = {each.name for each in group.members} - gone
        group.bring(desired_capacity=2)
        self.assertEqual(young, {each.name for each in group.members})

        made = group.bring(desired_capacity=5)[-1]
        self.assertEqual(set(), gone & set(made))

    def test_the_failed_go_before_the_oldest(self) -> None:
        group = self.group(desired_capacity=3)
        made = group.bring()[-1]
        failed = sorted(made)[1]
        group.reach(made, failed=[failed])
        group.bring(desired_capacity=2)

        self.assertEqual(
            set(made) - {failed}, {each.name for each in group.members}
        )

    def test_a_new_definition_comes_one_by_one_the_size_kept(self) -> None:
        group = self.group(desired_capacity=3)
        before = set(group.bring()[-1])
        made = group.bring(resource=NEW)

        self.assertEqual(
            [1, 2, 3], [list(each.values()).count(NEW) for each in made]
        )
        self.assertEqual([before] * 3, [set(each) for each in made])

    def test_new_members_stand_in_where_all_are_to_serve(self) -> None:
        group = self.group(desired_capacity=3)
        group.bring()
        made = group.bring(
            resource=NEW,
            rolling_updates={"max_batch_size": 2, "min_in_service": 3},
        )

        self.assertEqual([5, 4, 3], [len(each) for each in made])
        self.assertEqual([NEW] * 3, list(made[-1].values()))

    def test_it_is_resized_within_its_bounds(self) -> None:
        group = self.group(desired_capacity=2)
        group.bring()
        for adjustment, kind, step, expected in (
            (2, group_adjustment.CHANGE, None, 4),
            (2, group_adjustment.CHANGE, None, 5),
            (-40, group_adjustment.PERCENT, None, 3),
            (1, group_adjustment.EXACT, None, 1),
            (10, group_adjustment.PERCENT, 2, 3),
        ):
            self.assertTrue(self.resize(group, adjustment, kind, step))
            self.assertEqual(expected, len(group.members))

    def test_names_of_members_that_signals_removed_do_not_come_again(
        self,
    ) -> None:
        group = self.group(desired_capacity=2)
        first = set(group.bring()[-1])
        for adjustment in (-1, 2):
            asked = signals.Resize(
                group="g",
                adjustment_type=group_adjustment.CHANGE,
                adjustment=adjustment,
            )
            data = self.plugin.resized(group.context, group.members, asked)
            assert data is not None
            group.context = dataclasses.replace(group.context, data=data)
            stage = self.plugin.stages(group.context, group.members)[-1]
            group.reach(members.definitions(stage))

        names = {each.name for each in group.members}
        self.assertEqual(3, len(names))
        self.assertEqual(1, len(first & names))

    def test_at_its_bound_nothing_changes(self) -> None:
        group = self.group(desired_capacity=5)
        group.bring()

        self.assertFalse(self.resize(group, 1))

    def test_after_an_adjustment_it_has_to_settle(self) -> None:
        group = self.group(desired_capacity=1, cooldown=60)
        group.bring()
        self.clock.time += 60
        self.assertTrue(self.resize(group, 1))
        self.clock.time += 59
        self.assertFalse(self.resize(group, 1))
        self.clock.time += 1
        self.assertTrue(self.resize(group, 1))

    def test_an_adjustment_without_effect_begins_no_cooldown(self) -> None:
        group = self.group(desired_capacity=5, cooldown=60)
        group.bring()
        self.clock.time += 60
        self.resize(group, 1)

        self.assertTrue(self.resize(group, -1))

    def test_whoever_sets_its_size_lets_it_settle(self) -> None:
        group = self.group(desired_capacity=1, cooldown=60)
        group.bring()
        self.assertFalse(self.resize(group, 1))
        self.clock.time += 60
        group.bring(desired_capacity=3)
        self.assertFalse(self.resize(group, 1))
        self.clock.time += 60

        self.assertTrue(self.resize(group, 1))

    def test_another_update_or_a_retry_begins_no_cooldown(self) -> None:
        group = self.group(desired_capacity=1, cooldown=60)
        group.bring()
        self.clock.time += 60
        self.assertTrue(self.resize(group, 1))
        self.clock.time += 60
        group.bring(resource=NEW)

        self.assertTrue(self.resize(group, 1))

    def test_the_size_stays_until_the_desired_number_is_changed(self) -> None:
        group = self.group(desired_capacity=2)
        group.bring()
        self.resize(group, 2)

        self.assertEqual(4, len(group.bring(resource=NEW)[-1]))
        self.assertEqual(3, len(group.bring(max_size=3)[-1]))
        self.assertEqual(1, len(group.bring(desired_capacity=1)[-1]))

    def test_without_a_desired_number_the_size_stays(self) -> None:
        group = self.group()
        group.bring()
        self.resize(group, 2)

        self.assertEqual(3, len(group.bring(max_size=9)[-1]))

    def test_a_group_that_was_adopted_keeps_its_members(self) -> None:
        group = self.group()
        group.reach({"abc": WEB, "def": WEB, "ghi": WEB})
        self.assertEqual(
            {"abc": WEB, "def": WEB, "ghi": WEB}, group.bring()[-1]
        )

        self.assertTrue(self.resize(group, 1))
        self.assertEqual(4, len(group.members))

    def test_sizes_that_cannot_be_are_refused(self) -> None:
        for given, said in (
            ({"min_size": 6}, "min_size (6) must not be greater"),
            ({"desired_capacity": 9}, "desired_capacity (9) must be between"),
        ):
            context = self.group(**given).context
            error = self.assertRaises(
                errors.Invalid, self.plugin.stages, context, ()
            )
            self.assertIn(said, error.message)

    def test_what_it_shows_of_its_members_that_did_not_fail(self) -> None:
        group = self.group()
        group.reach({"b": WEB})
        group.reach({"a": WEB, "b": WEB, "c": WEB}, failed=["c"])
        view = members.View(
            group.members, {name: {"ip": f"ip-{name}"} for name in "ab"}
        )
        for path, expected in (
            (("current_size",), 2),
            (("refs",), ["ref-b", "ref-a"]),
            (("refs", 0), "ref-b"),
            (("refs_map",), {"a": "ref-a", "b": "ref-b"}),
            (("outputs", "ip"), {"a": "ip-a", "b": "ip-b"}),
            (("outputs_list", "ip"), ["ip-b", "ip-a"]),
            (("ip",), ["ip-b", "ip-a"]),
            (("resource.0",), "ref-b"),
            (("resource.1.ip",), "ip-a"),
            (("resource.a.ip",), "ip-a"),
        ):
            with self.subTest(path=path):
                found = self.plugin.read(group.context, path, view)
                self.assertEqual(expected, found)
        for missing in (("outputs",), ("outputs_list",), ("resource.7",)):
            self.assertRaises(
                errors.Invalid, self.plugin.read, group.context, missing, view
            )

    def test_its_reference_is_its_physical_name(self) -> None:
        group = self.group()
        group.reach({})

        self.assertEqual(
            group.context.physical_name,
            self.plugin.reference_id(group.context),
        )
