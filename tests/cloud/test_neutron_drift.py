"""Drift of things of Neutron: somebody changes them by the usual client."""

import typing

from tests.cloud import drifting
from tests.cloud import test_neutron
from tests.support import rest

Json = dict[str, typing.Any]
Revisions = dict[str, tuple[str, int]]

_COLLECTIONS: typing.Final = {
    "net": "networks",
    "subnet": "subnets",
    "group": "security-groups",
    "other_group": "security-groups",
    "rule": "security-group-rules",
    "port": "ports",
    "router": "routers",
    "address": "floatingips",
}


class NeutronDriftTest(drifting.DriftTestCase):
    limit_s = 420
    services = ("network",)

    def revisions(self, stack: rest.Stack) -> Revisions:
        """Return how often each thing was written, as Neutron counts it."""
        found: Revisions = {}
        for name, path in _COLLECTIONS.items():
            identifier = self.physical_id(stack, name)
            body = self.user.network.get(f"/{path}/{identifier}").json()
            (thing,) = body.values()
            found[name] = thing["id"], thing["revision_number"]
        return found

    def written(self, before: Revisions, after: Revisions) -> dict[str, int]:
        """Return how often things were written in between, but zero."""
        self.assertEqual(
            [each[0] for each in before.values()],
            [each[0] for each in after.values()],
        )
        return {
            name: after[name][1] - before[name][1]
            for name in after
            if after[name] != before[name]
        }

    def test_d2_what_somebody_changes_is_named_and_put_back(self) -> None:
        wanted = test_neutron.site()
        stack = self.made(wanted)
        clean = self.observe(stack)
        self.assertEqual({}, self.drifted(clean), clean)
        self.assertEqual("in_sync", clean["state"])
        self.assertEqual([], self.plan(stack, wanted))
        before = self.revisions(stack)
        self.updated(stack, wanted, converge=True)
        self.assertEqual(before, self.revisions(stack))

        subnet = self.physical_id(stack, "subnet")
        group = self.physical_id(stack, "group")
        self.openstack("subnet", "set", "--no-dhcp", subnet)
        self.openstack(
            "security", "group", "rule", "create", "--protocol", "udp", group
        )
        before = self.revisions(stack)

        self.assertEqual(
            {"subnet": ["enable_dhcp"], "group": ["rules"]},
            self.drifted(self.observe(stack)),
        )
        self.assertEqual(
            ["update group", "update subnet"],
            sorted(self.plan(stack, wanted)),
        )
        self.updated(stack, wanted, converge=True)

        self.assertTrue(self.shown("subnet", "show", subnet)["enable_dhcp"])
        # One request each; that of a subnet counts for its network too.
        self.assertEqual(
            {"subnet": 1, "net": 1, "group": 1},
            self.written(before, self.revisions(stack)),
        )
        self.assertEqual({}, self.drifted(self.observe(stack)))
        self.vanish(stack, wanted)

    def vanish(self, stack: rest.Stack, wanted: Json) -> None:
        """Remove things behind the engine's back; see them made anew."""
        address = self.physical_id(stack, "address")
        rule = self.physical_id(stack, "rule")
        self.openstack("floating", "ip", "delete", address)
        self.openstack("security", "group", "rule", "delete", rule)

        self.assertEqual(
            {"address": None, "rule": None},
            self.drifted(self.observe(stack)),
        )
        self.updated(stack, wanted, converge=True)

        self.assertNotEqual(address, self.physical_id(stack, "address"))
        self.assertNotEqual(rule, self.physical_id(stack, "rule"))
        self.assertEqual({}, self.drifted(self.observe(stack)))
