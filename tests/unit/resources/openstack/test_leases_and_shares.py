"""Hosts, leases and shares whose requests are more than data."""

import dataclasses
import re
import typing
import uuid

from orch.plugin import call_context
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_IDS: typing.Final = (
    "5d4b3a1e-0000-4000-8000-00000000000a",
    "5d4b3a1e-0000-4000-8000-00000000000b",
)
Body = dict[str, typing.Any]

_ACTION: typing.Final = re.compile(r"^/([a-z-]+)/([^/]+)/action$")


class HostTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Blazar::Host")

    def test_its_capabilities_are_beside_its_name(self) -> None:
        self.use(clouds.Cloud(os_hosts=clouds.Collection("host", "hosts")))
        kept = self.cloud.collections["/os-hosts"]
        self.cloud.answers["POST", "/os-hosts"] = (
            201,
            {"host": {"id": "1"}},
        )
        del self.cloud.collections["/os-hosts"]
        context = self.context(name="node-1", extra_capability={"gpu": "yes"})

        self.assertEqual("1", self.plugin.create(context))

        self.assertEqual(
            {"name": "node-1", "gpu": "yes"}, self.cloud.requests[-1].body
        )
        self.cloud.collections["/os-hosts"] = kept
        self.cloud.add("/os-hosts", id="1", gpu="yes", vcpus=4, status=None)
        made = self.context(name="node-1", physical_id="1")
        self.assertEqual(
            {"extra_capability": {"gpu": "yes"}, "vcpus": 4},
            self.plugin.read_attributes(made, ["extra_capability", "vcpus"]),
        )


class FakeBlazar(clouds.Cloud):
    """Makes leases whose reservations have what the plug-ins check."""

    needed: typing.Final = {
        "physical:host": {
            "min",
            "max",
            "hypervisor_properties",
            "resource_properties",
        },
        "virtual:instance": {
            "vcpus",
            "memory_mb",
            "disk_gb",
            "amount",
            "affinity",
            "resource_properties",
        },
    }

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        for each in body["reservations"]:
            missing = self.needed[each["resource_type"]] - each.keys()
            if missing:
                return 400, {"error_message": f"missing: {sorted(missing)}"}
            for name in ("hypervisor_properties", "resource_properties"):
                if not isinstance(each.get(name, ""), str):
                    return 400, {"error_message": f"malformed {name}"}
        return 201, {"lease": {"id": "1"}}


class LeaseTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Blazar::Lease")
    given: typing.Final = {
        "before_end": "default",
        "affinity": False,
        "min": 1,
        "max": 2,
        "amount": 3,
        "vcpus": None,
    }

    def sent(self, kind: str) -> Body:
        self.use(FakeBlazar())
        self.plugin.create(
            self.context(
                name="a",
                start_date="2030-01-01 00:00",
                end_date="2030-01-02 00:00",
                reservations=[{**self.given, "resource_type": kind}],
            )
        )
        (found,) = typing.cast(Body, self.cloud.requests[-1].body)[
            "reservations"
        ]
        return typing.cast(Body, found)

    def test_reservations_have_what_their_kind_needs(self) -> None:
        self.assertEqual(
            {
                "resource_type": "physical:host",
                "min": 1,
                "max": 2,
                "hypervisor_properties": "",
                "resource_properties": "",
                "before_end": "default",
            },
            self.sent("physical:host"),
        )
        self.assertEqual(
            {
                "resource_type": "virtual:instance",
                "amount": 3,
                "vcpus": None,
                "memory_mb": None,
                "disk_gb": None,
                "affinity": False,
                "resource_properties": "",
            },
            self.sent("virtual:instance"),
        )


class FakeManila(clouds.Cloud):
    """Shares with rules, and share networks with security services.

    It answers as the reference of the shared file system API has it.
    """

    def __init__(self) -> None:
        super().__init__(
            shares=clouds.Collection(
                "share", "shares", defaults={"status": "available"}
            ),
            share_networks=clouds.Collection(
                "share_network", "share_networks"
            ),
            types=clouds.Collection("share_type", "share_types"),
        )
        self.rules: list[Body] = []
        self.denies_later = False
        self.state: str | None = None
        self.services: list[str] = []

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        bare = path.partition("?")[0]
        found = _ACTION.match(bare)
        if found is not None:
            ((action, desired),) = body.items()
            return self._act(action, desired)
        if bare == "/share-access-rules":
            return 200, {"access_list": self.rules}
        if bare == "/security-services":
            return 200, {
                "security_services": [{"id": each} for each in self.services]
            }
        if bare.endswith("/export_locations"):
            return 200, {"export_locations": [{"path": "10.0.0.1:/a"}]}
        for part in ("metadata", "extra_specs"):
            if f"/{part}" in bare:
                return self._change_entries(method, bare, part, body)
        return super().find_answer(method, path, body)

    def _act(self, action: str, desired: Body) -> clouds.Answer:
        if action == "allow_access":
            parts = ("access_type", "access_to")
            if any(
                all(each[part] == desired[part] for part in parts)
                for each in self.rules
            ):
                return 400, {"badRequest": {"message": "Share access exists"}}
            self.rules.append(
                {**desired, "id": str(uuid.uuid4()), "state": self.state}
            )
        elif action == "deny_access":
            ids = [each["id"] for each in self.rules]
            place = ids.index(desired["access_id"])
            if self.denies_later:
                self.rules[place]["state"] = "queued_to_deny"
            else:
                del self.rules[place]
        elif action == "add_security_service":
            self.services.append(desired["security_service_id"])
        else:
            self.services.remove(desired["security_service_id"])
        return 202, None

    def _change_entries(
        self, method: str, path: str, part: str, body: Body
    ) -> clouds.Answer:
        _, noun, identifier, _, *key = path.split("/")
        held = (
            self.collections[f"/{noun}"].rows[identifier].setdefault(part, {})
        )
        if method == "DELETE":
            del held[key[0]]
            return 202, None
        held.update(body[part])
        return 200, {part: held}


class ManilaTestCase(clouds.CloudTestCase):
    cloud: FakeManila

    def setUp(self) -> None:
        super().setUp()
        self.use(FakeManila())


class ShareTest(ManilaTestCase):
    kind = type_data.load_type("OS::Manila::Share")
    read: typing.Final = {
        "access_type": "ip",
        "access_to": "10.0.0.0/24",
        "access_level": "ro",
    }
    write: typing.Final = {**read, "access_level": "rw"}
    other: typing.Final = {"access_type": "ip", "access_to": "10.1.0.0/24"}

    def rules(self) -> list[Body]:
        return [
            {key: each[key] for key in self.read} for each in self.cloud.rules
        ]

    def test_its_rules_and_metadata_are_brought_about(self) -> None:
        context = self.made(
            share_protocol="NFS",
            size=1,
            access_rules=[self.read, self.other],
            metadata={"a": "b"},
        )
        found = self.cloud.collections["/shares"].rows[
            str(context.physical_id)
        ]
        other = {**self.other, "access_level": "rw"}
        self.assertCountEqual([self.read, other], self.rules())
        self.assertIsNone(self.plugin.is_created(context))
        self.assertEqual(2, len(self.cloud.rules))
        self.assertEqual({"a": "b"}, found["metadata"])

        context = self.changed(
            context,
            access_rules=[self.write],
            metadata={"c": "d"},
            name="shared",
        )

        self.assertEqual([self.write], self.rules())
        self.assertEqual({"c": "d"}, found["metadata"])
        self.assertEqual("shared", found["display_name"])
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual([self.write], live["access_rules"])
        self.assertEqual(
            {"export_locations": [{"path": "10.0.0.1:/a"}]},
            self.plugin.read_attributes(context, ["export_locations"]),
        )

    def test_another_level_waits_until_the_former_is_removed(self) -> None:
        context = self.made(
            share_protocol="NFS", size=1, access_rules=[self.read, self.other]
        )
        self.cloud.denies_later = True
        given = {"access_rules": [self.write, self.other]}
        after = dataclasses.replace(
            context, properties={**context.properties, **given}
        )

        for _ in range(2):
            after = self.start_update(context, after, ("access_rules",))
        for _ in range(2):
            self.assertIsInstance(
                self.plugin.is_updated(after), call_context.Pending
            )
        self.assertEqual(
            ["queued_to_deny", None],
            [each.get("state") for each in self.cloud.rules],
        )
        self.assertEqual(
            1,
            len(
                [
                    each
                    for each in self.cloud.requests
                    if each.path.endswith("/action")
                ]
            ),
        )

        del self.cloud.rules[0]
        self.assertIsInstance(
            self.plugin.is_updated(after), call_context.Pending
        )
        self.assertIsNone(self.plugin.is_updated(after))

        other = {**self.other, "access_level": "rw"}
        self.assertCountEqual([self.write, other], self.rules())

    def test_a_rule_that_is_not_removed_fails_the_change(self) -> None:
        context = self.made(
            share_protocol="NFS", size=1, access_rules=[self.read, self.other]
        )
        self.cloud.denies_later = True
        after = dataclasses.replace(
            context,
            properties={**context.properties, "access_rules": [self.other]},
        )

        after = self.start_update(context, after, ("access_rules",))
        self.assertIsInstance(
            self.plugin.is_updated(after), call_context.Pending
        )
        self.cloud.rules[0]["state"] = "error"
        error = self.assertRaises(
            cloud_errors.InError, self.plugin.is_updated, after
        )

        self.assertIn("10.0.0.0/24", error.message)
        self.cloud.denies_later = False
        after = self.start_update(context, after, ("access_rules",))
        self.assertIsNone(self.plugin.is_updated(after))

    def test_a_rule_that_is_not_added_fails_the_creation(self) -> None:
        context = self.context(
            share_protocol="NFS", size=1, access_rules=[self.read]
        )
        context = dataclasses.replace(
            context, physical_id=str(self.plugin.create(context))
        )
        self.cloud.state = "queued_to_apply"

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )
        self.cloud.rules[0]["state"] = "error"
        error = self.assertRaises(
            cloud_errors.InError, self.plugin.is_created, context
        )

        self.assertIn("10.0.0.0/24", error.message)
        self.cloud.rules[0]["state"] = "active"
        self.assertIsNone(self.plugin.is_created(context))

    def test_a_rule_that_has_failed_is_added_anew(self) -> None:
        context = self.made(
            share_protocol="NFS", size=1, access_rules=[self.read]
        )
        self.cloud.rules[0]["state"] = "error"

        self.assertIn(
            "access_rules", self.differing(context, context.properties)
        )
        after = self.start_update(context, context, ("access_rules",))
        self.assertIsNone(self.plugin.is_updated(after))

        self.assertEqual([self.read], self.rules())
        self.assertIsNone(self.cloud.rules[0]["state"])

    def test_rules_that_do_not_change_are_not_listed(self) -> None:
        context = self.made(
            share_protocol="NFS", size=1, access_rules=[self.read]
        )

        self.changed(context, name="shared")

        self.assertNotIn(
            "GET /share-access-rules", self.cloud.find_requests("GET")
        )

    def test_a_rule_that_others_add_is_drift(self) -> None:
        context = self.made(
            share_protocol="NFS", size=1, access_rules=[self.read]
        )
        live = self.plugin.get_reality(context)
        assert live is not None

        self.cloud.rules.append({**self.write, "id": "x"})

        self.assertEqual(["access_rules"], self.differing(context, live))

    def test_another_level_of_others_does_not_prevent_a_change(self) -> None:
        context = self.made(
            share_protocol="NFS", size=1, access_rules=[self.read]
        )
        self.cloud.rules[0]["access_level"] = "rw"

        self.changed(context, name="shared")

        self.assertEqual([self.write], self.rules())


class ShareNetworkTest(ManilaTestCase):
    kind = type_data.load_type("OS::Manila::ShareNetwork")

    def test_its_security_services_are_associated(self) -> None:
        ids = list(_IDS)
        context = self.made(security_services=ids[:1])
        self.assertEqual(ids[:1], self.cloud.services)

        self.changed(context, security_services=ids[1:])

        self.assertEqual(ids[1:], self.cloud.services)


class ShareTypeTest(ManilaTestCase):
    kind = type_data.load_type("OS::Manila::ShareType")

    def test_its_specifications_change_beside_its_own(self) -> None:
        context = self.made(
            name="fast",
            driver_handles_share_servers=False,
            extra_specs={"a": "b"},
        )
        found = self.cloud.collections["/types"].rows[str(context.physical_id)]
        own = {"driver_handles_share_servers": False, "snapshot_support": True}
        self.assertEqual({**own, "a": "b"}, found["extra_specs"])
        found["extra_specs"] = {
            "driver_handles_share_servers": "False",
            "snapshot_support": "True",
            "a": "b",
        }

        context = self.changed(context, extra_specs={"c": "d"})

        self.assertEqual(
            {
                "driver_handles_share_servers": "False",
                "snapshot_support": "True",
                "c": "d",
            },
            found["extra_specs"],
        )
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual({"c": "d"}, live["extra_specs"])
        self.assertEqual(own, {name: live[name] for name in own})
