"""The store of a worker and the one of the tests: the same answers."""

import dataclasses
import pathlib
import tempfile
import typing

import testscenarios

from orch import errors
from orch import ids
from orch.db import engine
from orch.db import migrate
from orch.engine.software import store
from orch.plugin import software
from tests import base
from tests.unit.resources.heat.software import stores

load_tests = testscenarios.load_tests_apply_scenarios

Values = dict[str, object]


class SoftwareStoreContractTest(base.TestCase):
    scenarios = (("fake", {"is_real": False}), ("real", {"is_real": True}))
    is_real = False
    _database: typing.ClassVar[engine.Database | None] = None

    def setUp(self) -> None:
        super().setUp()
        self.store: software.Store = stores.Store()
        if self.is_real:
            self.store = store.SoftwareStore(self.database())
        self.config_id, self.deployment_id = ids.new(), ids.new()

    @classmethod
    def database(cls) -> engine.Database:
        if cls._database is None:
            place = tempfile.TemporaryDirectory()
            cls.addClassCleanup(place.cleanup)
            path = pathlib.Path(place.name) / "orch.sqlite"
            cls._database = engine.Database(f"sqlite:///{path}")
            cls.addClassCleanup(cls._database.dispose)
            migrate.upgrade(cls._database)
        return cls._database

    def store_config(self, config: str = "text") -> None:
        self.store.create_config(
            "demo",
            self.config_id,
            software.Definition(
                name="n",
                group="script",
                config=config,
                inputs=[{"name": "i"}],
                outputs=[{"name": "o"}],
                options={"a": 1},
            ),
        )

    def hand_over(self, config_id: str, **given: object) -> None:
        values: Values = {
            "deployment_id": self.deployment_id,
            "stack_id": self.config_id,
            "resource_id": self.deployment_id,
            "project_id": "demo",
            "server_id": self.deployment_id,
            "config_id": config_id,
            "definition": software.Definition(name="n", config="bound"),
            "input_values": {"i": 1},
            "action": "CREATE",
            "status": software.Status.IN_PROGRESS,
            "status_reason": "told",
            "signal_count": 0,
        }
        self.store.hand_over(software.Handover(**(values | given)))

    def found(self) -> software.Deployment:
        found = self.store.find_deployment("demo", self.deployment_id)
        assert found is not None
        return found

    def test_the_first_of_two_configs_of_an_id_stays(self) -> None:
        self.store_config("first")
        self.store_config("second")

        found = self.store.find_config("demo", self.config_id)

        self.assertEqual(
            ("n", "script", "first", {"a": 1}),
            (found.name, found.group, found.config, found.options),
        )
        self.assertEqual(
            ([{"name": "i"}], [{"name": "o"}]),
            (list(found.inputs), list(found.outputs)),
        )

    def test_a_config_of_others_is_not_found(self) -> None:
        self.store_config()

        self.assertIsNone(self.store.find_config("other", self.config_id))
        self.assertIsNone(self.store.find_config("demo", "nosuch"))
        known = self.store.find_config(None, self.config_id)
        self.assertEqual("text", known.config)

    def test_a_deployed_config_stays(self) -> None:
        self.hand_over(self.config_id)

        self.assertRaises(
            errors.Invalid, self.store.delete_config, "demo", self.config_id
        )
        self.store.delete_deployment("demo", self.deployment_id)

        self.assertIsNone(self.store.find_config("demo", self.config_id))
        self.assertIsNone(
            self.store.find_deployment("demo", self.deployment_id)
        )

    def test_what_is_gone_can_be_deleted_again(self) -> None:
        self.store.delete_config("demo", self.config_id)
        self.store.delete_deployment("demo", self.deployment_id)

        self.assertIsNone(self.store.find_config("demo", self.config_id))

    def test_handing_over_again_changes_nothing(self) -> None:
        self.hand_over(self.config_id)
        self.store.finish(
            self.found(), software.Status.COMPLETE, "well", {"o": 1}
        )
        before = self.found()

        self.hand_over(self.config_id, signal_count=7)

        self.assertEqual(before, self.found())

    def test_the_next_config_takes_the_place_of_the_last(self) -> None:
        newer = ids.new()
        self.hand_over(self.config_id)
        self.store.finish(
            self.found(), software.Status.COMPLETE, "well", {"o": 1}
        )

        self.hand_over(newer, action="UPDATE", signal_count=3)

        found = self.found()
        self.assertEqual(
            (newer, "UPDATE", "IN_PROGRESS", "told", 3, {"o": 1}),
            (
                found.config_id,
                found.action,
                found.status,
                found.status_reason,
                found.signal_count,
                found.output_values,
            ),
        )
        self.assertIsNone(self.store.find_config("demo", self.config_id))
        listed = self.store.list_configs("demo", self.deployment_id)
        self.assertEqual([newer], [each.id for each in listed])
        self.assertEqual(
            [], list(self.store.list_configs("other", self.deployment_id))
        )

    def test_only_the_first_word_on_a_config_counts(self) -> None:
        self.hand_over(self.config_id)
        old = self.found()
        self.store.finish(old, software.Status.FAILED, "ill", {})
        self.store.finish(old, software.Status.COMPLETE, "well", {})
        first = self.found().status_reason
        self.hand_over(ids.new())

        self.store.finish(old, software.Status.COMPLETE, "late", {})

        self.assertEqual("ill", first)
        self.assertEqual("told", self.found().status_reason)

    def test_no_config_of_another_project_is_deployed(self) -> None:
        self.store_config()

        self.assertRaises(
            errors.Permanent,
            self.hand_over,
            self.config_id,
            project_id="other",
        )

        self.assertIsNone(self.store.find_deployment(None, self.deployment_id))
        found = self.store.find_config("demo", self.config_id)
        assert found is not None
        self.assertEqual(self.config_id, found.id)

    def test_no_deployment_of_another_project_is_changed(self) -> None:
        self.hand_over(self.config_id)
        before = self.found()
        foreign = dataclasses.replace(before, project_id="other")

        self.assertIsNone(
            self.store.find_deployment("other", self.deployment_id)
        )
        for config_id in (self.config_id, ids.new()):
            self.assertRaises(
                errors.Permanent, self.hand_over, config_id, project_id="other"
            )
        self.store.finish(foreign, software.Status.FAILED, "forged", {"o": 1})
        self.store.delete_deployment("other", self.deployment_id)
        self.store.delete_config("other", self.config_id)

        self.assertEqual(before, self.found())
        found = self.store.find_config("demo", self.config_id)
        assert found is not None
        self.assertEqual(self.config_id, found.id)

    def test_a_config_that_nothing_deploys_stays_for_others(self) -> None:
        self.store_config()

        self.store.delete_config("other", self.config_id)

        found = self.store.find_config("demo", self.config_id)
        assert found is not None
        self.assertEqual(self.config_id, found.id)
