"""Software configs and deployments on each database."""

import threading

import testscenarios

from orch import ids
from orch.db.repositories import resources
from orch.db.repositories import signals
from orch.db.repositories import software_configs
from orch.db.repositories import software_deployments
from orch.engine.queries import errors
from orch.engine.software import store as software_store
from orch.model import software
from orch.plugin import software as port
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


def make_config(**given: object) -> software.Config:
    values = {
        "id": ids.new(),
        "project_id": "demo",
        "name": "ü",
        "group": "script",
        "config": {"a": ["ü", 1, None]},
        "inputs": ({"name": "i", "default": {"x": 2**70}},),
        "outputs": ({"name": "o"},),
        "options": {"k": "v"},
        "created_at": base.NOW,
    }
    return software.Config(**(values | given))


def make_deployment(**given: object) -> software.Deployment:
    values = {
        "id": ids.new(),
        "project_id": "demo",
        "server_id": "web",
        "config_id": ids.new(),
        "input_values": {"i": 1},
        "output_values": {"o": "x" * 70_000},
        "action": "CREATE",
        "status": "COMPLETE",
        "status_reason": "well",
        "stack_id": ids.StackId(ids.new()),
        "resource_id": ids.ResourceId(ids.new()),
        "signal_count": 3,
        "created_at": base.NOW,
        "updated_at": base.NOW,
    }
    return software.Deployment(**(values | given))


class SoftwareTest(base.TestCase):
    def config(self, **given: object) -> software.Config:
        value = make_config(**given)
        with self.database.write() as conn:
            software_configs.insert(conn, value)
        return value

    def deployment(self, **given: object) -> software.Deployment:
        value = make_deployment(**given)
        with self.database.write() as conn:
            software_deployments.insert(conn, value)
        return value

    def test_what_is_stored_comes_back(self) -> None:
        config, deployment = self.config(), self.deployment()

        with self.database.read() as conn:
            self.assertEqual(config, software_configs.find(conn, config.id))
            self.assertEqual(
                deployment, software_deployments.find(conn, deployment.id)
            )
            self.assertIsNone(software_configs.find(conn, deployment.id))

    def test_what_is_missing_is_none(self) -> None:
        config = self.config(name=None, group=None, config=None)
        deployment = self.deployment(
            input_values=None,
            output_values=None,
            action=None,
            stack_id=None,
            updated_at=None,
        )

        with self.database.read() as conn:
            self.assertEqual(config, software_configs.find(conn, config.id))
            self.assertEqual(
                deployment, software_deployments.find(conn, deployment.id)
            )

    def test_configs_are_listed_page_by_page(self) -> None:
        first, second, third = (
            self.config(created_at=base.NOW + at) for at in range(3)
        )
        other = self.config(project_id="other", created_at=base.NOW + 9)

        with self.database.read() as conn:
            page = software_configs.list_(conn, "demo", limit=2)
            rest = software_configs.list_(conn, "demo", marker=second.id)
            every = software_configs.list_(conn, None)

        self.assertEqual([third, second], page)
        self.assertEqual([first], rest)
        self.assertEqual([other, third, second, first], every)

    def test_deployments_are_listed_by_owner_and_server(self) -> None:
        mine = self.deployment()
        shared = self.deployment(
            stack_user_project_id="inside", created_at=base.NOW + 1
        )
        for stranger in ("demo", "inside"):
            self.deployment(project_id="other", stack_user_project_id=stranger)
        elsewhere = self.deployment(server_id="db", created_at=base.NOW + 2)
        demo = software.Scope("demo")
        inside = software.Scope("demo", "inside")

        with self.database.read() as conn:
            to_web = software_deployments.list_(conn, demo, "web")
            every = software_deployments.list_(conn, demo)
            for_user = software_deployments.list_(conn, inside)

        self.assertEqual([mine, shared], to_web)
        self.assertEqual([mine, shared, elsewhere], every)
        self.assertEqual([shared], for_user)

    def test_configs_of_a_server_come_by_name(self) -> None:
        second = self.config(name="b")
        first = self.config(name="a")
        for each in (second, first):
            self.deployment(config_id=each.id)
        self.deployment()
        self.deployment(
            project_id="other",
            stack_user_project_id="demo",
            config_id=self.config(name="0", project_id="other").id,
        )

        with self.database.read() as conn:
            found = software_deployments.list_configs(
                conn, software.Scope("demo"), "web"
            )

        self.assertEqual([first, second], found)

    def test_a_deployment_shows_no_config_of_another_project(self) -> None:
        config = self.config(project_id="other")
        row = self.deployment(config_id=config.id, server_id="foreign")
        store = software_store.SoftwareStore(self.database)

        listed = store.list_configs("demo", "foreign")
        store.delete_deployment("demo", row.id)

        self.assertEqual([], listed)
        self.assertIsNone(store.find_deployment("demo", row.id))
        self.assertEqual(config, store.find_config("other", config.id))

    def test_a_config_that_is_being_deployed_is_not_removed(self) -> None:
        config = self.config()
        store = software_store.SoftwareStore(self.connect())
        outcome: list[BaseException | None] = []

        def remove() -> None:
            try:
                store.delete_config(config.project_id, config.id)
                outcome.append(None)
            except errors.ConfigDeployed as error:
                outcome.append(error)

        with self.database.write() as conn:
            software_configs.lock(conn, config.id)
            thread = threading.Thread(target=remove)
            thread.start()
            software_deployments.insert(
                conn, make_deployment(config_id=config.id)
            )
        thread.join(30)

        self.assertIsInstance(outcome[0], errors.ConfigDeployed)

    def test_signals_of_before_count_as_seen(self) -> None:
        row = base.make_resource()
        with self.database.write() as conn:
            resources.save_many(conn, [row])
            signals.save_data(conn, row, {port.COUNT: 5})
        store = software_store.SoftwareStore(self.database)

        for at, seen in enumerate((0, 9)):
            store.hand_over(
                port.Handover(
                    deployment_id=row.id,
                    stack_id=row.stack_id,
                    resource_id=row.id,
                    project_id="demo",
                    server_id="web",
                    config_id=ids.new(),
                    definition=port.Definition(),
                    input_values=None,
                    action="CREATE",
                    status=port.Status.IN_PROGRESS,
                    status_reason="",
                    signal_count=seen,
                )
            )
            found = store.find_deployment("demo", row.id)
            self.assertEqual((5, 9)[at], found.signal_count)

    def test_of_two_that_tell_how_it_went_one_counts(self) -> None:
        found = self.deployment(status="IN_PROGRESS")
        stores = [
            software_store.SoftwareStore(self.connect()) for _ in range(2)
        ]
        gate = threading.Barrier(2)

        def finish(store: port.Store, status: port.Status) -> None:
            gate.wait(30)
            store.finish(found, status, status.value, {"by": status.value})

        threads = [
            threading.Thread(target=finish, args=pair)
            for pair in zip(
                stores,
                (software.Status.COMPLETE, software.Status.FAILED),
                strict=True,
            )
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)

        with self.database.read() as conn:
            after = software_deployments.find(conn, found.id)
        self.assertEqual(after.status, after.status_reason)
        self.assertEqual({"by": after.status}, after.output_values)
