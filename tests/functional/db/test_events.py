"""Events on each database."""

import dataclasses

import testscenarios

from orch import errors
from orch import ids
from orch.db import queries
from orch.db.repositories import events
from orch.model import event
from orch.model import event_position
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

ONE = ids.StackId("10000000-0000-0000-0000-000000000001")
TWO = ids.StackId("20000000-0000-0000-0000-000000000002")


def _make(sequence: int, **given: object) -> event.Event:
    values = {
        "stack_id": ONE,
        "sequence": sequence,
        "operation_id": ids.OperationId(ids.new()),
        "resource_name": f"r{sequence}",
        "resource_type": "OS::Heat::Value",
        "resource_id": ids.ResourceId(ids.new()),
        "physical_id": None,
        "action": states.Action.CREATE,
        "status": states.Status.COMPLETE,
        "reason": "state changed",
        "created_at": base.NOW + sequence,
    }
    return event.Event(**(values | given))


class _Case(base.TestCase):
    def store(self, *values: event.Event) -> None:
        with self.database.write() as conn:
            events.insert_many(conn, values)

    def numbers(self, *stacks: ids.StackId, **query: object) -> list[int]:
        with self.database.read() as conn:
            found = events.list_(
                conn, stacks or (ONE,), queries.EventQuery(**query)
            )
        return [each.sequence for each in found]


class StoreTest(_Case):
    def test_what_was_stored_is_read_back(self) -> None:
        value = _make(
            2**40,
            physical_id="p" * 4000,
            reason="a\U0001f600'\n" * 20_000,
            operation_id=None,
            resource_id=None,
        )
        self.store(value, _make(1))

        with self.database.read() as conn:
            self.assertEqual(value, events.get(conn, ONE, 2**40))

    def test_an_unknown_number_is_not_found(self) -> None:
        self.store(_make(1))

        with self.database.read() as conn:
            self.assertRaises(errors.NotFound, events.get, conn, ONE, 2)
            self.assertRaises(errors.NotFound, events.get, conn, TWO, 1)

    def test_an_event_is_never_changed(self) -> None:
        value = _make(1)
        self.store(value)

        self.store(dataclasses.replace(value, reason="other"), _make(2))

        with self.database.read() as conn:
            self.assertEqual(value, events.get(conn, ONE, 1))
        self.assertEqual([1, 2], self.numbers())

    def test_the_newest_one_is_found(self) -> None:
        self.store(_make(1), _make(10), _make(9), _make(11, stack_id=TWO))

        with self.database.read() as conn:
            self.assertEqual(10, events.find_newest(conn, ONE).sequence)
            self.assertIsNone(events.find_newest(conn, ids.StackId("x")))


class ListTest(_Case):
    def setUp(self) -> None:
        super().setUp()
        self.store(
            _make(1, resource_type="B"),
            # A clock that went back does not change the order of a stack.
            _make(2, created_at=base.NOW, resource_type="A"),
            _make(3, status=states.Status.FAILED, resource_name="web"),
            _make(10, action=states.Action.DELETE, resource_name="web"),
            _make(4, stack_id=TWO, created_at=base.NOW + 1.5),
        )

    def test_those_of_a_stack_come_as_they_happened(self) -> None:
        self.assertEqual([1, 2, 3, 10], self.numbers())
        self.assertEqual([10, 3, 2, 1], self.numbers(sort_dir="desc"))

    def test_those_of_several_stacks_come_by_time(self) -> None:
        self.assertEqual([2, 1, 4, 3, 10], self.numbers(ONE, TWO))

    def test_keys_sort_them(self) -> None:
        self.assertEqual(
            [2, 1, 3, 10],
            self.numbers(sort_keys=("resource_type", "event_time")),
        )
        self.assertEqual(
            [2, 1, 3, 10], self.numbers(sort_keys=("event_time",))
        )
        self.assertEqual([1, 2, 3, 10], self.numbers(sort_keys=("unknown",)))

    def test_filters_allow_any_of_their_values(self) -> None:
        for expected, filters in (
            ([3], {"resource_status": ["FAILED"]}),
            ([10], {"resource_action": ["DELETE", "UPDATE"]}),
            ([3, 10], {"resource_name": ["web"]}),
            ([1, 2], {"resource_type": ["A", "B"]}),
            ([10], {"resource_name": ["web"], "resource_action": ["DELETE"]}),
            ([1, 2, 3, 10], {"unknown": ["x"]}),
        ):
            self.assertEqual(expected, self.numbers(filters=filters), filters)

    def test_one_resource_is_asked_for_by_name(self) -> None:
        self.assertEqual([3, 10], self.numbers(resource_name="web"))
        self.assertEqual([], self.numbers(resource_name="WEB"))

    def test_a_page_goes_on_after_its_marker(self) -> None:
        marker = ids.event_id(ONE, 2)
        self.assertEqual([3], self.numbers(marker=marker, limit=1))
        self.assertEqual([1], self.numbers(marker=marker, sort_dir="desc"))
        self.assertEqual([1, 4, 3, 10], self.numbers(ONE, TWO, marker=marker))
        marker = ids.event_id(TWO, 4)
        self.assertEqual([3, 10], self.numbers(ONE, TWO, marker=marker))
        self.assertEqual([], self.numbers(marker=ids.event_id(ONE, 10)))

    def test_a_marker_that_names_nothing_is_passed_over(self) -> None:
        for marker in (
            "no-uuid",
            ids.event_id(ONE, 99),
            ids.event_id(TWO, 4),
        ):
            found = self.numbers(marker=marker)
            self.assertEqual([1, 2, 3, 10], found, marker)


class FollowingTest(_Case):
    """What was not seen of a tree of stacks."""

    def position_after(self, *found: event.Event) -> event_position.Position:
        told = event_position.START
        for each in found:
            told = told.beyond(each)
        return told

    def after(
        self, seen: event_position.Position, limit: int = 100
    ) -> list[str]:
        with self.database.read() as conn:
            found = events.list_after(conn, [ONE, TWO], seen, limit)
        return [each.id for each in found]

    def test_nothing_is_missed_and_nothing_comes_twice(self) -> None:
        first = [_make(n) for n in (1, 2, 3)]
        other = _make(1, stack_id=TWO, created_at=base.NOW + 1.5)
        self.store(*first, other)
        self.assertEqual(
            [first[0].id, other.id, first[1].id],
            self.after(event_position.START, 3),
        )
        # One that was begun before, and is written only now.
        late = _make(2, stack_id=TWO, created_at=base.NOW + 1.6)
        seen = self.position_after(first[0], other, first[1])
        self.store(late)

        self.assertEqual([late.id, first[2].id], self.after(seen))
        self.assertEqual(
            [], self.after(self.position_after(*first, other, late))
        )

    def test_a_stack_that_had_none_is_looked_at_from_the_window_on(
        self,
    ) -> None:
        old = _make(1, stack_id=TWO, created_at=base.NOW - 100)
        new = _make(2, stack_id=TWO, created_at=base.NOW - 10)
        seen = _make(1)
        self.store(old, new, seen)

        self.assertEqual([new.id], self.after(self.position_after(seen)))

    def test_ids_name_events_of_these_stacks_only(self) -> None:
        one, two = _make(1), _make(1, stack_id=TWO)
        self.store(one, two)

        with self.database.read() as conn:
            found = events.list_named(
                conn,
                [ONE],
                [two.id, one.id, "x", ids.event_id(ONE, 9)],
            )

        self.assertEqual([one.id], [each.id for each in found])
