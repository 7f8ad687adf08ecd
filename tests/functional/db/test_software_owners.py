"""Configs and deployments that go to another project, on each database."""

import testscenarios

from orch import ids
from orch.db.repositories import software_configs
from orch.db.repositories import software_deployments
from orch.db.repositories import software_owners
from orch.model import software
from tests.functional.db import base
from tests.functional.db import test_software

load_tests = testscenarios.load_tests_apply_scenarios


class OwnersTest(base.TestCase):
    def config(self, **given: object) -> software.Config:
        value = test_software.make_config(**given)
        with self.database.write() as conn:
            software_configs.insert(conn, value)
        return value

    def deployment(self, **given: object) -> software.Deployment:
        value = test_software.make_deployment(**given)
        with self.database.write() as conn:
            software_deployments.insert(conn, value)
        return value

    def test_what_another_deployment_uses_stays(self) -> None:
        lone, used, own, foreign = (
            self.config(),
            self.config(),
            self.config(),
            self.config(project_id="third"),
        )
        moving = self.deployment(config_id=own.id)
        staying = self.deployment(config_id=used.id)
        given = [lone.id, used.id, foreign.id, moving.id, ids.new()]

        with self.database.write() as conn:
            moved = software_owners.change_owner(
                conn, given, "demo", "other", with_configs=True
            )
            configs = [
                software_configs.find(conn, each.id)
                for each in (lone, used, own, foreign)
            ]
            deployments = [
                software_deployments.find(conn, each.id)
                for each in (moving, staying)
            ]

        self.assertEqual({lone.id, own.id, moving.id}, set(moved))
        self.assertEqual(
            ["other", "demo", "other", "third"],
            [each.project_id for each in configs if each],
        )
        self.assertEqual(
            ["other", "demo"],
            [each.project_id for each in deployments if each],
        )

    def test_the_config_of_a_deployment_stays_if_it_was_not_given(
        self,
    ) -> None:
        own = self.config()
        moving = self.deployment(config_id=own.id)

        with self.database.write() as conn:
            moved = software_owners.change_owner(
                conn, [moving.id], "demo", "other", with_configs=False
            )
            found = software_configs.find(conn, own.id)

        assert found is not None
        self.assertEqual([moving.id], moved)
        self.assertEqual("demo", found.project_id)
