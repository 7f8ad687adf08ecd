"""Reads in bulk what documents are made of, on each database."""

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db.repositories import documents
from orch.db.repositories import events
from orch.db.repositories import observations
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.model import event
from orch.model import observation
from orch.model import stack
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class DocumentsTest(base.TestCase):
    def put(self, **given: object) -> stack.Stack:
        value = base.make_stack(**given)
        with self.database.write() as conn:
            stacks.insert(conn, value)
        return value

    def put_child(self, outer: stack.Stack, **given: object) -> stack.Stack:
        return self.put(
            parent_id=outer.id,
            root_id=outer.root_id,
            depth=outer.depth + 1,
            parent_resource="kid",
            **given,
        )

    def store_event(
        self, stack: stack.Stack, sequence: int, reason: str = ""
    ) -> None:
        status = states.Status.FAILED if reason else states.Status.COMPLETE
        fact = event.Event(
            stack_id=stack.id,
            sequence=sequence,
            operation_id=None,
            resource_name="web",
            resource_type="T",
            resource_id=None,
            physical_id=None,
            action=states.Action.CREATE,
            status=status,
            reason=reason,
            created_at=base.NOW,
        )
        with self.database.write() as conn:
            events.insert_many(conn, [fact])

    def test_stacks_come_with_those_around_and_below(self) -> None:
        root = self.put()
        kid = self.put_child(root)
        deep = self.put_child(kid)
        gone = self.put_child(kid, deleted_at=base.NOW)
        other = self.put()

        with self.database.read() as conn:
            up = documents.list_with_parents(conn, [deep.id, other.id])
            below = documents.list_descendants(conn, [root.id, kid.id])
            nothing = documents.list_descendants(conn, [deep.id])

        self.assertEqual(
            {root.id, kid.id, deep.id, other.id}, {each.id for each in up}
        )
        self.assertEqual(
            {(root.id, kid.id), (root.id, deep.id), (kid.id, deep.id)},
            {(top, each.id) for top, each in below},
        )
        self.assertNotIn(gone.id, [each.id for _, each in below])
        self.assertEqual([], nothing)

    def test_live_stacks_are_listed_in_order(self) -> None:
        known = sorted(self.put().id for _ in range(5))
        self.put(deleted_at=base.NOW)

        with self.database.read() as conn:
            first = documents.list_live(conn, "", 3)
            second = documents.list_live(conn, first[-1], 3)

        self.assertEqual(known, first + second)

    def test_the_newest_event_is_the_version(self) -> None:
        first, second = self.put(), self.put()
        self.store_event(first, 3)
        self.store_event(first, 11)
        never = ids.StackId(ids.new())

        with self.database.read() as conn:
            now, found = documents.list_versions(
                conn, [first.id, second.id, never]
            )

        self.assertEqual({first.id: 11, second.id: 0}, found)
        self.assertGreater(now, base.NOW)

    def test_reasons_come_the_newest_first(self) -> None:
        first, second = self.put(), self.put()
        self.store_event(first, 1, "too old")
        self.store_event(first, 600, "older")
        self.store_event(first, 601)
        self.store_event(first, 602, "newer")
        self.store_event(first, 603, "thing 7 is well")
        self.store_event(second, 1, "other")

        with self.database.read() as conn:
            found = documents.list_reasons(
                conn, [first.id, second.id], ("", "thing % is well")
            )

        told = [reason for stack_id, reason in found if stack_id == first.id]
        self.assertEqual(["newer", "older"], told)
        self.assertIn((second.id, "other"), found)

    def test_resources_come_by_stack_and_name(self) -> None:
        first, second = sorted((self.put().id, self.put().id))
        rows = [
            base.make_resource(
                stack_id=stack_id, name=name, properties={"a": [1]}
            )
            for stack_id in (second, first)
            for name in ("b", "a")
        ]
        gone = base.make_resource(
            stack_id=first,
            name="c",
            action=states.Action.DELETE,
            status=states.Status.COMPLETE,
        )
        with self.database.write() as conn:
            resources.save_many(conn, [*rows, gone])

        with self.database.read() as conn:
            found = list(documents.list_resources(conn, [first, second], 3))
            rest = list(documents.list_resources(conn, [first], 9, "a"))

        self.assertEqual(
            [(first, "a"), (first, "b"), (second, "a")],
            [(row.stack_id, row.name) for row in found],
        )
        self.assertEqual({"a": [1]}, found[0].resource.properties)
        self.assertEqual(len('{"a":[1]}{}[]'), found[0].json_length)
        self.assertEqual(["b"], [row.name for row in rest])

    def test_what_was_changed_since_it_was_seen_is_unknown(self) -> None:
        stack = self.put()
        row = base.make_resource(stack_id=stack.id)
        changed = base.make_resource(
            stack_id=stack.id, name="db", updated_at=base.NOW + 9
        )
        checked = base.make_resource(
            stack_id=stack.id,
            name="web2",
            updated_at=base.NOW + 9,
            changed_at=base.NOW,
        )
        seen = [
            observation.Observation(
                root_id=stack.id,
                stack_id=stack.id,
                resource_id=each.id,
                state=observation.State.DRIFTED,
                is_vanished=True,
                differences=(
                    observation.Difference(
                        property="p", expected=1, live=None
                    ),
                ),
                observed_at=base.NOW + 1,
            )
            for each in (row, changed, checked)
        ]
        with self.database.write() as conn:
            resources.save_many(conn, [row, changed, checked])
            observations.save_many(conn, seen)

        with self.database.read() as conn:
            found = documents.list_drift_states(conn, [stack.id])

        self.assertEqual(
            {
                row.id: (observation.State.DRIFTED, True, ("p",)),
                changed.id: (observation.State.UNKNOWN, False, ()),
                checked.id: (observation.State.DRIFTED, True, ("p",)),
            },
            {
                each.resource_id: (
                    each.state,
                    each.is_vanished,
                    each.properties,
                )
                for each in found
            },
        )

    def test_s2_all_is_read_as_of_one_moment(self) -> None:
        stack = self.put()
        self.store_event(stack, 1)

        with self.database.read() as conn:
            documents.begin_repeatable_read(conn)
            _, before = documents.list_versions(conn, [stack.id])
            other = self.connect()
            with other.write() as writer:
                writer.execute(
                    sa.text("UPDATE stacks SET description = 'changed'")
                )
            (found,) = documents.list_with_parents(conn, [stack.id])

        self.assertEqual({stack.id: 1}, before)
        self.assertEqual("", found.description)
