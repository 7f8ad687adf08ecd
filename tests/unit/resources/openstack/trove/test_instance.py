"""Instances of a database system, with databases and users."""

import dataclasses
import logging
import re
import typing

import fixtures

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_SMALL: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"
_LARGE: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000b"
_SECRET: typing.Final = "s3cret"
_BELOW: typing.Final = re.compile(
    r"^/instances/[^/]+/(databases|users)(?:/([^/]+))?(?:/databases)?"
    r"(?:/([^/]+))?$"
)


class FakeTrove(clouds.Cloud):
    """Instances that a resize keeps busy, with databases and users.

    It answers as the reference of the database API, version 1.0, has it.
    """

    def __init__(self) -> None:
        super().__init__(instances=clouds.Collection("instance", "instances"))
        self.databases: dict[str, clouds.Body] = {}
        self.users: dict[str, clouds.Body] = {}

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        if path.endswith("/action"):
            return self._resize(path.split("/")[2], body["resize"])
        found = _BELOW.match(path)
        if found is not None:
            kind, name, other = found.groups()
            if kind == "users" and path.count("/") > 4:
                return self._change_access(method, name, other, body)
            return self._change_entries(method, kind, name, body)
        if (method, path) == ("POST", "/instances"):
            given = body["instance"]
            for each in given.get("databases", ()):
                self.databases[each["name"]] = each
            for each in given.get("users", ()):
                self.users[each["name"]] = each
            status, answer = super().find_answer(method, path, body)
            made = typing.cast(clouds.Body, answer)["instance"]
            self.row(made["id"]).update(
                status="BUILD", flavor={"id": given.get("flavorRef")}
            )
            return status, answer
        row = self.collections["/instances"].rows.get(path.split("/")[-1])
        if method == "DELETE" and row is not None:
            if row["status"] == "BUILD":
                message = "Instance 1 is not ready. (Status is BUILD)."
                return 422, {"unprocessableEntity": {"message": message}}
            row["status"] = "SHUTDOWN"
            return 202, None
        return super().find_answer(method, path, body)

    def row(self, identifier: str) -> clouds.Body:
        return self.collections["/instances"].rows[identifier]

    def _resize(self, identifier: str, desired: clouds.Body) -> clouds.Answer:
        row = self.row(identifier)
        row["status"] = "RESIZE"
        if "flavorRef" in desired:
            row["flavor"] = {"id": desired["flavorRef"]}
        row.update({k: desired[k] for k in desired if k == "volume"})
        return 202, None

    def _change_entries(
        self, method: str, kind: str, name: str, body: typing.Any
    ) -> clouds.Answer:
        rows = self.users if kind == "users" else self.databases
        if method == "GET":
            shown = [
                {key: each[key] for key in each if key != "password"}
                for each in rows.values()
            ]
            return 200, {kind: shown}
        if method == "DELETE":
            del rows[name]
        elif method == "PUT":
            rows[name].update(body["user"])
        else:
            rows.update({each["name"]: each for each in body[kind]})
        return 202, None

    def _change_access(
        self, method: str, name: str, other: str, body: typing.Any
    ) -> clouds.Answer:
        held = self.users[name]["databases"]
        if method == "PUT":
            held.extend(body["databases"])
        else:
            held.remove({"name": other})
        return 202, None


class InstanceTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Trove::Instance")
    cloud: FakeTrove
    ann: typing.Final = {
        "name": "ann",
        "password": _SECRET,
        "host": "%",
        "databases": ["one"],
    }

    def setUp(self) -> None:
        super().setUp()
        self.logger = self.useFixture(fixtures.FakeLogger(level=logging.DEBUG))
        self.use(FakeTrove())

    def built(self, **given: object) -> call_context.Context:
        properties = {"flavor": _SMALL, "size": 1, **given}
        context = self.context(**properties)
        context = dataclasses.replace(
            context, physical_id=str(self.plugin.create(context))
        )
        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )
        self.row(context)["status"] = "ACTIVE"
        self.assertIsNone(self.plugin.is_created(context))
        return context

    def row(self, context: call_context.Context) -> clouds.Body:
        return self.cloud.row(str(context.physical_id))

    def sent(self) -> clouds.Body:
        (body,) = (
            each.body for each in self.cloud.requests if each.method == "POST"
        )
        return typing.cast(
            clouds.Body, typing.cast(clouds.Body, body)["instance"]
        )

    def test_it_is_sent_as_trove_takes_it(self) -> None:
        context = self.built(
            databases=[{"name": "one", "collate": "utf8_general_ci"}],
            users=[self.ann],
            datastore_type="mysql",
            restore_point="backup",
            networks=[{"network": _LARGE, "port": None}],
        )

        self.assertEqual(
            {
                "name": "shop-thing-abcdefghijkl",
                "flavorRef": _SMALL,
                "volume": {"size": 1},
                "databases": [{"name": "one", "collate": "utf8_general_ci"}],
                "users": [{**self.ann, "databases": [{"name": "one"}]}],
                "datastore": {"type": "mysql"},
                "restorePoint": {"backupRef": "backup"},
                "nics": [{"net-id": _LARGE}],
            },
            self.sent(),
        )
        self.assertNotIn(_SECRET, self.logger.output)
        self.assertEqual(
            {
                "name": "shop-thing-abcdefghijkl",
                "flavor": _SMALL,
                "size": 1,
                "datastore_type": "mysql",
                "databases": context.properties["databases"],
            },
            self.plugin.get_reality(context),
        )
        self.row(context).update(
            hostname="db.example",
            links=[{"rel": "self", "href": "http://a"}, {"rel": "bookmark"}],
        )
        self.assertEqual(
            {"hostname": "db.example", "href": "http://a"},
            self.plugin.read_attributes(context, ["hostname", "href"]),
        )

    def test_a_replica_is_as_the_instance_that_it_is_of(self) -> None:
        self.built(replica_of="source", replica_count=2, databases=[])

        sent = self.sent()
        self.assertEqual(
            {
                "name": "shop-thing-abcdefghijkl",
                "nics": [],
                "replica_of": "source",
                "replica_count": 2,
            },
            sent,
        )

    def test_it_is_resized_step_by_step(self) -> None:
        context = self.built()
        given = {"name": "db", "flavor": _LARGE, "size": 2}
        after = dataclasses.replace(
            context, properties={**context.properties, **given}
        )

        after = self.start_update(context, after, given)
        row = self.row(after)
        self.assertEqual("db", row["name"])
        for _ in range(2):
            self.assertIsInstance(
                self.plugin.is_updated(after), call_context.Pending
            )
            self.assertIsInstance(
                self.plugin.is_updated(after), call_context.Pending
            )
            self.assertRaises(
                errors.Busy, self.start_update, context, after, given
            )
            row["status"] = "ACTIVE"
        self.assertIsNone(self.plugin.is_updated(after))

        self.assertEqual({"id": _LARGE}, row["flavor"])
        self.assertEqual({"size": 2}, row["volume"])
        row["status"] = "ERROR"
        self.assertRaises(cloud_errors.InError, self.plugin.is_updated, after)
        for size, expected in ((1, True), (3, False)):
            self.assertEqual(
                expected,
                self.plugin.needs_replacement(
                    {"size": 2}, {"size": size}, ["size"]
                ),
            )
        self.assertTrue(self.plugin.leaves("size", 2, 2, 3))

    def test_another_change_resizes_nothing(self) -> None:
        context = self.built()
        # Its administrator has resized it.
        self.row(context).update(flavor={"id": _LARGE}, volume={"size": 0})

        context = self.changed(context, name="db")

        self.assertEqual([], self.cloud.find_requests("POST"))
        self.assertEqual({"id": _LARGE}, self.row(context)["flavor"])

    def test_a_replica_is_resized_where_its_flavor_changes(self) -> None:
        context = self.built(replica_of="source")
        given = {"flavor": _LARGE}
        after = dataclasses.replace(
            context, properties={**context.properties, **given}
        )

        after = self.start_update(context, after, given)

        self.assertIsInstance(
            self.plugin.is_updated(after), call_context.Pending
        )
        self.assertEqual({"id": _LARGE}, self.row(after)["flavor"])

    def test_databases_and_users_are_changed_alone(self) -> None:
        bob = {"name": "bob", "password": "b", "databases": ["one", "two"]}
        context = self.built(
            databases=[{"name": "one"}, {"name": "two"}],
            users=[self.ann, bob],
        )
        self.cloud.requests.clear()

        context = self.changed(
            context,
            databases=[{"name": "two"}, {"name": "three"}],
            users=[
                {**self.ann, "password": "new", "databases": ["two"]},
                {**bob, "name": "eve", "databases": ["three"]},
            ],
        )

        self.assertEqual({"two", "three"}, self.cloud.databases.keys())
        self.assertEqual(
            {
                "ann": {
                    **self.ann,
                    "password": "new",
                    "databases": [{"name": "two"}],
                },
                "eve": {
                    "name": "eve",
                    "password": "b",
                    "databases": [{"name": "three"}],
                },
            },
            self.cloud.users,
        )
        live = self.plugin.get_reality(context)
        assert live is not None
        self.cloud.databases["four"] = {"name": "four"}
        self.assertEqual(["databases"], self.differing(context, live))
        self.changed(context, users=context.properties["users"])
        self.assertEqual([], self.cloud.find_requests("POST", "PUT", "DELETE"))

    def test_one_that_is_built_is_removed_later(self) -> None:
        context = self.built()
        row = self.row(context)
        row["status"] = "BUILD"

        for status in ("BUILD", "ACTIVE", "SHUTDOWN"):
            row["status"] = status
            self.plugin.delete(context)
            self.assertIsInstance(
                self.plugin.is_deleted(context), call_context.Pending
            )
        self.assertEqual("SHUTDOWN", row["status"])
        self.cloud.requests.clear()
        self.plugin.is_deleted(context)
        self.assertEqual([], self.cloud.find_requests("DELETE"))
        self.cloud.collections["/instances"].rows.clear()
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_users_of_no_database_are_refused(self) -> None:
        for databases, said in (
            ([], "Databases property is required"),
            ([{"name": "two"}], "Database ['one'] specified for user"),
        ):
            error = self.assertRaises(
                errors.Invalid,
                self.plugin.validate,
                {"databases": databases, "users": [self.ann]},
            )
            self.assertIn(said, error.message)
        self.plugin.validate(
            {"databases": [{"name": "one"}], "users": [self.ann]}
        )
        self.plugin.validate({"users": [self.ann]})
