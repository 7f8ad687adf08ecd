"""What signals leave, on each database."""

import dataclasses
import threading

import testscenarios

from orch import clock
from orch import ids
from orch.db.repositories import resources
from orch.db.repositories import signals
from orch.model import signal
from orch.model import states
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios

STACK = ids.StackId("00000000-0000-0000-0000-000000000001")
OTHER = ids.StackId("00000000-0000-0000-0000-000000000002")


def untold(number: int, **given: object) -> signal.UnreportedSignal:
    values: dict[str, object] = {
        "id": ids.new(),
        "stack_id": STACK,
        "resource_id": ids.new(),
        "resource_name": f"r{number}",
        "resource_type": "T",
        "physical_id": None,
        "status": states.Status.COMPLETE,
        "reason": "Signal \U0001f600",
        "created_at": clock.Timestamp(1000.0 + number),
    }
    return signal.UnreportedSignal(**(values | given))


class StoredSignalsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.row = base.make_resource(stack_id=STACK)
        with self.database.write() as conn:
            resources.save_many(conn, [self.row])

    def test_a_new_resource_has_none(self) -> None:
        with self.database.write() as conn:
            self.assertEqual({}, signals.lock_data(conn, self.row))

    def test_whoever_writes_the_row_leaves_them_alone(self) -> None:
        kept = {"a": {"data": "é\x00", "big": 2**80}}
        with self.database.write() as conn:
            signals.save_data(conn, self.row, kept)
        changed = dataclasses.replace(
            self.row, physical_id="x", data={"y": 1}, signals={"lost": 1}
        )
        with self.database.write() as conn:
            resources.save_many(conn, [changed])
            found = signals.list_(conn, STACK, [self.row.id])
            read = resources.find(conn, self.row.id)

        self.assertEqual({self.row.id: kept}, found)
        assert read is not None
        self.assertEqual(
            (kept, "x", {"y": 1}), (read.signals, read.physical_id, read.data)
        )

    def test_what_is_gone_has_none(self) -> None:
        with self.database.write() as conn:
            resources.delete_all(conn, STACK)
            self.assertIsNone(signals.lock_data(conn, self.row))
            self.assertEqual({}, signals.list_(conn, STACK, [self.row.id]))

    def test_two_signals_at_once_are_both_kept(self) -> None:
        def add(name: str) -> None:
            for number in range(20):
                self.database.run(
                    lambda conn, key=f"{name}{number}": signals.save_data(
                        conn,
                        self.row,
                        {**(signals.lock_data(conn, self.row) or {}), key: 1},
                    )
                )

        threads = [
            threading.Thread(target=add, args=(name,)) for name in "abc"
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

        with self.database.read() as conn:
            found = signals.list_(conn, STACK, [self.row.id])
        self.assertEqual(60, len(found[self.row.id]))

    def test_busy_types_are_those_that_really_stand_behind(self) -> None:
        busy = states.Status.IN_PROGRESS
        rows = [
            base.make_resource(stack_id=STACK, name="a", status=busy),
            base.make_resource(
                stack_id=STACK, name="b", status=busy, mapped_type="Mapped"
            ),
            base.make_resource(stack_id=OTHER, name="c", status=busy),
        ]
        with self.database.write() as conn:
            resources.save_many(conn, rows)
            found = resources.list_busy_types(conn, STACK)

        self.assertEqual({rows[0].type_name, "Mapped"}, found)


class UntoldTest(base.TestCase):
    def test_they_are_told_once_and_in_their_order(self) -> None:
        rows = [untold(2), untold(1), untold(3, stack_id=OTHER)]
        with self.database.write() as conn:
            for row in rows:
                signals.save_unreported(conn, row)
            newest = signals.find_newest_unreported(conn, STACK)
        with self.database.write() as conn:
            found = signals.take_unreported(conn, STACK)
        with self.database.write() as conn:
            again = signals.take_unreported(conn, STACK)
            others = signals.take_unreported(conn, OTHER)

        self.assertEqual(rows[0], newest)
        self.assertEqual([rows[1], rows[0]], found)
        self.assertEqual([], again)
        self.assertEqual([rows[2]], others)
