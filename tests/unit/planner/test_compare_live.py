"""How a resource is judged by what its thing is in the world."""

import typing

import hypothesis
from hypothesis import strategies
from oslo_config import cfg

from orch import errors
from orch import ids
from orch.model import marked
from orch.model import observation
from orch.model import states
from orch.planner import compare as planner_compare
from orch.planner import survey
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import schema
from orch.resources.openstack import type_data
from orch.template import world
from tests import base
from tests.unit.planner import test_drift

Values = dict[str, typing.Any]
Verdict = planner_compare.Verdict


def _property(name: str, on_update: schema.OnUpdate) -> schema.Property:
    return schema.Property(
        name, schema.Type.STRING, "A text.", on_update=on_update
    )


class SampleResource(resource.Resource):
    """A type with a property of each kind."""

    type_name = "Test::Drift::Thing"
    has_reality = True
    properties = (
        _property("free", schema.OnUpdate.MODIFY),
        _property("other", schema.OnUpdate.MODIFY),
        _property("fixed", schema.OnUpdate.REPLACE),
        _property("frozen", schema.OnUpdate.REFUSE),
    )

    def needs_replacement(self, before, after, changed):
        return "free" in changed and after.get("free") == "dear"


def compare(
    properties: Values,
    after: Values,
    answer: reality.Answer,
    baseline: Values | None = None,
    *,
    narrowed_to: frozenset[ids.ResourceId] | None = None,
    **more: object,
) -> planner_compare.Comparison:
    row = test_drift.row(
        properties,
        baseline,
        action=states.Action.CREATE,
        status=states.Status.COMPLETE,
        **more,
    )
    return planner_compare.compare_resource(
        SampleResource(cfg.ConfigOpts()),
        row,
        after,
        {},
        survey.Survey({row.id: answer}, narrowed_to=narrowed_to),
    )


class JudgeLiveTests(base.TestCase):
    def test_what_drifted_is_put_back(self) -> None:
        given = {"free": "a", "other": "b"}

        found = compare(given, given, {"free": "x", "other": "b"})

        self.assertIs(Verdict.MODIFY, found.verdict)
        self.assertEqual(("free",), found.changed)
        self.assertEqual(("free",), found.drifted)
        self.assertEqual({"free": "x", "other": "b"}, found.before)

    def test_what_is_as_wanted_already_needs_no_call(self) -> None:
        found = compare({"free": "a"}, {"free": "b"}, {"free": "b"})

        self.assertIs(Verdict.MODIFY, found.verdict)
        self.assertEqual((), found.changed)
        self.assertEqual({"free": "b"}, found.before)

    def test_only_what_differs_from_the_world_is_to_be_changed(self) -> None:
        found = compare(
            {"free": "a", "other": "a"},
            {"free": "b", "other": "b"},
            {"free": "b", "other": "c"},
        )

        self.assertEqual(("other",), found.changed)
        self.assertEqual((), found.drifted)
        self.assertEqual({"free": "b", "other": "c"}, found.before)

    def test_the_own_form_of_a_service_is_no_change(self) -> None:
        found = compare(
            {"free": "a"}, {"free": "a"}, {"free": "<a>"}, {"free": "<a>"}
        )

        self.assertIs(Verdict.SAME, found.verdict)

    def test_a_new_value_is_a_change_whatever_form_the_old_one_has(
        self,
    ) -> None:
        found = compare(
            {"free": "a"}, {"free": "b"}, {"free": "<a>"}, {"free": "<a>"}
        )

        self.assertEqual(("free",), found.changed)

    def test_what_no_template_gives_is_put_back_to_the_baseline(self) -> None:
        found = compare(
            {"free": None}, {"free": None}, {"free": "x"}, {"free": "own"}
        )

        self.assertEqual(("free",), found.changed)
        self.assertEqual({"free": "own"}, found.put_back)

    def test_what_no_template_gives_and_nobody_knew_stays(self) -> None:
        given = {"free": None, "fixed": None}

        found = compare(given, given, {"free": "x", "fixed": "x"})

        self.assertIs(Verdict.SAME, found.verdict)
        self.assertEqual((), found.left)

    def test_what_a_template_gives_no_longer_is_a_change(self) -> None:
        found = compare(
            {"free": "a"}, {"free": None}, {"free": "a"}, {"free": "a"}
        )

        self.assertEqual(("free",), found.changed)
        self.assertEqual({}, found.put_back)

    def test_a_drift_that_needs_a_new_thing_gets_one(self) -> None:
        given = {"fixed": "a"}

        found = compare(given, given, {"fixed": "x"}, given)

        self.assertIs(Verdict.REPLACE, found.verdict)
        self.assertEqual(("fixed",), found.replacing)

    def test_without_a_baseline_nothing_is_replaced_for_another_form(
        self,
    ) -> None:
        """A service may write the id of what was given by its name."""
        given = {"fixed": "net", "free": "dear"}

        found = compare(given, given, {"fixed": "uuid", "free": "b"}, {})

        self.assertIs(Verdict.SAME, found.verdict)
        self.assertEqual((), found.left)
        wanted = {**given, "fixed": "other"}
        found = compare(given, wanted, {"fixed": "uuid"})
        self.assertIs(Verdict.REPLACE, found.verdict)

    def test_what_no_template_gives_is_not_worth_a_new_thing(self) -> None:
        given = {"fixed": None, "free": None}
        baseline = {"fixed": "own", "free": "dear"}

        found = compare(given, given, {"fixed": "x", "free": "y"}, baseline)

        self.assertIs(Verdict.SAME, found.verdict)
        self.assertEqual({"fixed", "free"}, set(found.left))
        self.assertEqual({}, found.put_back)

    def test_a_repair_replaces_nothing_that_is_there(self) -> None:
        given = {"fixed": "a", "free": "dear", "other": "a"}
        live = {"fixed": "x", "free": "x", "other": "x"}

        found = compare(
            given,
            given,
            live,
            given,
            narrowed_to=frozenset({ids.ResourceId("0f1e")}),
        )

        self.assertIs(Verdict.MODIFY, found.verdict)
        self.assertEqual(("other",), found.changed)
        self.assertEqual({"fixed", "free"}, set(found.left))
        asked_for = compare(given, given, live, given)
        self.assertIs(Verdict.REPLACE, asked_for.verdict)
        gone = compare(
            given,
            given,
            reality.Vanished("gone"),
            narrowed_to=frozenset({ids.ResourceId("0f1e")}),
        )
        self.assertIs(Verdict.REPLACE, gone.verdict)

    def test_a_volume_that_somebody_extended_stays(self) -> None:
        for stored, wanted, live, verdict in (
            (1, 1, 2, Verdict.SAME),
            (2, 2, 1, Verdict.MODIFY),
            (1, 2, 3, Verdict.MODIFY),
            (3, 2, 3, Verdict.REPLACE),
            (None, None, 2, Verdict.SAME),
        ):
            row = test_drift.row(
                {"size": stored},
                {"size": stored or 1},
                action=states.Action.CREATE,
                status=states.Status.COMPLETE,
            )
            found = planner_compare.compare_resource(
                type_data.load_type("OS::Cinder::Volume")(cfg.ConfigOpts()),
                row,
                {"size": wanted},
                {},
                survey.Survey({row.id: {"size": live}}),
            )

            self.assertIs(verdict, found.verdict, (stored, wanted, live))
            is_left = verdict is Verdict.SAME or (stored, live) == (1, 3)
            self.assertEqual(is_left, found.left == ("size",))
            if stored == 1:
                self.assertEqual((), found.changed)

    def test_a_drift_that_nobody_can_mend_refuses_no_update(self) -> None:
        given = {"frozen": "a", "free": "a"}

        found = compare(given, given, {"frozen": "x", "free": "x"})

        self.assertIs(Verdict.MODIFY, found.verdict)
        self.assertEqual(("free",), found.changed)
        self.assertEqual(("frozen",), found.left)
        wanted = {**given, "frozen": "b"}
        found = compare(given, wanted, {"frozen": "x"})
        self.assertIs(Verdict.REFUSE, found.verdict)

    def test_what_is_not_known_goes_by_the_row(self) -> None:
        found = compare(
            {"free": "a", "other": "a"},
            {"free": "b", "other": "a"},
            {"other": "a"},
        )

        self.assertEqual(("free",), found.changed)

    def test_what_is_not_known_before_the_run_stays_open(self) -> None:
        found = compare({"free": "a"}, {"free": world.UNKNOWN}, {"free": "x"})

        self.assertIs(Verdict.UNSURE, found.verdict)
        self.assertEqual(("free",), found.unsure)

    def test_what_vanished_is_made_anew(self) -> None:
        found = compare({}, {}, reality.Vanished("it is gone"))

        self.assertIs(Verdict.REPLACE, found.verdict)
        self.assertTrue(found.is_vanished)

    def test_what_could_not_be_read_goes_by_the_row(self) -> None:
        for answer in (errors.Transient("no answer"), None):
            found = compare({"free": "a"}, {"free": "a"}, answer)
            self.assertIs(Verdict.SAME, found.verdict)
            self.assertIsNone(found.before)

    def test_an_interrupted_update_is_asked_for_again(self) -> None:
        """The service may be at it still, although its answer says no more."""
        found = compare(
            {"free": "a"},
            {"free": "b"},
            {"free": "b"},
            desired_properties={"free": "b"},
        )

        self.assertEqual(("free",), found.changed)

    def test_a_stack_in_which_something_has_drifted_is_visited(self) -> None:
        plugin = test_drift.Stack(cfg.ConfigOpts())
        row = test_drift.row({}, status=states.Status.COMPLETE)
        seen = survey.Survey(drifted_stacks=frozenset({row.id}))

        found = planner_compare.compare_resource(plugin, row, {}, {}, seen)

        self.assertIs(Verdict.MODIFY, found.verdict)
        other = planner_compare.compare_resource(
            plugin, row, {}, {}, survey.Survey()
        )
        self.assertIs(Verdict.SAME, other.verdict)

    def test_other_marks_change_the_row_alone(self) -> None:
        given = {"free": "a", "other": "b"}
        marks = (("free",),)

        found = compare(
            marked.Marked(given, marks),
            marked.Marked(given, [("other",)]),
            given,
        )

        self.assertIs(Verdict.MODIFY, found.verdict)
        self.assertTrue(found.is_stale)
        self.assertEqual((), found.changed)
        same = compare(
            marked.Marked(given, marks), marked.Marked(given, marks), given
        )
        self.assertIs(Verdict.SAME, same.verdict)

    _NAMES = strategies.sampled_from(["free", "other", "fixed", "frozen"])
    _MAPS = strategies.dictionaries(
        _NAMES, strategies.sampled_from(["a", "b", None])
    )

    @hypothesis.given(given=_MAPS, live=_MAPS, baseline=_MAPS)
    def test_without_drift_and_without_a_new_template_nothing_changes(
        self, given: Values, live: Values, baseline: Values
    ) -> None:
        """So a stack needs no visit where the report finds no drift."""
        found = test_drift.find(SampleResource, given, live, baseline)
        hypothesis.assume(found.state is observation.State.IN_SYNC)

        judged = compare(given, dict(given), live, baseline)

        self.assertIs(Verdict.SAME, judged.verdict)

    @hypothesis.given(given=_MAPS, after=_MAPS, live=_MAPS, baseline=_MAPS)
    def test_before_and_after_differ_in_what_is_to_be_changed(
        self, given: Values, after: Values, live: Values, baseline: Values
    ) -> None:
        found = compare(given, after, live, baseline)

        before = found.before
        assert before is not None
        wanted = {**after, **found.put_back}
        for name in live:
            is_other = before.get(name) != wanted.get(name)
            if name not in found.changed and name in after:
                self.assertFalse(is_other, name)


class PossiblePropertiesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = SampleResource(cfg.ConfigOpts())

    def possible(
        self, before: Values, tried: Values | None, after: Values
    ) -> Values:
        row = test_drift.row(before, desired_properties=tried)
        return planner_compare.possible_properties(self.plugin, row, after)

    def test_what_was_tried_keeps_its_marks(self) -> None:
        found = self.possible(
            {"free": "a", "other": "x"},
            marked.Marked({"free": "b", "other": "x"}, [("free",)]),
            {"free": "a", "other": "x"},
        )

        self.assertEqual({"free": "b", "other": "x"}, found)
        self.assertEqual((("free",),), marked.paths_of(found))

    def test_the_values_of_the_row_keep_theirs(self) -> None:
        for tried in (None, {"free": "a", "other": "y"}):
            found = self.possible(
                marked.Marked({"free": "a", "other": "x"}, [("other",)]),
                tried,
                {"free": "a", "other": "x"},
            )

            self.assertEqual((("other",),), marked.paths_of(found))

    def test_without_marks_there_are_none(self) -> None:
        found = self.possible({"free": "a"}, {"free": "b"}, {"free": "a"})

        self.assertEqual({"free": "b"}, found)
        self.assertEqual((), marked.paths_of(found))
