"""Services on each database."""

import dataclasses

import sqlalchemy as sa
import testscenarios

from orch import clock
from orch import ids
from orch.db import functions
from orch.db.models import services as tables
from orch.db.repositories import services
from orch.model import service
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


def _make(name: str = "worker-1", **given: object) -> service.Service:
    values = {
        "id": ids.WorkerId(name),
        "host": "node",
        "binary": "orch-engine",
        "topic": "orch-engine",
        "report_interval_s": 10,
        "created_at": clock.Timestamp(0.0),
        "updated_at": clock.Timestamp(0.0),
    }
    return service.Service(**(values | given))


class ServicesTest(base.TestCase):
    def report(self, value: service.Service) -> None:
        with self.database.write() as conn:
            services.save_report(conn, value)

    def read(self) -> list[tuple[service.Service, bool]]:
        with self.database.read() as conn:
            return services.list_(conn)

    def silence(self, name: str, seconds: float) -> None:
        """Let a process not have reported for so long."""
        columns = tables.SERVICES.c
        with self.database.write() as conn:
            conn.execute(
                sa.update(tables.SERVICES)
                .where(columns.id == name)
                .values(updated_at=functions.now() - seconds)
            )

    def test_a_report_bears_the_time_of_the_database(self) -> None:
        with self.database.read() as conn:
            before = functions.read_clock(conn)

        self.report(_make())

        ((found, is_up),) = self.read()
        self.assertTrue(before <= found.created_at < before + 10)
        self.assertEqual(found.created_at, found.updated_at)
        self.assertEqual(
            _make(created_at=found.created_at, updated_at=found.updated_at),
            found,
        )
        self.assertTrue(is_up)

    def test_a_later_report_keeps_the_time_of_the_first(self) -> None:
        self.report(_make())
        ((first, _),) = self.read()
        self.silence("worker-1", 5)

        self.report(_make(report_interval_s=30))

        ((second, _),) = self.read()
        self.assertGreaterEqual(second.updated_at, first.updated_at)
        expected = dataclasses.replace(
            first, report_interval_s=30, updated_at=second.updated_at
        )
        self.assertEqual(expected, second)

    def test_who_has_missed_two_reports_is_down(self) -> None:
        for name, seconds in (("a", 19.0), ("b", 21.0)):
            self.report(_make(name))
            self.silence(name, seconds)

        found = {each.id: is_up for each, is_up in self.read()}

        self.assertEqual({"a": True, "b": False}, found)

    def test_they_are_listed_by_kind_and_host(self) -> None:
        self.report(_make("1", binary="z"))
        self.report(_make("2", binary="a", host="y"))
        self.report(_make("3", binary="a", host="x"))

        self.assertEqual(["3", "2", "1"], [each.id for each, _ in self.read()])

    def test_the_dead_are_forgotten(self) -> None:
        for name, seconds, interval_s in (
            ("up", 5, 10),
            ("silent", 50, 10),
            ("slow", 150, 100),
            ("dead", 101, 10),
        ):
            self.report(_make(name, report_interval_s=interval_s))
            self.silence(name, seconds)

        with self.database.write() as conn:
            self.assertEqual(1, services.forget_dead(conn, 100))

        self.assertEqual(
            {"up", "silent", "slow"}, {each.id for each, _ in self.read()}
        )
