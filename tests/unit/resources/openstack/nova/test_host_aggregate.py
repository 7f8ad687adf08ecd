"""Aggregates of hosts: who is in them, and their metadata."""

import typing

from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]


class Aggregates(clouds.Cloud):
    """Aggregates, whose zone is shown among the metadata too."""

    def __init__(self) -> None:
        super().__init__(
            os_aggregates=clouds.Collection("aggregate", "aggregates")
        )

    def _make(self, kept: clouds.Collection, body: Body) -> clouds.Answer:
        status, made = super()._make(kept, body)
        assert isinstance(made, dict)
        zone = made["aggregate"].get("availability_zone")
        made["aggregate"] |= {
            "hosts": [],
            "metadata": {"availability_zone": zone} if zone else {},
        }
        return status, made

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        rows = self.collections["/os-aggregates"].rows
        if not path.endswith("/action"):
            found = rows.get(path.rpartition("/")[2], {})
            if method == "DELETE" and found.get("hosts"):
                return 400, {"badRequest": {"message": "not empty"}}
            return super().find_answer(method, path, body)
        found = rows[path.split("/")[2]]
        ((action, desired),) = body.items()
        if action == "add_host":
            found["hosts"].append(desired["host"])
        elif action == "remove_host":
            found["hosts"].remove(desired["host"])
        else:
            held = {**found["metadata"], **desired["metadata"]}
            found["metadata"] = {
                key: value for key, value in held.items() if value is not None
            }
        return 200, {"aggregate": found}


class HostAggregateTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Nova::HostAggregate")

    def setUp(self) -> None:
        super().setUp()
        self.use(Aggregates())

    def test_hosts_and_metadata_have_requests_of_their_own(self) -> None:
        context = self.made(
            name="ssd",
            availability_zone="east",
            hosts=["a"],
            metadata={"disk": "ssd", "rack": 7},
        )

        (found,) = self.cloud.collections["/os-aggregates"].rows.values()
        self.assertEqual(["a"], found["hosts"])
        self.assertEqual(
            {"availability_zone": "east", "disk": "ssd", "rack": "7"},
            found["metadata"],
        )
        self.assertEqual([], self.differing(context, context.properties))
        after = self.changed(context, hosts=["b"], metadata={"disk": "hdd"})
        self.assertEqual(["b"], found["hosts"])
        self.assertEqual(
            {"availability_zone": "east", "disk": "hdd"}, found["metadata"]
        )
        found["metadata"]["disk"] = "none"
        self.assertEqual(["metadata"], self.differing(after, after.properties))

    def test_a_zone_that_is_taken_away_stays(self) -> None:
        context = self.made(name="ssd", availability_zone="east")

        self.changed(context, availability_zone=None)

        self.assertEqual(
            [], self.cloud.find_requests("POST", "PUT", "PATCH", "DELETE")
        )

    def test_hosts_leave_before_it_is_removed(self) -> None:
        context = self.made(name="ssd", hosts=["a"])
        (found,) = self.cloud.collections["/os-aggregates"].rows.values()
        found["hosts"].append("of an operator")

        self.plugin.delete(context)

        self.assertEqual(
            ["POST", "POST", "DELETE"],
            [
                each.method
                for each in self.cloud.requests
                if each.method != "GET"
            ],
        )
        self.assertIsNone(self.plugin.is_deleted(context))
