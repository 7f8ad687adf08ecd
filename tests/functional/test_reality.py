"""Updates that go by what things are: D1 to D5 and the gaps D-G1, 2, 4, 6."""

import typing

from orch.flow.tasks import delete
from tests.functional import converging
from tests.support import rest
from tests.support import serving
from tests.support import waiting

Json = converging.Json
template = converging.template
single = converging.single
spelt = converging.spelt
three = converging.three


class ConvergingTests(converging.RealityTestCase):
    def test_d1_only_what_has_drifted_is_put_back(self) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "b", "somebody's")

        calls = self.converge(stack, three("old"))

        self.assertEqual(["update b"], calls)
        self.assertEqual(["old"] * 3, self.labels())

    def test_d1_a_live_value_that_is_as_the_new_template_causes_no_call(
        self,
    ) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "b", "new")
        shown = self.text(stack, three("new"))
        self.assertIn("update a (label changed)", shown)
        self.assertNotIn("update b", shown)

        calls = self.converge(stack, three("new"))

        self.assertEqual(["update a", "update c"], calls)
        self.assertEqual(["new"] * 3, self.labels())
        # It is known as such from now on, by the rows too.
        self.assertEqual("", self.text(stack, three("new"), converge=False))
        self.assertEqual("", self.text(stack, three("new")))

    def test_d1_without_drift_there_is_nothing_to_do(self) -> None:
        stack = self.created(three("old"))

        self.assertEqual("", self.text(stack, three("old")))
        self.assertEqual([], self.converge(stack, three("old")))

    def test_d1_what_drifts_is_told_apart_from_what_the_template_changes(
        self,
    ) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "a", "somebody's")
        wanted = three("old")
        resources = typing.cast(dict[str, Json], wanted["resources"])
        resources["c"] = single("b", label="new")

        shown = self.preview(stack, wanted)["plan"]

        plan = typing.cast(Json, shown)
        self.assertIn("update a (label drifted)", str(plan["text"]))
        self.assertIn("update c (label changed)", str(plan["text"]))
        changes = typing.cast(list[Json], plan["changes"])
        properties = typing.cast(dict[str, Json], changes[0]["properties"])
        self.assertEqual("somebody's", properties["label"]["old"])
        self.assertEqual("old", properties["label"]["new"])

    def test_d2_each_change_costs_one_reading_of_the_types_that_tell(
        self,
    ) -> None:
        before = self.newest()
        wanted = three("old")
        resources = typing.cast(dict[str, Json], wanted["resources"])
        resources["mute"] = converging.mute(label="old")
        stack = self.created(wanted)
        self.assertEqual(3, self.reads(before))
        before = self.newest()
        resources["c"] = single("b", label="new")
        resources["mute"] = converging.mute(label="new")

        self.converge(stack, wanted, converge=False)

        self.assertEqual(1, self.reads(before))

    def test_d3_without_the_flag_nothing_is_read_or_put_back(self) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "b", "somebody's")
        before = self.newest()

        calls = self.converge(stack, three("old"), converge=False)

        self.assertEqual([], calls)
        self.assertEqual(0, self.reads(before))
        self.assertIn("somebody's", self.labels())

    def test_d4_a_vanished_thing_is_made_anew(self) -> None:
        wanted = template(
            a=single(label="old"),
            b=single(label="old", refs=[{"get_resource": "a"}]),
        )
        stack = self.created(wanted)
        self.world.remove(self.name, "a")
        before = self.client.resources(stack)["a"]["physical_resource_id"]
        self.assertIn(
            "create a (is not there any more)", self.text(stack, wanted)
        )

        calls = self.converge(stack, wanted)

        self.assertEqual(["delete a", "create a", "update b"], calls)
        after = self.client.resources(stack)["a"]["physical_resource_id"]
        self.assertNotEqual(before, after)
        found = {
            each.name: each
            for each in self.world.physical_resources(self.name)
        }
        self.assertEqual((after,), found["b"].refs)
        self.assertEqual("", self.text(stack, wanted))

    def test_d4_what_came_back_is_not_removed(self) -> None:
        stack = self.created(three("old"))
        self.world.order(
            self.name, "read", "c", how="vanished", moment="before", times=1
        )

        calls = self.converge(stack, three("old"))

        self.assertEqual([], calls)
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertIn(delete.CAME_BACK, self.reasons_of(stack, "c"))
        self.assertEqual("", self.text(stack, three("old")))

    def test_d4_what_came_back_gets_what_the_template_says(self) -> None:
        stack = self.created(three("old"))
        before = self.client.resources(stack)["c"]["physical_resource_id"]
        self.world.order(
            self.name, "read", "c", how="vanished", moment="before", times=1
        )

        self.converge(stack, three("new"))

        self.assertEqual(["new"] * 3, self.labels())
        after = self.client.resources(stack)["c"]["physical_resource_id"]
        self.assertEqual(before, after)

    def test_d4_what_cannot_be_looked_for_again_is_kept(self) -> None:
        stack = self.created(three("old"))
        for how, times in (("vanished", 1), ("permanent", 9)):
            self.world.order(
                self.name, "read", "c", how=how, moment="before", times=times
            )

        calls = self.converge(stack, three("old"))

        self.assertEqual([], calls)
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertIn(delete.UNREADABLE, self.reasons_of(stack, "c"))

    def test_d4_what_comes_and_goes_is_kept_and_fails_the_update(
        self,
    ) -> None:
        stack = self.created(three("old"))
        for how in ("vanished", "permanent") * 2:
            self.world.order(
                self.name, "read", "c", how=how, moment="before", times=1
            )

        calls = self.converge(stack, three("old"), wait="UPDATE_FAILED")

        self.assertEqual([], calls)
        reason = self.client.show(stack)["stack_status_reason"]
        self.assertIn(delete.UNREADABLE, str(reason))
        self.assertEqual([], self.converge(stack, three("old")))
        self.assertEqual(["a", "b", "c"], self.names())

    def test_d4_what_is_to_be_retained_is_not_doubled_either(self) -> None:
        wanted = template(
            a={**single(label="old"), "deletion_policy": "Retain"}
        )
        stack = self.created(wanted)
        self.world.order(
            self.name, "read", "a", how="vanished", moment="before", times=1
        )

        self.assertEqual([], self.converge(stack, wanted))

        self.assertEqual(["a"], self.names())

    def reasons_of(self, stack: rest.Stack, name: str) -> list[object]:
        """Return the reasons that events of a resource give."""
        return [
            each["resource_status_reason"]
            for each in self.client.events(stack)
            if each["resource_name"] == name
        ]

    def test_d4_what_vanished_is_cleared_away_or_nothing_is_made(
        self,
    ) -> None:
        stack = self.created(three("old"))
        self.world.remove(self.name, "c")
        self.world.order(
            self.name, "delete", "c", how="permanent", moment="before", times=1
        )

        failed = self.converge(stack, three("old"), wait="UPDATE_FAILED")
        calls = self.converge(stack, three("old"))

        self.assertEqual(["delete c"], failed)
        self.assertEqual(["delete c", "create c"], calls)
        self.assertEqual("", self.text(stack, three("old")))

    def test_d4_without_the_flag_a_vanished_thing_stays_away(self) -> None:
        stack = self.created(three("old"))
        self.world.remove(self.name, "c")

        self.assertEqual([], self.converge(stack, three("old"), converge=None))

    def test_d4_a_rollback_does_not_go_back_to_what_had_vanished(
        self,
    ) -> None:
        stack = self.created(three("old"), disable_rollback=False)
        self.world.remove(self.name, "a")
        self.world.order(
            self.name, "update", "b", how="permanent", moment="before", times=1
        )

        self.converge(stack, three("new"), wait="ROLLBACK_COMPLETE")

        names = [
            each.name for each in self.world.physical_resources(self.name)
        ]
        self.assertEqual(["a", "b", "c"], sorted(names))
        self.assertEqual(["old"] * 3, self.labels())

    def test_d5_what_cannot_be_read_goes_by_its_stored_properties(
        self,
    ) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "a", "somebody's")
        self.world.relabel(self.name, "c", "somebody's")
        self.world.order(
            self.name, "read", "a", how="permanent", moment="before"
        )
        shown = typing.cast(Json, self.preview(stack, three("old"))["plan"])
        warnings = typing.cast(list[str], shown["warnings"])
        self.assertEqual(1, len(warnings))
        self.assertIn("a could not be read", warnings[0])
        self.assertIn("the world fails read of a", warnings[0])

        calls = self.converge(stack, three("old"))

        self.assertEqual(["update c"], calls)
        told = [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
            if each["resource_name"] == "a"
        ]
        self.assertIn("the world fails read of a", told[-1])
        self.assertEqual("somebody's", self.labels()[0])

    def test_d5_a_service_that_hangs_keeps_nobody_from_cancelling(
        self,
    ) -> None:
        stack = self.created(three("old"))
        self.world.order(self.name, "read", "a", moment="before")
        before = self.newest()
        self.update(stack, three("new"), converge=True)
        waiting.wait_for(
            lambda: any(
                each.act == "held-read-before" for each in self.mine(before)
            ),
            "a reading that hangs",
        )

        self.act(stack, "cancel_without_rollback")
        shown = self.client.wait(stack, "UPDATE_FAILED")

        self.assertIn("cancelled", str(shown["stack_status_reason"]))
        self.assertEqual([], self.writes(before))
        self.world.release(self.name)

    def test_d5_a_baseline_that_cannot_be_read_fails_nothing(self) -> None:
        self.world.order(self.name, "read", "a", how="error", moment="before")
        stack = self.created(template(a=single(label="old")))
        self.world.forgive(self.name)
        self.world.relabel(self.name, "a", "somebody's")

        calls = self.converge(stack, template(a=single(label="old")))

        self.assertEqual(["update a"], calls)

    def test_dg1_what_a_plan_shows_is_what_runs(self) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "b", "somebody's")
        self.world.remove(self.name, "c")
        plan = self.plan(stack, three("old"))
        self.assertEqual(
            self.text(stack, three("old")),
            plan["text"],
        )
        before = self.newest()
        events = len(self.client.events(stack))

        self.apply(stack, plan)
        self.wait_anew(stack, "UPDATE_COMPLETE", events)

        self.assertEqual(
            ["create c", "delete c", "update b"], sorted(self.writes(before))
        )

    def test_dg1_a_plan_does_not_run_once_the_world_has_moved_on(
        self,
    ) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "b", "somebody's")
        plan = self.plan(stack, "update", template=three("old"), converge=True)
        self.world.relabel(self.name, "a", "somebody's, too")
        before = self.newest()

        self.apply(stack, plan)
        path = f"{stack.path}/operations"
        waiting.wait_for(
            lambda: (
                self.client.get(path, "operations")[0]["state"] == "FAILED"
            ),
            "the plan that does not fit",
        )

        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual([], self.writes(before))

    def test_dg2_what_cannot_be_changed_in_place_is_compared_too(
        self,
    ) -> None:
        wanted = template(a=single(value="old"))
        stack = self.created(wanted)
        self.world.revalue(self.name, "a", "somebody's")
        shown = self.preview(stack, wanted)
        replaced = typing.cast(dict[str, list[Json]], shown)
        changes = replaced["resource_changes"]
        self.assertEqual(
            ["a"],
            [
                str(each["resource_name"])
                for each in typing.cast(dict[str, list[Json]], changes)[
                    "replaced"
                ]
            ],
        )

        calls = self.converge(stack, wanted)

        self.assertEqual(["create a", "delete a"], calls)
        self.assertEqual(
            ["old"],
            [each.value for each in self.world.physical_resources(self.name)],
        )

    def test_dg6_the_form_of_the_service_is_no_difference(self) -> None:
        wanted = template(a=spelt(label="old"))
        stack = self.created(wanted)
        self.assertEqual("", self.text(stack, wanted))
        self.assertEqual([], self.converge(stack, wanted))

        self.world.relabel(self.name, "a", "somebody's")

        self.assertEqual(["update a"], self.converge(stack, wanted))
        self.assertEqual("", self.text(stack, wanted))

    def test_dg6_what_no_template_gives_is_put_back_as_it_was(self) -> None:
        wanted = template(a=spelt(label="old"))
        stack = self.created(wanted)
        own = self.world.physical_resources(self.name)[0].value
        self.world.revalue(self.name, "a", "somebody's")
        self.assertIn("nick drifted", self.text(stack, wanted))

        calls = self.converge(stack, wanted)

        self.assertEqual(["update a"], calls)
        self.assertEqual(
            own, self.world.physical_resources(self.name)[0].value
        )
        self.assertEqual("", self.text(stack, wanted))

    def test_dg6_an_update_that_does_not_look_hides_no_drift(self) -> None:
        stack = self.created(template(a=spelt(label="old", nick="x")))
        self.world.relabel(self.name, "a", "somebody's")
        wanted = template(a=spelt(label="old", nick="y"))
        self.converge(stack, wanted, converge=False)
        # The plug-in writes all that it has; somebody does so once more.
        self.world.relabel(self.name, "a", "somebody's")

        self.assertIn("label drifted", self.text(stack, wanted))
        self.assertEqual(["update a"], self.converge(stack, wanted))
        self.assertEqual(
            "old", self.world.physical_resources(self.name)[0].label
        )

    def test_dg6_an_update_leaves_drift_of_what_no_template_gives(
        self,
    ) -> None:
        stack = self.created(template(a=spelt(label="old")))
        self.world.revalue(self.name, "a", "somebody's")
        wanted = template(a=spelt(label="new"))

        self.converge(stack, wanted, converge=False)

        self.assertIn("nick drifted", self.text(stack, wanted))
        self.assertEqual(["update a"], self.converge(stack, wanted))
        self.assertEqual("", self.text(stack, wanted))

    def test_dg6_what_an_update_changes_along_is_no_drift(self) -> None:
        stack = self.created(template(a=spelt(label="old", nick="x")))
        self.converge(stack, template(a=spelt(label="old")), converge=False)
        self.assertEqual("", self.text(stack, template(a=spelt(label="old"))))

        self.converge(stack, template(a=spelt(label="new")), converge=False)

        self.assertEqual("", self.text(stack, template(a=spelt(label="new"))))


class ByOptionTests(converging.RealityTestCase):
    options = serving.options(observe_on_update=True)

    def test_d3_the_option_lets_every_update_look(self) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "b", "somebody's")

        calls = self.converge(stack, three("old"), converge=None)

        self.assertEqual(["update b"], calls)

    def test_d3_a_request_may_say_that_it_does_not(self) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "b", "somebody's")

        self.assertEqual(
            [], self.converge(stack, three("old"), converge=False)
        )


class ByOldOptionTests(converging.RealityTestCase):
    options = serving.options(enable_observer=True)

    def test_d3_the_option_has_another_name(self) -> None:
        stack = self.created(three("old"))
        self.world.relabel(self.name, "b", "somebody's")

        calls = self.converge(stack, three("old"), converge=None)

        self.assertEqual(["update b"], calls)
