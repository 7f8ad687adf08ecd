"""What the properties of servers are now, as the service tells them."""

from orch.plugin import reality
from tests.unit.resources.openstack.nova import compute
from tests.unit.resources.openstack.nova import servers


class LiveTests(servers.ServerTestCase):
    def test_the_token_is_no_difference(self) -> None:
        context = self.existing(metadata={"a": "b"})

        found = self.plugin.get_reality(context)

        assert found is not None
        self.assertEqual({"a": "b"}, found["metadata"])
        self.assertEqual("1", found["flavor"])
        self.assertEqual(compute.IMAGE, found["image"])

    def test_one_that_is_gone_has_vanished(self) -> None:
        context = self.existing()
        del self.cloud.collections["/servers"].rows[str(context.physical_id)]

        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)

    def test_one_that_is_deleted_softly_has_vanished(self) -> None:
        context = self.existing()
        self.cloud.server(context.physical_id)["status"] = "SOFT_DELETED"

        (found,) = (self.plugin.observe([context, context]) or ())[:1]

        self.assertIsInstance(found, reality.Vanished)

    def test_where_nobody_has_asked_nova_decides(self) -> None:
        shown = {
            "OS-EXT-AZ:availability_zone": "nova",
            "OS-DCF:diskConfig": "AUTO",
            "config_drive": "",
        }
        for asked, known in (
            ({}, set()),
            (
                {
                    "availability_zone": "nova",
                    "security_groups": ["default"],
                    "config_drive": True,
                },
                {"availability_zone", "security_groups", "config_drive"},
            ),
        ):
            context = self.existing(**asked)
            self.cloud.server(context.physical_id).update(shown)
            found = self.plugin.get_reality(context)
            assert found is not None
            self.assertEqual(
                known,
                found.keys()
                & {
                    "availability_zone",
                    "config_drive",
                    "diskConfig",
                    "security_groups",
                },
            )

    def test_floating_addresses_are_no_networks_of_it(self) -> None:
        context = self.existing()
        self.cloud.server(context.physical_id)["addresses"] = {
            "net": [
                {"addr": "10.0.0.9", "OS-EXT-IPS:type": "fixed"},
                {"addr": "203.0.113.9", "OS-EXT-IPS:type": "floating"},
            ]
        }

        found = self.plugin.get_reality(context)

        assert found is not None
        self.assertEqual(
            [{"network": "net", "fixed_ip": "10.0.0.9"}], found["networks"]
        )

    def test_many_are_one_request(self) -> None:
        many = [self.existing() for _ in range(50)]
        self.cloud.requests.clear()

        found = self.plugin.observe(many)

        assert found is not None
        self.assertEqual(50, len(found))
        self.assertEqual(
            ["GET /servers/detail"], self.cloud.find_requests("GET")
        )

    def test_what_templates_write_otherwise_is_the_same(self) -> None:
        same = self.plugin.normalise
        self.assertEqual(
            same("metadata", {"a": 1, "b": None}), same("metadata", {"a": "1"})
        )
        self.assertEqual(same("tags", ["b", "a"]), same("tags", ["a", "b"]))
