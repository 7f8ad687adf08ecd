import contextlib
import importlib.metadata
import io
import re

import fixtures

from orch import clock
from orch import errors
from orch import ids
from orch.cmd import manage
from orch.cmd import process
from orch.db import engine
from orch.db import migrate
from orch.db import revision
from orch.db.repositories import contents
from orch.db.repositories import services
from orch.engine import credentials
from orch.engine.adoption import sealing
from orch.model import service
from orch.plugin import lifecycle
from orch.rpc import broker
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
            lambda conn: services.save_report(
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
            (0, f"{revision.head()}\n"), self.run_manage("db", "version")
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


class _Early(lifecycle.LifecyclePlugin):
    """Is called for two requests, before all others."""

    ordinal = 7
    verbs = frozenset({"update", "create"})
    time_limit_s = 1.5


class _Broken(lifecycle.LifecyclePlugin):
    """Cannot be made."""

    def __init__(self, name: str, settings: object) -> None:
        raise errors.Invalid("racks are missing")


class LifecycleTest(ManageTest):
    def install(self, *kinds: type[lifecycle.LifecyclePlugin]) -> None:
        found = [
            importlib.metadata.EntryPoint(
                kind.__name__.strip("_").lower(),
                f"{kind.__module__}:{kind.__name__}",
                lifecycle.NAMESPACE,
            )
            for kind in kinds
        ]
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.plugin.registry.entry_points",
                lambda group: found if group == lifecycle.NAMESPACE else [],
            )
        )

    def append(self, text: str) -> None:
        self.file.write_text(self.file.read_text() + text)

    def test_plug_ins_are_listed_in_the_order_of_their_calls(self) -> None:
        self.install(_Broken, _Early)
        self.append("[lifecycle]\nfail_open = broken\n")

        code, said = self.run_manage("lifecycle", "list")

        self.assertEqual(0, code)
        rows = [re.split("  +", line.strip()) for line in said.splitlines()]
        self.assertEqual(
            [
                [
                    *("early", "7", "roots", "create,update", "1.5 s"),
                    *("mandatory", "deny"),
                ],
                [
                    *("broken", "100", "roots", "all", "60 s"),
                    *("mandatory", "warn"),
                    "not loaded: Invalid: racks are missing",
                ],
            ],
            rows[1:],
        )

    def test_what_keeps_a_worker_from_starting_is_told(self) -> None:
        self.install(_Broken)

        error = self.assertRaises(
            process.Failure, self.run_manage, "lifecycle", "list"
        )

        self.assertIn("broken", str(error))
        self.assertIn("racks are missing", str(error))


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

    def test_a_worker_that_has_just_died_is_found(self) -> None:
        migrate.upgrade(self.database)
        self.report("live")
        text = self.file.read_text()
        self.file.write_text(
            text.replace("orch-inproc://", "rabbit://a:b@127.0.0.1:1/")
        )
        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.rpc.broker.Broker.find_mismatches", lambda *_: []
            )
        )
        for consumers, code in ((0, 1), (2, 0)):
            queue = broker.Queue("orch-engine", 3, consumers)
            with fixtures.MonkeyPatch(
                "orch.rpc.broker.Broker.find_queues",
                lambda _, names, queue=queue: [
                    queue for name in names if name == queue.name
                ],
            ):
                found, said = self.run_manage("doctor")

            self.assertEqual(code, found, said)
            self.assertEqual(bool(code), "FAIL  requests: no worker" in said)

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


class SecretsTest(ManageTest):
    def setUp(self) -> None:
        super().setUp()
        self.run_manage("db", "sync")
        with self.database.write() as conn:
            contents.save_texts(conn, ["admin_pass: canary"])
        self.plain = self.file.read_text()

    def rotate(self, *keys: str, seals: bool = True) -> str:
        self.file.write_text(
            self.plain.replace(
                "[DEFAULT]\n",
                f"[DEFAULT]\nencrypt_parameters_and_properties = {seals}\n",
            )
            + f"[credentials]\nencryption_keys = {','.join(keys)}\n"
        )
        code, said = self.run_manage("secrets", "rotate")
        self.assertEqual(0, code)
        return said

    def stored(self) -> bytes:
        with self.database.engine.connect() as conn:
            found = conn.exec_driver_sql("SELECT body FROM contents")
            return bytes(found.scalar_one())

    def test_all_is_encrypted_with_the_first_key_and_decrypted_again(
        self,
    ) -> None:
        before = self.stored()
        old, new = credentials.new_key(), credentials.new_key()

        self.assertIn("1 rows sealed with the first key", self.rotate(old))
        first = self.stored()
        self.assertIn("0 rows", self.rotate(old))
        self.assertIn("1 rows", self.rotate(new, old))
        second = self.stored()
        self.assertIn("1 rows decrypted", self.rotate(new, seals=False))

        self.assertEqual(3, len({before, first, second}))
        self.assertEqual(before, self.stored())

    def test_without_the_old_key_nothing_is_changed(self) -> None:
        self.rotate(credentials.new_key())
        before = self.stored()

        error = self.assertRaises(
            errors.OrchError, self.rotate, credentials.new_key()
        )

        self.assertIn("the old ones too", error.message)
        self.assertEqual(before, self.stored())

    def test_without_a_key_it_says_how_to_make_one(self) -> None:
        error = self.assertRaises(errors.OrchError, self.rotate)

        self.assertIn("orch-manage credential-key new", error.message)


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
