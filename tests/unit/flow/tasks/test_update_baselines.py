"""What is kept of how a thing was right after our last change."""

import typing

from oslo_config import cfg

from orch import errors
from orch.context import request
from orch.flow.state import contexts
from orch.flow.tasks import base as tasks
from orch.flow.tasks import create
from orch.flow.tasks import update
from orch.planner import compare
from tests import base
from tests.support import nouns
from tests.unit.planner import test_drift

Values = dict[str, typing.Any]
MODIFY = compare.Verdict.MODIFY


class ScriptedResource(test_drift.SampleResource):
    """A type that tells what it is told to tell."""

    answer: object = None

    def get_reality(self, context):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class BaselinesTests(base.TestCase):
    def read(self, told: object) -> object:
        plugin = ScriptedResource(cfg.ConfigOpts())
        plugin.answer = told
        row = test_drift.row({})
        context = contexts.build_context(
            nouns.make_stack(), row, request.RequestContext()
        )
        return create.read_baseline(plugin, context)

    def after(
        self, made: compare.Comparison, fresh: Values | None
    ) -> Values | None:
        row = test_drift.row(
            {"one": "a", "two": "b", "three": None},
            {"one": "A", "two": "B", "three": "own"},
        )
        found = update.baseline_after_update(row, made, fresh)
        return None if found is None else dict(found)

    def test_an_error_leaves_none_and_fails_nothing(self) -> None:
        for told in (
            errors.Transient("no answer"),
            ZeroDivisionError(),
            {"one": object()},
            "no map",
        ):
            self.assertIsNone(self.read(told))
        self.assertEqual({"one": "a"}, self.read({"one": "a"}))

    def test_an_update_that_did_not_look_keeps_what_it_did_not_change(
        self,
    ) -> None:
        made = compare.Comparison(MODIFY, changed=("one",))
        fresh = {"one": "A2", "two": "somebody's", "three": "own2"}

        self.assertEqual(
            {"one": "A2", "two": "B", "three": "own2"}, self.after(made, fresh)
        )

    def test_an_update_that_looked_knows_all(self) -> None:
        made = compare.Comparison(
            MODIFY,
            changed=("one",),
            observed=("one", "two", "three"),
            before={},
        )
        fresh = {"one": "A2", "two": "B2", "three": "own2"}

        self.assertEqual(fresh, self.after(made, fresh))

    def test_what_an_update_left_out_of_its_look_is_a_drift_still(
        self,
    ) -> None:
        made = compare.Comparison(
            MODIFY, changed=("one",), observed=("one",), before={}
        )
        fresh = {"one": "A", "two": "somebody's", "three": "somebody's"}

        self.assertEqual(
            {"one": "A", "two": "B", "three": "own"}, self.after(made, fresh)
        )

    def test_a_drift_that_stays_is_told_further_on(self) -> None:
        made = compare.Comparison(
            MODIFY, before={}, observed=("one", "three"), left=("two",)
        )
        fresh = {"one": "A2", "two": "somebody's"}

        self.assertEqual({"one": "A2", "two": "B"}, self.after(made, fresh))

    def test_what_cannot_be_read_is_as_it_was_but_for_what_changed(
        self,
    ) -> None:
        made = compare.Comparison(MODIFY, changed=("one",))

        self.assertEqual({"two": "B"}, self.after(made, None))
        every = compare.Comparison(MODIFY, changed=("one", "two"))
        self.assertIsNone(self.after(every, None))

    def test_what_stood_as_wanted_already_has_no_old_baseline(self) -> None:
        made = compare.Comparison(
            MODIFY,
            changed=("one",),
            observed=("one", "two", "three"),
            before={"one": "a", "two": "b2"},
        )

        self.assertEqual({"three": "own"}, self.after(made, None))

    def test_only_what_was_looked_for_goes_into_the_row(self) -> None:
        self.assertNotIn("baseline", tasks.Step().to_result())
        self.assertIsNone(
            tasks.Step(has_baseline=True).to_result()["baseline"]
        )

    def test_what_is_ours_only_to_look_at_has_none(self) -> None:
        plugin = ScriptedResource(cfg.ConfigOpts())

        self.assertTrue(create.has_baseline(plugin, test_drift.row({})))
        self.assertFalse(
            create.has_baseline(plugin, test_drift.row({}, external_id="x"))
        )
