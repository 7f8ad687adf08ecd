"""Clusters of a service that answers before it stores."""

import dataclasses
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_ID: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"


class FakeMagnum(clouds.Cloud):
    """One cluster; what is accepted is stored by :meth:`store`."""

    def __init__(self) -> None:
        super().__init__()
        self.cluster: clouds.Body = {}
        self.accepted: clouds.Body = {}

    def store(self, status: str) -> None:
        """Do what was accepted."""
        self.cluster.update(self.accepted, uuid=_ID, status=status)
        self.accepted = {}

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        if method == "POST" and path == "/clusters":
            self.accepted = dict(body)
            return 202, {"uuid": _ID}
        if path != f"/clusters/{_ID}" or not self.cluster:
            return 404, {"errors": [{"title": f"no {path}"}]}
        if method == "PATCH":
            self.accepted = {
                each["path"].removeprefix("/"): each["value"] for each in body
            }
            return 202, {"uuid": _ID}
        return 200, self.cluster


class ClusterTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Magnum::Cluster")
    cloud: FakeMagnum

    def setUp(self) -> None:
        super().setUp()
        self.use(FakeMagnum())

    def created(self) -> call_context.Context:
        context = self.context(cluster_template="t", node_count=1)
        self.assertEqual(_ID, self.plugin.create(context))
        return dataclasses.replace(context, physical_id=_ID)

    def updated(
        self, count: int, name: str = "node_count"
    ) -> call_context.Context:
        context = self.created()
        self.cloud.store("CREATE_COMPLETE")
        self.assertIsNone(self.plugin.is_created(context))
        after = dataclasses.replace(
            context, properties={**context.properties, name: count}
        )
        return self.start_update(context, after, (name,))

    def check_pending(self, found: call_context.Pending | None) -> None:
        self.assertIsInstance(found, call_context.Pending)

    def test_one_that_is_not_stored_yet_is_waited_for(self) -> None:
        context = self.created()

        self.check_pending(self.plugin.is_created(context))
        self.cloud.store("CREATE_IN_PROGRESS")
        self.check_pending(self.plugin.is_created(context))
        self.cloud.store("CREATE_COMPLETE")
        self.assertIsNone(self.plugin.is_created(context))

    def test_one_that_is_never_stored_is_told(self) -> None:
        context = self.created()
        self.clock.time += 100

        self.assertRaises(rest.CloudNotFound, self.plugin.is_created, context)

    def test_an_update_is_waited_for_until_it_is_shown(self) -> None:
        context = self.updated(3)

        self.check_pending(self.plugin.is_updated(context))
        self.cloud.store("UPDATE_IN_PROGRESS")
        self.check_pending(self.plugin.is_updated(context))
        self.cloud.store("UPDATE_COMPLETE")
        self.assertIsNone(self.plugin.is_updated(context))
        self.assertEqual(3, self.cloud.cluster["node_count"])

    def test_an_update_reads_the_cluster_once(self) -> None:
        context = self.updated(3)

        place = f"/clusters/{context.physical_id}"
        # Once after the creation, once before the change.
        self.assertEqual(
            [f"GET {place}", f"GET {place}", f"PATCH {place}"],
            self.cloud.find_requests("GET", "PATCH"),
        )

    def test_the_failure_of_an_earlier_update_is_not_told(self) -> None:
        context = self.updated(3)
        self.cloud.cluster["status"] = "UPDATE_FAILED"

        self.check_pending(self.plugin.is_updated(context))
        self.cloud.store("UPDATE_COMPLETE")
        self.assertIsNone(self.plugin.is_updated(context))

    def test_an_update_that_is_never_shown_has_failed(self) -> None:
        for name in ("node_count", "master_count", "create_timeout"):
            context = self.updated(3, name)
            self.cloud.cluster["status"] = "UPDATE_COMPLETE"

            self.check_pending(self.plugin.is_updated(context))
            self.clock.time += 100
            error = self.assertRaises(
                rest.CloudRefused, self.plugin.is_updated, context
            )

            self.assertIn(name, error.message)
            self.clock.time -= 100
            self.cloud.store("UPDATE_COMPLETE")
            self.assertIsNone(self.plugin.is_updated(context))

    def test_the_removal_of_a_value_is_not_waited_for(self) -> None:
        context = self.created()
        self.cloud.store("CREATE_COMPLETE")
        given = {**context.properties, "discovery_url": "http://a"}

        before = dataclasses.replace(context, properties=given)
        after = self.start_update(before, context, ("discovery_url",))

        self.assertIsNone(self.plugin.is_updated(after))

    def test_an_update_that_is_rolled_back_has_failed(self) -> None:
        context = self.updated(3)
        self.cloud.accepted = {}
        self.cloud.store("UPDATE_FAILED")
        self.clock.time += 100

        self.assertRaises(
            cloud_errors.InError, self.plugin.is_updated, context
        )

    def test_nodes_that_others_remove_do_not_prevent_an_update(self) -> None:
        context = self.updated(3)
        self.cloud.store("UPDATE_COMPLETE")
        self.cloud.cluster["node_count"] = 2
        self.clock.time += 100

        self.assertIsNone(self.plugin.is_updated(context))
