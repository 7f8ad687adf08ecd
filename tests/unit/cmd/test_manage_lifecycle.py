"""Which plug-in settings are in force, as operators see and change it."""

import dataclasses

from orch import clock
from orch import ids
from orch.cmd import process
from orch.db import migrate
from orch.db.repositories import plugin_settings
from orch.db.repositories import services
from orch.model import service
from tests.unit.cmd import test_manage

OLD, NEW = "a" * 64, "b" * 64


class SettingsTest(test_manage.ManageTest):
    def setUp(self) -> None:
        super().setUp()
        migrate.upgrade(self.database)

    def begin(self, *workers: service.Service) -> None:
        """Put the old ones into force, and let workers report."""
        with self.database.write() as conn:
            plugin_settings.store_first(conn, OLD)
            for each in workers:
                services.save_report(conn, each)

    def worker(self, name: str, **given: object) -> service.Service:
        return service.Service(
            **{
                "id": ids.WorkerId(name),
                "host": f"host-{name}",
                "binary": "orch-engine",
                "topic": "orch-engine",
                "report_interval_s": 60,
                "created_at": clock.Timestamp(0),
                "updated_at": clock.Timestamp(0),
                "settings_number": 1,
                "settings_loaded": OLD,
                "settings_loadable": NEW,
                **given,
            }
        )

    def refuse(self, *arguments: str) -> str:
        error = self.assertRaises(
            process.Failure,
            *(self.run_manage, "lifecycle", "activate", *arguments),
        )
        self.assertEqual(1, self.number())
        return str(error)

    def number(self) -> int:
        with self.database.read() as conn:
            active = plugin_settings.find(conn)
        return 0 if active is None else active.number

    def findings(self) -> list[str]:
        _, said = self.run_manage("doctor")
        return [line for line in said.splitlines() if "plug-ins:" in line]

    def test_before_the_first_worker_there_are_none(self) -> None:
        error = self.assertRaises(
            process.Failure, self.run_manage, "lifecycle", "activate"
        )
        _, said = self.run_manage("lifecycle", "show")

        self.assertIn("start one first", str(error))
        self.assertIn("no worker has ever started", said)

    def test_what_all_live_workers_find_is_activated(self) -> None:
        self.begin(
            self.worker("one"),
            self.worker("two", settings_number=None, settings_loaded=NEW),
            self.worker("dead", settings_loadable=OLD),
        )
        self.age("dead", 1000)

        code, said = self.run_manage("lifecycle", "activate")

        self.assertEqual(
            (0, "number 2 (bbbbbbbbbbbb) is in force\n"), (code, said)
        )
        self.assertEqual(2, self.number())

    def test_one_of_an_earlier_release_is_left_out_by_force(self) -> None:
        early = self.worker(
            "early",
            settings_number=None,
            settings_loaded=None,
            settings_loadable=None,
        )
        self.begin(self.worker("one"), early)

        self.assertIn("host-early (early): it is of an earlier", self.refuse())
        self.assertEqual(
            [
                "FAIL  plug-ins: host-early (early): it is of an earlier"
                " release, and takes operations whatever plug-ins and settings"
                " it has"
            ],
            self.findings(),
        )
        _, said = self.run_manage("lifecycle", "activate", "--force")

        self.assertIn("left out: host-early", said)
        self.assertEqual(2, self.number())

    def test_one_whose_settings_are_wrong_is_named(self) -> None:
        wrong = self.worker(
            "two", settings_loadable=None, settings_error="no section x"
        )
        self.begin(self.worker("one"), wrong)

        self.assertIn("host-two (two): no section x", self.refuse())

    def test_other_processes_do_not_count(self) -> None:
        self.begin(self.worker("one"), self.worker("s", binary="orch-search"))

        self.assertEqual(0, self.run_manage("lifecycle", "activate")[0])

    def test_who_is_about_to_load_them_is_shown(self) -> None:
        self.begin(self.worker("one"))
        self.run_manage("lifecycle", "activate")

        _, said = self.run_manage("lifecycle", "show")

        self.assertIn(
            "aaaaaaaaaaaa  bbbbbbbbbbbb  not taken: it is about to load number"
            " 2 of the plug-in settings",
            said,
        )

    def test_all_is_well_where_all_have_them(self) -> None:
        one = self.worker("one", settings_loadable=OLD)
        self.begin(one, dataclasses.replace(one, id=ids.WorkerId("two")))

        self.assertEqual(
            [
                "ok    plug-ins: all live workers have number 1 of the plug-in"
                " settings"
            ],
            self.findings(),
        )

    def test_nobody_takes_operations(self) -> None:
        self.begin(
            self.worker(
                "one",
                settings_number=None,
                settings_loaded=NEW,
                settings_loadable=NEW,
            )
        )

        first, second = self.findings()

        self.assertIn("FAIL  plug-ins: no live worker takes operations", first)
        self.assertIn(
            "host-one (one): it cannot load number 1 of the plug-in settings"
            " (aaaaaaaaaaaa): it has bbbbbbbbbbbb. Install",
            second,
        )
