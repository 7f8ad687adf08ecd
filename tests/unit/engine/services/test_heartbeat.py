"""What a worker says of itself, and what it forgets of others."""

import sqlalchemy as sa

from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.models import catalog
from orch.db.models import services as tables
from orch.db.repositories import named_leases
from orch.db.repositories import services as repository
from orch.engine.services import heartbeat
from orch.flow.runner import open_calls
from orch.model import plugin_settings as model
from orch.model import service
from tests import base
from tests.functional import databases
from tests.unit.engine import fakes

MINE = ids.WorkerId("mine")
DEAD = ids.WorkerId("dead")
HUNG = open_calls.lease_name(ids.StackId("s"), ids.ResourceId("r"))


class ReporterTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.database = db_engine.Database(
            self.useFixture(databases.SQLite()).url
        )
        self.addCleanup(self.database.dispose)
        catalog.metadata().create_all(self.database.engine)
        self.reports = [model.LoadReport()]
        self.reporter = heartbeat.Heartbeat(
            *(self.database, MINE, "here", 10, fakes.Clock()),
            lambda: self.reports[0],
        )

    def names_after_a_report(self, silence_s: float) -> list[str]:
        """Return what is held once somebody reports.

        :param silence_s: for how long nobody has held the call of the dead
        """
        with self.database.write() as conn:
            named_leases.acquire(conn, HUNG, DEAD, 1)
            conn.execute(
                sa.update(tables.LEASES).values(
                    expires_at=functions.now() - silence_s
                )
            )
            named_leases.acquire(conn, "relay", MINE, 1)
        heartbeat.Heartbeat(
            self.database, MINE, "here", 10, fakes.Clock()
        ).beat()
        with self.database.read() as conn:
            return list(
                conn.scalars(
                    sa.select(tables.LEASES.c.name).order_by(
                        tables.LEASES.c.name
                    )
                )
            )

    def test_news_of_plug_in_settings_is_reported_at_once(self) -> None:
        self.say(model.LoadReport(1, "a", "a"))
        self.say(model.LoadReport(1, "a", "b"))
        found, is_up = self.say(model.LoadReport(2, "b", "b"))

        self.assertEqual(model.LoadReport(2, "b", "b"), found.load_report)
        self.assertTrue(is_up)
        self.say(model.LoadReport(None, "b", None, "it is wrong"))
        found, _ = self.say(None)
        self.assertEqual("it is wrong", found.settings_error)

    def test_one_that_has_ended_is_down_at_once(self) -> None:
        self.say(model.LoadReport())

        self.reporter.end()

        found, is_up = self.read()
        self.assertEqual((MINE, False), (found.id, is_up))

    def say(
        self, report: model.LoadReport | None
    ) -> tuple[service.Service, bool]:
        """Beat, and return what is stored; ``None`` for no news."""
        if report is not None:
            self.reports[:] = [report]
        self.reporter.beat()
        return self.read()

    def read(self) -> tuple[service.Service, bool]:
        with self.database.read() as conn:
            (found,) = repository.list_(conn)
        return found

    def test_hung_calls_of_the_dead_are_forgotten_in_time(self) -> None:
        least_s = 10 * heartbeat.FORGET_AFTER_REPORTS

        self.assertEqual(
            [HUNG, "relay"], self.names_after_a_report(least_s - 60)
        )
        self.assertEqual(["relay"], self.names_after_a_report(least_s + 60))
