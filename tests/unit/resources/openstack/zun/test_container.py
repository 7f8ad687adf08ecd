"""Containers of Zun, by its published reference.

https://docs.openstack.org/api-ref/application-container/
"""

import urllib.parse

from orch import errors
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds


class ContainerTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Zun::Container")

    def setUp(self) -> None:
        super().setUp()
        self.kept = clouds.Collection("", "containers")
        self.kept.defaults |= {"status": "Running", "uuid": "container-1"}
        self.use(Containers(self.kept))

    def row(self) -> clouds.Body:
        (found,) = self.kept.rows.values()
        return found

    def test_it_runs_from_its_creation_and_is_stopped_for_its_removal(
        self,
    ) -> None:
        context = self.context(image="cirros")
        context = self.with_id(context, self.plugin.create(context))
        self.plugin.delete(context)

        queries = {
            each.method: urllib.parse.urlsplit(each.path).query
            for each in self.cloud.requests
        }
        self.assertEqual({"POST": "run=true", "DELETE": "stop=true"}, queries)

    def test_the_policy_of_restarts_is_a_map_of_the_service(self) -> None:
        self.made(image="cirros", restart_policy="on-failure:3")

        self.assertEqual(
            {"Name": "on-failure", "MaximumRetryCount": "3"},
            self.row()["restart_policy"],
        )
        self.assertRaises(
            errors.Invalid,
            self.plugin.validate,
            {"image": "cirros", "restart_policy": "sometimes"},
        )

    def test_addresses_are_told_by_their_family(self) -> None:
        self.made(
            image="cirros",
            networks=[{"fixed_ip": "10.0.0.7"}, {"fixed_ip": "fd00::7"}],
        )

        self.assertEqual(
            [{"v4-fixed-ip": "10.0.0.7"}, {"v6-fixed-ip": "fd00::7"}],
            self.row()["nets"],
        )

    def test_one_that_ran_to_its_end_is_complete_unless_interactive(
        self,
    ) -> None:
        context = self.made(image="cirros")
        self.row()["status"] = "Stopped"
        self.assertIsNone(self.plugin.check(context))

        self.row()["interactive"] = True

        self.assertRaises(cloud_errors.InError, self.plugin.check, context)

    def test_memory_with_its_unit_is_no_drift(self) -> None:
        context = self.made(image="cirros", memory=512)
        baseline = self.plugin.get_reality(context) or {}

        self.row()["memory"] = "512M"
        self.assertEqual([], self.differing(context, baseline))
        self.row()["memory"] = "256M"

        self.assertEqual(["memory"], self.differing(context, baseline))


class Containers(clouds.Cloud):
    """Containers of one project, by their UUID."""

    def __init__(self, kept: clouds.Collection) -> None:
        super().__init__(containers=kept)

    def _make(
        self, kept: clouds.Collection, body: clouds.Body
    ) -> clouds.Answer:
        made = {**kept.defaults, **body}
        kept.rows[made["uuid"]] = made
        return 202, made
