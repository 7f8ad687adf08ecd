import contextlib
import io

import fixtures

from orch import clock
from orch import errors
from orch import ids
from orch.cmd import manage
from orch.cmd import process
from orch.db import engine
from orch.db import migrate
from orch.db.repositories import services
from orch.engine import sealing
from orch.model import service
from tests import base


class ManageTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        directory = self.make_directory()
        self.file = directory / "orch.conf"
        self.file.write_text(
            "[DEFAULT]\n"
            "transport_url = orch-inproc://\n"
            "[database]\n"
            f"connection = sqlite:///{directory}/orch.db\n"
        )
        self.database = engine.Database(f"sqlite:///{directory}/orch.db")
        self.addCleanup(self.database.dispose)

    def run_manage(self, *args: str) -> tuple[int, str]:
        self.useFixture(
            fixtures.MonkeyPatch(
                "sys.argv",
                ["orch-manage", "--config-file", str(self.file), *args],
            )
        )
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            return manage._run(), said.getvalue()

    def report(self, name: str, interval_s: int = 60) -> None:
        self.database.run(
            lambda conn: services.report(
                conn,
                service.Service(
                    id=ids.WorkerId(name),
                    host="w1",
                    binary="orch-engine",
                    topic="orch-engine",
                    report_interval_s=interval_s,
                    created_at=clock.Timestamp(0),
                    updated_at=clock.Timestamp(0),
                ),
            )
        )

    def age(self, name: str, seconds: float) -> None:
        with self.database.engine.begin() as conn:
            conn.exec_driver_sql(
                "UPDATE services SET updated_at = updated_at - ? WHERE id = ?",
                (seconds, name),
            )


class DatabaseTest(ManageTest):
    def test_sync_brings_the_tables_to_this_release(self) -> None:
        self.assertEqual((0, "none\n"), self.run_manage("db", "version"))
        self.assertEqual((0, ""), self.run_manage("db", "sync"))
        self.assertEqual(
            (0, f"{migrate.head()}\n"), self.run_manage("db", "version")
        )

    def test_purge_tells_what_it_removed(self) -> None:
        self.run_manage("db", "sync")

        self.assertEqual(
            (
                0,
                "0 stacks, 0 documents of abandoned ones and 0 texts"
                " removed\n",
            ),
            self.run_manage("purge", "--older-than", "0"),
        )


class ServiceTest(ManageTest):
    def setUp(self) -> None:
        super().setUp()
        migrate.upgrade(self.database)
        self.report("live")
        self.report("dead")
        self.age("dead", 1000)

    def test_the_list_says_who_is_up(self) -> None:
        _, said = self.run_manage("service", "list")
        lines = {
            line.split()[0]: line.split()[3] for line in said.split("\n")[1:-1]
        }

        self.assertEqual({"live": "up", "dead": "down"}, lines)

    def test_cleaning_forgets_the_dead_only(self) -> None:
        self.assertEqual(
            (0, "1 forgotten\n"), self.run_manage("service", "clean")
        )
        _, said = self.run_manage("service", "list")
        self.assertIn("live", said)
        self.assertNotIn("dead", said)


class QueueTest(ManageTest):
    def test_without_a_broker_there_are_no_queues(self) -> None:
        code, said = self.run_manage("queue", "list")

        self.assertEqual((0, 1), (code, len(said.splitlines())))
        self.assertRaises(
            errors.NotFound, self.run_manage, "queue", "purge", "orch-engine"
        )


class DoctorTest(ManageTest):
    def test_a_healthy_installation_passes(self) -> None:
        migrate.upgrade(self.database)
        self.report("live")

        code, said = self.run_manage("doctor")

        self.assertEqual(0, code)
        self.assertNotIn("FAIL", said)

    def test_tables_of_another_release_are_found(self) -> None:
        code, said = self.run_manage("doctor")

        self.assertEqual(1, code)
        self.assertIn("orch-manage db sync", said)

    def test_nothing_is_done_on_tables_of_another_release(self) -> None:
        for command in (["service", "list"], ["service", "clean"], ["purge"]):
            error = self.assertRaises(
                process.Failure, self.run_manage, *command
            )
            self.assertIn("orch-manage db sync", str(error))

    def test_a_database_that_is_away_is_found(self) -> None:
        self.file.write_text(
            "[DEFAULT]\ntransport_url = orch-inproc://\n"
            "[database]\nconnection = sqlite:////nowhere/at/all/orch.db\n"
        )

        code, said = self.run_manage("doctor")

        self.assertEqual(1, code)
        self.assertIn("FAIL  database:", said)

    def test_a_broker_that_is_away_is_found(self) -> None:
        migrate.upgrade(self.database)
        self.report("live")
        text = self.file.read_text()
        for url in ("rabbit://a:b@127.0.0.1:1/", "nonsense://"):
            self.file.write_text(text.replace("orch-inproc://", url))

            code, said = self.run_manage("doctor")

            self.assertEqual(1, code)
            self.assertIn("FAIL  broker:", said)

    def test_missing_workers_are_found(self) -> None:
        migrate.upgrade(self.database)
        self.report("dead")
        self.age("dead", 1000)

        code, said = self.run_manage("doctor")

        self.assertEqual(1, code)
        self.assertIn("FAIL  workers: 0 alive, 1 down", said)

    def test_clocks_apart_are_found(self) -> None:
        migrate.upgrade(self.database)
        self.report("live")
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.clock.SystemClock.now",
                lambda _: clock.Timestamp(1_000_000.0),
            )
        )

        code, said = self.run_manage("doctor")

        self.assertEqual(1, code)
        self.assertIn("FAIL  clock:", said)


class CommandLineTest(ManageTest):
    def test_a_g9_keys_are_made_and_their_public_part_is_shown(self) -> None:
        key = self.run_manage("adoption-key", "new")[1].strip()
        other = self.run_manage("adoption-key", "new")[1].strip()
        with self.file.open("a") as file:
            file.write(f"[adoption]\nprivate_keys = {key},{other}\n")
        place = self.make_directory() / "adoption.key"
        place.write_text(other)

        shown = self.run_manage("adoption-key", "show")
        of_other = self.run_manage(
            "adoption-key", "show", "--key-file", str(place)
        )

        self.assertEqual((0, sealing.public_key(key) + "\n"), shown)
        self.assertEqual((0, sealing.public_key(other) + "\n"), of_other)

    def test_a_g9_without_a_key_there_is_none_to_show(self) -> None:
        error = self.assertRaises(
            process.Failure, self.run_manage, "adoption-key", "show"
        )

        self.assertIn("orch-manage adoption-key new", str(error))

    def test_an_unknown_command_is_refused(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            for args in ((), ("db",), ("fly",)):
                self.assertRaises(SystemExit, self.run_manage, *args)

    def test_a_wrong_option_is_a_failure(self) -> None:
        self.file.write_text("[engine]\nlease_ttl = soon\n")

        self.assertRaises(process.Failure, self.run_manage, "db", "version")

    def test_a_missing_file_is_a_failure(self) -> None:
        self.file.unlink()

        self.assertRaises(process.Failure, self.run_manage, "db", "version")

    def test_help_is_given(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            done = self.assertRaises(SystemExit, manage._parse, ["--help"])

        self.assertEqual(0, done.code)
        self.assertIn("doctor", said.getvalue())
