"""``orch-manage notification``, on a database of a file."""

import contextlib
import io
import json
import re
import shlex

import fixtures

from orch import clock
from orch import ids
from orch.cmd import manage
from orch.cmd import process
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
        self.useFixture(
            fixtures.MonkeyPatch("orch.cmd.notifications._MAX_SHOWN", 2)
        )
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

    def test_what_waits_for_one_topic_is_forgotten_alone(self) -> None:
        self.refuse(1)
        with self.database.write() as conn:
            for topic in ("audit", "audit", "billing", None):
                outbox.insert_many(conn, [_make(7, topic)])

        said = self.run_manage("notification", "forget", "--topic", "audit")

        self.assertEqual("2 forgotten\n", said)
        with self.database.read() as conn:
            self.assertEqual({"billing": 1}, outbox.count_by_topic(conn))
            self.assertEqual(2, outbox.count(conn))
            self.assertEqual(1, refused_notifications.count(conn))

    def test_what_is_held_is_not_forgotten(self) -> None:
        held = _make(7, outbox.HELD)
        with self.database.write() as conn:
            outbox.insert_many(conn, [held])

        self.assertRaises(
            process.Failure,
            *(self.run_manage, "notification", "forget", "--topic", ""),
        )

        with self.database.write() as conn:
            self.assertEqual(1, len(outbox.take_held(conn, held.stack_id)))

    def test_the_doctor_names_topics_that_wait(self) -> None:
        with self.database.write() as conn:
            outbox.insert_many(
                conn,
                [
                    _make(n, topic)
                    for n, topic in enumerate(("notifications", "gone"))
                ],
            )

        said = self.run_manage("doctor")

        self.assertIn("ok    outbox: 0 notifications wait", said)
        self.assertIn("FAIL  topic notifications: 1 notifications wait", said)
        self.assertIn("notification forget --topic gone", said)


class PolicyTest(RefusedTest):
    def configure(self, text: str) -> None:
        self.file.write_text(self.file.read_text() + text)

    def policy(self, *args: str) -> list[str]:
        """Return the words of the printed command."""
        return shlex.split(self.run_manage("notification", "policy", *args))

    def test_it_is_for_the_queues_of_all_topics(self) -> None:
        self.configure(
            "[notifications]\ntopics = notifications, my.topic\n"
            "[oslo_messaging_notifications]\n"
            "transport_url = rabbit://a:b@127.0.0.1:5672/cloud\n"
        )

        found = self.policy("--max-messages", "7")

        self.assertEqual(
            ["rabbitmqctl", "set_policy", "--vhost", "cloud"], found[:4]
        )
        self.assertEqual(
            {"max-length": 7, "overflow": "drop-head"}, json.loads(found[-1])
        )
        for name, expected in (
            ("notifications.info", True),
            ("notifications.error", True),
            ("my.topic.info", True),
            ("myxtopic.info", False),
            ("orch-engine", False),
            ("notifications.info.more", False),
        ):
            with self.subTest(name=name):
                self.assertEqual(
                    expected, re.search(found[-2], name) is not None
                )

    def test_without_topics_or_room_there_is_none(self) -> None:
        for text, args, problem in (
            ("", ("--max-messages", "0"), "at least 1"),
            ("[notifications]\ntopics =\n", (), "topics is empty"),
        ):
            self.configure(text)
            error = self.assertRaises(process.Failure, self.policy, *args)
            self.assertIn(problem, str(error))


def _make(sequence: int, topic: str | None) -> notification.Notification:
    return notification.Notification(
        stack_id=ids.StackId("s1"),
        sequence=sequence,
        event_type="orchestration.stack.create.start",
        priority="info",
        context={},
        payload={},
        created_at=clock.Timestamp(0),
        topic=topic,
    )
