"""The history of drift and its acceptances, on each database."""

import dataclasses

import testscenarios

from orch import clock
from orch import ids
from orch.db.repositories import drift_acceptances
from orch.db.repositories import drift_history
from orch.db.repositories import resources
from orch.model import drift_history as model
from orch.model import observation
from orch.model import resource
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class HistoryTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = ids.StackId(ids.new())
        self.row_id = ids.ResourceId(ids.new())

    def entry(self, at: float, name: str = "label", **given: object) -> str:
        """Store an entry; return its id."""
        values = {
            "id": ids.new(),
            "root_id": self.root,
            "stack_id": self.root,
            "resource_id": self.row_id,
            "path": "web/\u00e4",
            "property": name,
            "expected": {"a": [1]},
            "live": None,
            "found_by": model.Look.CHECK,
            "found_at": clock.Timestamp(base.NOW + at),
        }
        entry = model.Entry(**(values | given))  # type: ignore[arg-type]
        with self.database.write() as conn:
            drift_history.insert_many(conn, [entry])
        return entry.id

    def entries(self, limit: int | None = None) -> list[model.Entry]:
        with self.database.read() as conn:
            return drift_history.list_page(conn, [self.root], limit, None)


class HistoryTest(HistoryTestCase):
    def test_entries_come_back_newest_first_and_page_by_page(self) -> None:
        known = [self.entry(at) for at in (1, 2, 2, 3)]

        found = self.entries()
        with self.database.read() as conn:
            rest = drift_history.list_page(conn, [self.root], 9, found[1])

        self.assertEqual(set(known), {each.id for each in found})
        self.assertEqual((known[3], known[0]), (found[0].id, found[-1].id))
        self.assertEqual(found[2:], rest)
        self.assertEqual(found[:2], self.entries(2))
        self.assertEqual({"a": [1]}, found[0].expected)

    def test_only_what_lasts_is_ended(self) -> None:
        self.entry(1, ended_by=model.End.CLEARED, ended_at=base.NOW)
        self.entry(2)
        self.entry(3, "other")
        later = clock.Timestamp(base.NOW + 9)
        with self.database.write() as conn:
            before = drift_history.list_open(conn, self.root)
            drift_history.end_many(
                conn,
                self.root,
                {
                    (self.row_id, "label"): model.End.ACCEPTED,
                    (self.row_id, "absent"): model.End.CLEARED,
                },
                later,
            )
            after = drift_history.list_open(conn, self.root)
            drift_history.reopen(conn, self.row_id, later)
            again = drift_history.list_open(conn, self.root)

        self.assertEqual({self.row_id: {"label", "other"}}, before)
        self.assertEqual({self.row_id: {"other"}}, after)
        self.assertEqual(before, again)

    def test_a_removed_resource_ends_all_of_its_drift(self) -> None:
        self.entry(1)
        self.entry(2, "")
        with self.database.write() as conn:
            drift_history.end_all(
                conn, self.root, [self.row_id], clock.Timestamp(base.NOW)
            )

        self.assertEqual(
            [("", model.End.REPAIRED), ("label", model.End.UPDATED)],
            [(each.property, each.ended_by) for each in self.entries()],
        )

    def test_the_oldest_that_have_ended_are_removed(self) -> None:
        lasting = self.entry(0)
        ended = [
            self.entry(1, ended_by=model.End.CLEARED, ended_at=base.NOW)
            for _ in range(5)
        ]
        with self.database.write() as conn:
            drift_history.trim(conn, self.root, 6)
            all_of_it = drift_history.list_page(conn, [self.root], None, None)
            drift_history.trim(conn, self.root, 2)

        found = [each.id for each in self.entries()]
        self.assertEqual(6, len(all_of_it))
        self.assertEqual([*sorted(ended)[:2:-1], lasting], found)

    def test_what_ended_long_ago_is_purged(self) -> None:
        old = clock.Timestamp(base.NOW)
        kept = self.entry(0)
        self.entry(1, ended_by=model.End.CLEARED, ended_at=old)
        with self.database.write() as conn:
            number = drift_history.purge(conn, 10.0, 100)

        self.assertEqual(1, number)
        self.assertEqual([kept], [each.id for each in self.entries()])


class AcceptanceTest(HistoryTestCase):
    def accept(self, number: int) -> observation.Acceptance:
        acceptance = observation.Acceptance(
            id=ids.new(),
            root_id=self.root,
            stack_id=self.root,
            resource_id=self.row_id,
            baseline_before=None if number == 0 else {"label": number - 1},
            baseline_after={"label": number},
            differences=(
                observation.Difference(
                    property="label", expected=number - 1, live=number
                ),
            ),
            accepted_at=clock.Timestamp(base.NOW + number),
            drifted_at=None,
        )
        with self.database.write() as conn:
            drift_acceptances.accept(conn, self.row, acceptance)
        return acceptance

    def setUp(self) -> None:
        super().setUp()
        self.row = resource.Resource(
            id=self.row_id,
            stack_id=self.root,
            name="thing",
            type_name="T::Thing",
            action=states.Action.CREATE,
            status=states.Status.COMPLETE,
            created_at=base.NOW,
            updated_at=base.NOW,
        )
        with self.database.write() as conn:
            resources.save_many(conn, [self.row])

    def newest(self) -> observation.Acceptance | None:
        with self.database.read() as conn:
            found = drift_acceptances.list_newest(conn, self.root)
        return found.get(self.row_id)

    def test_the_newest_comes_first_up_to_a_limit(self) -> None:
        known = [self.accept(number) for number in range(13)]

        found: list[observation.Acceptance] = []
        while (newest := self.newest()) is not None:
            found.append(newest)
            with self.database.write() as conn:
                drift_acceptances.delete(conn, newest.id)

        self.assertEqual(
            known[: -drift_acceptances.MAX_ACCEPTANCES - 1 : -1], found
        )
        with self.database.read() as conn:
            (row,) = resources.list_(conn, self.root)
        self.assertEqual(
            dataclasses.replace(self.row, baseline={"label": 12}), row
        )

    def test_those_of_a_removed_resource_are_deleted(self) -> None:
        self.accept(0)
        with self.database.write() as conn:
            drift_acceptances.delete_many(conn, self.root, [self.row_id])

        self.assertIsNone(self.newest())
