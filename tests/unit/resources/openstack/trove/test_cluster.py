"""Clusters of databases, whose instances tell whether they are ready."""

import dataclasses
import typing

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import constraints
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_ID: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"
_BUSY: typing.Final = (
    "This action cannot be performed on the cluster while the current cluster"
    " task is 'BUILDING'."
)


class FakeTrove(clouds.Cloud):
    """Clusters that are built, and flavors.

    It answers as Trove does: one that is built is not removed.
    """

    def __init__(self) -> None:
        super().__init__(
            clusters=clouds.Collection("cluster", "clusters"),
            flavors=clouds.Collection("flavor", "flavors"),
        )
        self.rows = self.collections["/clusters"].rows

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        if method == "POST" and path == "/clusters":
            status, answer = super().find_answer(method, path, body)
            made = typing.cast(clouds.Body, answer)["cluster"]
            self.show(made["id"], "BUILDING", *["BUILD"] * 2)
            return status, answer
        row = self.rows.get(path.removeprefix("/clusters/"))
        if self.refusals.get((method, path)):
            return super().find_answer(method, path, body)
        if method == "DELETE" and row is not None:
            if row["task"]["name"] not in ("NONE", "DELETING"):
                return 422, {"unprocessableEntity": {"message": _BUSY}}
            row["task"] = {"name": "DELETING"}
            return 202, None
        return super().find_answer(method, path, body)

    def show(self, identifier: str, task: str, *states: str) -> None:
        """Let a cluster, and each of its instances, have a state."""
        self.rows[identifier].update(
            task={"id": 2, "name": task, "description": task.lower()},
            instances=[
                {"id": f"i{number}", "status": each}
                for number, each in enumerate(states)
            ],
        )


class ClusterTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Trove::Cluster")
    cloud: FakeTrove

    def setUp(self) -> None:
        super().setUp()
        self.use(FakeTrove())

    def created(self, **given: object) -> call_context.Context:
        context = self.context(
            datastore_type="redis", datastore_version="7", **given
        )
        created = self.plugin.create(context)
        return dataclasses.replace(context, physical_id=str(created))

    def test_its_instances_are_sent_as_trove_takes_them(self) -> None:
        flavor = self.cloud.add("/flavors", name="small")
        self.cloud.collections["/flavors"].rows[flavor]["str_id"] = flavor
        one, other = (
            {"flavor": each, "volume_size": 1, "availability_zone": zone}
            for each, zone in (("small", "a"), (flavor, None))
        )
        nic = {"network": _ID, "port": None, "fixed_ip": "10.0.0.7"}

        context = self.created(
            instances=[{**one, "networks": [nic]}, {**other, "networks": []}]
        )

        row = self.cloud.rows[str(context.physical_id)]
        sent = typing.cast(clouds.Body, self.cloud.requests[-1].body)
        self.assertEqual(
            {
                "name": "shop-thing-abcdefghijkl",
                "datastore": {"type": "redis", "version": "7"},
                "instances": [
                    {
                        "flavorRef": flavor,
                        "volume": {"size": 1},
                        "availability_zone": "a",
                        "nics": [{"net-id": _ID, "v4-fixed-ip": "10.0.0.7"}],
                    },
                    {"flavorRef": flavor, "volume": {"size": 1}, "nics": []},
                ],
            },
            sent["cluster"],
        )
        self.assertEqual(
            {
                "name": row["name"],
                "datastore_type": "redis",
                "datastore_version": "7",
            },
            self.plugin.get_reality(context),
        )
        lost = dataclasses.replace(context, physical_id=None)
        self.assertEqual(context.physical_id, self.plugin.find(lost))
        login = typing.cast(
            typing.Any, self.login.connect(None, region_name=None)
        )
        constraints.CONSTRAINTS["trove.flavor"](login, "small")

    def test_it_is_ready_with_its_instances(self) -> None:
        context = self.created(instances=[])
        identifier = str(context.physical_id)

        for task, states, is_ready in (
            ("BUILDING", ("BUILD", "BUILD"), False),
            ("BUILDING", ("ACTIVE", "ACTIVE"), False),
            ("NONE", ("ACTIVE", "BUILD"), False),
            ("NONE", ("ACTIVE", "HEALTHY"), True),
        ):
            self.cloud.show(identifier, task, *states)
            pending = self.plugin.is_created(context)
            self.assertEqual(is_ready, pending is None, (task, states))
        self.cloud.rows[identifier]["ip"] = ["10.0.0.7"]
        self.assertEqual(
            {"instances": ["i0", "i1"], "ip": ["10.0.0.7"]},
            self.plugin.read_attributes(context, ["instances", "ip"]),
        )
        self.assertIsNone(self.plugin.inspect_all([context, context]))

        self.cloud.show(identifier, "NONE", "ACTIVE", "FAILED")
        error = self.assertRaises(
            cloud_errors.InError, self.plugin.is_created, context
        )
        self.assertIn("instance i1", error.message)

    def test_one_that_is_built_is_removed_later(self) -> None:
        context = self.created(instances=[])
        identifier = str(context.physical_id)

        self.plugin.delete(context)
        self.assertIsInstance(
            self.plugin.is_deleted(context), call_context.Pending
        )
        self.cloud.show(identifier, "NONE")
        for _ in range(2):
            self.assertIsInstance(
                self.plugin.is_deleted(context), call_context.Pending
            )
        self.assertEqual(
            "DELETING", self.cloud.rows[identifier]["task"]["name"]
        )
        del self.cloud.rows[identifier]
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_another_refusal_fails_its_removal(self) -> None:
        context = self.created(instances=[])
        self.cloud.refuse("DELETE", f"/clusters/{context.physical_id}", 400)

        self.assertRaises(rest.CloudRefused, self.plugin.delete, context)

    def test_an_interface_names_one_network_or_port(self) -> None:
        for nic, said in (
            ({"network": "a", "port": "b"}, "at the same time"),
            ({"network": None, "port": None}, "Either network or port"),
        ):
            error = self.assertRaises(
                errors.Invalid,
                self.plugin.validate,
                {"instances": [{"networks": [nic]}]},
            )
            self.assertIn(said, error.message)
        self.plugin.validate({"instances": [{"networks": [{"port": "a"}]}]})
