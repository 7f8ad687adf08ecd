"""Observations on each database: what was seen, and how it is counted."""

import dataclasses

import testscenarios

from orch import clock
from orch import ids
from orch.db.models import observations as tables
from orch.db.repositories import observations
from orch.db.repositories import resources
from orch.db.repositories import sealed_values
from orch.db.repositories import stacks
from orch.model import observation
from orch.model import resource
from orch.model import stack
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

_State = observation.State


def make(stack_id: ids.StackId, **given: object) -> observation.Observation:
    values = {
        "root_id": stack_id,
        "stack_id": stack_id,
        "resource_id": ids.ResourceId(ids.new()),
        "state": _State.IN_SYNC,
        "observed_at": base.NOW,
    }
    return observation.Observation(**(values | given))


class ObservationsTest(base.TestCase):
    def save(self, *values: observation.Observation) -> None:
        with self.database.write() as conn:
            observations.save_many(conn, values)

    def tree(self, root_id: ids.StackId) -> list[observation.Observation]:
        with self.database.read() as conn:
            found = observations.list_tree(conn, root_id)
        return sorted(found, key=lambda each: each.resource_id)

    def test_all_of_it_comes_back_as_it_was(self) -> None:
        root = ids.StackId(ids.new())
        seen = make(
            root,
            state=_State.DRIFTED,
            live={"label": "\u00e4", "n": 2**70},
            differences=(
                observation.Difference(
                    property="label",
                    expected={"a": [1]},
                    live=None,
                    policy=observation.Policy.REPAIR,
                ),
            ),
            compared=3,
            given=4,
            reason="why",
            drifted_at=clock.Timestamp(base.NOW - 5),
        )
        bare = make(root, is_vanished=True)
        self.save(seen, bare)

        self.assertEqual(
            sorted([seen, bare], key=lambda each: each.resource_id),
            self.tree(root),
        )
        with self.database.read() as conn:
            self.assertEqual(
                seen, observations.find(conn, root, seen.resource_id)
            )
            self.assertIsNone(
                observations.find(conn, root, ids.ResourceId(ids.new()))
            )

    def test_what_is_seen_again_takes_the_place(self) -> None:
        root = ids.StackId(ids.new())
        seen = make(root, live={"a": 1}, reason="first")
        self.save(seen)
        again = dataclasses.replace(
            seen, live=None, state=_State.UNKNOWN, reason="second"
        )
        self.save(again)

        self.assertEqual([again], self.tree(root))

    def test_what_is_no_more_is_forgotten(self) -> None:
        root, other = ids.StackId(ids.new()), ids.StackId(ids.new())
        kept, gone, foreign = make(root), make(root), make(other)
        moved = make(
            ids.StackId(ids.new()),
            root_id=root,
            resource_id=kept.resource_id,
        )
        self.save(kept, gone, foreign, moved)

        with self.database.write() as conn:
            forgotten = observations.forget_others(
                conn, root, {(root, kept.resource_id)}
            )

        self.assertEqual({gone.resource_id, moved.resource_id}, set(forgotten))
        self.assertEqual([kept], self.tree(root))
        self.assertEqual([foreign], self.tree(other))
        with self.database.write() as conn:
            observations.forget_tree(conn, root)
        self.assertEqual([], self.tree(root))

    def test_values_are_sealed_where_options_say(self) -> None:
        self.assertIn(tables.OBSERVATIONS, sealed_values.tables())


class CountTest(base.TestCase):
    def root(self, **given: object) -> stack.Stack:
        value = base.make_stack(**given)
        with self.database.write() as conn:
            stacks.insert(conn, value)
        return value

    def row(
        self, stack: stack.Stack, name: str, **given: object
    ) -> resource.Resource:
        value = base.make_resource(
            stack_id=stack.id,
            name=name,
            action=states.Action.CREATE,
            **given,
        )
        with self.database.write() as conn:
            resources.save_many(conn, [value])
        return value

    def see(
        self, stack: stack.Stack, row: resource.Resource, **given: object
    ) -> None:
        with self.database.write() as conn:
            seen = make(
                stack.id,
                root_id=stack.root_id,
                resource_id=row.id,
                **given,
            )
            observations.save_many(conn, [seen])

    def summary(
        self, stack: stack.Stack
    ) -> tuple[observation.State, int, int]:
        """Return the state, the coverage and how many have drifted."""
        with self.database.read() as conn:
            found = observations.summarize(conn, stack)
        return found.state, found.coverage, found.drifted

    def test_a_root_is_counted_with_all_in_it(self) -> None:
        root = self.root()
        inner = self.root(root_id=root.id, parent_id=root.id, depth=1)
        other = self.root()
        self.see(root, self.row(root, "a"), compared=1, given=2)
        self.see(root, self.row(root, "b"), compared=1, given=2)
        drifted = {"state": _State.DRIFTED, "compared": 3, "given": 3}
        self.see(inner, self.row(inner, "c"), **drifted)
        self.see(other, self.row(other, "d"), **drifted)
        self.row(root, "new")

        self.assertEqual((_State.DRIFTED, 71, 1), self.summary(root))
        self.assertEqual((_State.DRIFTED, 100, 1), self.summary(inner))

    def test_what_was_changed_since_is_unknown(self) -> None:
        root = self.root()
        row = self.row(root, "a", updated_at=clock.Timestamp(base.NOW + 1))
        self.see(root, row, state=_State.DRIFTED, compared=2, given=2)

        self.assertEqual((_State.UNKNOWN, 0, 0), self.summary(root))

    def test_what_does_not_stand_for_its_name_does_not_count(self) -> None:
        root = self.root()
        gone = base.make_resource(
            stack_id=root.id,
            name="gone",
            action=states.Action.DELETE,
            status=states.Status.COMPLETE,
        )
        with self.database.write() as conn:
            resources.save_many(conn, [gone])
        self.see(root, gone)
        old = self.row(root, "a", replaced_by=ids.ResourceId(ids.new()))
        self.see(root, old)

        self.assertEqual((_State.IN_SYNC, 100, 0), self.summary(root))

    def test_baselines_are_set_alone(self) -> None:
        root = self.root()
        row = self.row(root, "a", properties={"p": 1})

        with self.database.write() as conn:
            resources.set_baseline(conn, row, {"p": 2})

        with self.database.read() as conn:
            (found,) = resources.list_of_stacks(conn, [root.id])
        self.assertEqual(dataclasses.replace(row, baseline={"p": 2}), found)
