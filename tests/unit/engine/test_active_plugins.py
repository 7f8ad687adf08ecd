"""The plug-ins of a worker, and the row that says which are in force."""

import fixtures
import yaml
from oslo_config import cfg

from orch.conf import lifecycle as lifecycle_conf
from orch.db import engine as db_engine
from orch.db.models import catalog
from orch.db.repositories import plugin_settings
from orch.engine import active_plugins
from orch.model import plugin_settings as model
from tests import base
from tests.functional import databases


class ActivePluginsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.database = db_engine.Database(
            self.useFixture(databases.SQLite()).url
        )
        self.addCleanup(self.database.dispose)
        catalog.metadata().create_all(self.database.engine)
        self.file = self.make_directory() / "lifecycle.yaml"
        self.notified: list[None] = []
        self.logger = self.useFixture(
            fixtures.FakeLogger("orch.engine.active_plugins")
        )

    def write(self, *numbers: int) -> None:
        sections = {
            f"command:{each}": {"argv": ["/bin/true"]} for each in numbers
        }
        self.file.write_text(yaml.safe_dump(sections))

    def worker(
        self, *numbers: int, is_alone: bool = False
    ) -> active_plugins.ActivePlugins:
        """Return the plug-ins of a worker that has just started."""
        self.write(*numbers)
        conf = cfg.ConfigOpts()
        lifecycle_conf.SECTION.register(conf)
        conf([], default_config_files=[])
        conf.set_override("settings_file", str(self.file), "lifecycle")
        worker = active_plugins.ActivePlugins(
            conf,
            self.database,
            lambda: self.notified.append(None),
            is_alone=is_alone,
        )
        worker._look()
        return worker

    def activate(self, fingerprint: str | None) -> None:
        assert fingerprint is not None
        with self.database.write() as conn:
            active = plugin_settings.find(conn)
            assert active is not None
            plugin_settings.activate(conn, active.number, fingerprint)

    def names(self, worker: active_plugins.ActivePlugins) -> list[str]:
        return [each.name[-1] for each in worker.order.members]

    def test_the_first_worker_puts_its_own_into_force(self) -> None:
        worker = self.worker(1)

        self.assertEqual(1, worker.number)
        self.assertEqual(1, worker.report.number)
        worker.check_active()

    def test_another_one_with_the_same_has_them(self) -> None:
        self.worker(1)

        self.assertEqual(1, self.worker(1).number)

    def test_another_one_with_others_has_them_not(self) -> None:
        self.worker(1)

        worker = self.worker(2)

        self.assertEqual(model.NOT_LOADED, worker.number)
        self.assertIsNone(worker.report.number)
        error = self.assertRaises(active_plugins.Outdated, worker.check_active)
        self.assertIn("(number 1)", error.message)
        self.assertIn(
            "this worker takes no operations: it cannot load number 1",
            self.logger.output,
        )

    def test_that_is_logged_once(self) -> None:
        self.worker(1)
        worker = self.worker(2)
        for _ in range(3):
            worker._look()

        self.assertEqual(1, self.logger.output.count("takes no operations"))

    def test_one_that_is_alone_puts_its_own_into_force_at_its_start(
        self,
    ) -> None:
        self.worker(1)

        worker = self.worker(2, is_alone=True)

        self.assertEqual(2, worker.number)
        self.write(3)
        worker._look()
        self.assertEqual((2, ["2"]), (worker.number, self.names(worker)))

    def test_one_that_is_alone_changes_nothing_else(self) -> None:
        self.worker(1)

        self.assertEqual(1, self.worker(1, is_alone=True).number)

    def test_a_changed_file_is_found_and_used_once_it_is_activated(
        self,
    ) -> None:
        worker = self.worker(1)
        self.write(2)
        worker._look()
        report = worker.report
        self.assertNotEqual(report.loaded, report.loadable)
        self.assertEqual((1, ["1"]), (worker.number, self.names(worker)))
        self.notified.clear()

        self.activate(report.loadable)
        worker._look()

        self.assertEqual((2, ["2"]), (worker.number, self.names(worker)))
        self.assertEqual([None], self.notified)
        self.assertEqual(
            model.LoadReport(2, report.loadable, report.loadable),
            worker.report,
        )

    def test_plugins_do_not_change_while_other_settings_are_in_force(
        self,
    ) -> None:
        worker = self.worker(1)
        self.activate("f" * 64)
        worker._look()

        self.assertEqual(
            (model.NOT_LOADED, ["1"]), (worker.number, self.names(worker))
        )
        self.activate(worker.report.loaded)
        worker._look()
        self.assertEqual((3, ["1"]), (worker.number, self.names(worker)))

    def test_a_wrong_file_is_reported_and_the_loaded_ones_stay(self) -> None:
        worker = self.worker(1)
        self.file.write_text("nobody: {}")
        worker._look()

        report = worker.report
        self.assertEqual(1, report.number)
        self.assertIsNone(report.loadable)
        self.assertIn("has a section 'nobody'", str(report.error))
        self.write(1)
        worker._look()
        self.assertEqual(report.loaded, worker.report.loadable)
        self.assertIsNone(worker.report.error)

    def test_what_could_not_be_loaded_is_tried_again(self) -> None:
        worker = self.worker(1)
        secret = self.file.with_name("secret")
        settings = {
            "url": "https://hooks.example.net/",
            "secret_file": str(secret),
        }
        self.file.write_text(yaml.safe_dump({"webhook:a": settings}))
        worker._look()
        worker._look()
        self.assertIn("cannot be read", str(worker.report.error))
        self.assertEqual(1, self.logger.output.count("cannot be read"))

        secret.write_text("k" * 32)
        worker._look()

        self.assertIsNone(worker.report.error)
        self.activate(worker.report.loadable)
        worker._look()
        self.assertEqual(["webhook:a"], [m.name for m in worker.order.members])

    def test_a_file_that_is_gone_is_wrong(self) -> None:
        worker = self.worker(1)
        self.file.unlink()
        worker._look()

        self.assertIn("cannot be read", str(worker.report.error))
        self.assertEqual(1, worker.number)
