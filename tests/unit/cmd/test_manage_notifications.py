"""``orch-manage notification``, on a database of a file."""

import contextlib
import io

import fixtures

from orch import clock
from orch import ids
from orch.cmd import manage
from orch.db import engine
from orch.db.repositories import outbox
from orch.db.repositories import refused_notifications
from orch.model import notification
from tests import base
from tests.support import tables


class RefusedTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        directory = self.make_directory()
        tables.write(directory / "orch.db")
        self.file = directory / "orch.conf"
        self.file.write_text(
            "[DEFAULT]\n"
            "transport_url = orch-inproc://\n"
            "[database]\n"
            f"connection = sqlite:///{directory}/orch.db\n"
        )
        self.database = engine.Database(f"sqlite:///{directory}/orch.db")
        self.addCleanup(self.database.dispose)

    def run_manage(self, *args: str) -> str:
        self.useFixture(
            fixtures.MonkeyPatch(
                "sys.argv",
                ["orch-manage", "--config-file", str(self.file), *args],
            )
        )
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            manage._run()
        return said.getvalue()

    def refuse(self, count: int) -> None:
        with self.database.write() as conn:
            outbox.insert_many(
                conn,
                [
                    notification.Notification(
                        stack_id=ids.StackId("s1"),
                        sequence=sequence,
                        event_type="orchestration.stack.create.start",
                        priority="info",
                        context={},
                        payload={},
                        created_at=clock.Timestamp(0),
                    )
                    for sequence in range(count)
                ],
            )
            for each in outbox.list_waiting(conn, count):
                outbox.delete(conn, [each.number])
                refused_notifications.insert(conn, each, "too large")

    def count(self) -> tuple[int, int]:
        return self.database.query(
            lambda conn: (
                outbox.count(conn),
                refused_notifications.count(conn),
            )
        )

    def test_the_list_says_why(self) -> None:
        self.refuse(2)

        head, *lines = self.run_manage("notification", "list").splitlines()

        self.assertEqual("STACK", head.split()[0])
        self.assertEqual(
            [
                ["s1", "0", "orchestration.stack.create.start"],
                ["s1", "1", "orchestration.stack.create.start"],
            ],
            [each.split()[:3] for each in lines],
        )
        self.assertTrue(lines[0].endswith("too large"))

    def test_a_list_that_is_cut_short_says_so(self) -> None:
        self.useFixture(fixtures.MonkeyPatch("orch.cmd.manage._MAX_SHOWN", 2))
        self.refuse(2)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.run_manage("notification", "list")
            self.assertEqual("", said.getvalue())

            self.refuse(1)
            shown = self.run_manage("notification", "list")

        self.assertEqual(3, len(shown.splitlines()))
        self.assertEqual("the oldest 2 of 3 are shown\n", said.getvalue())

    def test_all_are_sent_again(self) -> None:
        self.refuse(250)

        self.assertEqual(
            "250 are sent again\n", self.run_manage("notification", "resend")
        )
        self.assertEqual((250, 0), self.count())
        self.assertEqual(
            "0 are sent again\n", self.run_manage("notification", "resend")
        )

    def test_all_are_forgotten(self) -> None:
        self.refuse(250)

        self.assertEqual(
            "250 forgotten\n", self.run_manage("notification", "forget")
        )
        self.assertEqual((0, 0), self.count())

    def test_a_purge_forgets_those_that_are_old(self) -> None:
        self.refuse(1)

        self.run_manage("purge", "--older-than", "1")
        self.assertEqual((0, 1), self.count())

        self.run_manage("purge", "--older-than", "0")
        self.assertEqual((0, 0), self.count())

    def test_the_doctor_counts_them(self) -> None:
        self.assertIn("ok    notifications:", self.run_manage("doctor"))
        self.refuse(3)

        self.assertIn(
            "FAIL  notifications: the broker refused 3",
            self.run_manage("doctor"),
        )
