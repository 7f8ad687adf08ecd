"""Which agents serve a network or a router."""

import dataclasses

from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds


class DhcpAgentsTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::Net")

    def setUp(self) -> None:
        super().setUp()
        self.use(
            clouds.Cloud(
                networks=clouds.Collection(
                    "network", "networks", defaults={"tags": []}
                )
            )
        )

    def test_exactly_the_wanted_ones_serve_it(self) -> None:
        context = self.made()
        place = f"/networks/{context.physical_id}"
        self.cloud.answers["GET", f"{place}/dhcp-agents"] = (
            200,
            {"agents": [{"id": "a"}, {"id": "b"}]},
        )
        added = "/agents/c/dhcp-networks"
        removed = f"/agents/b/dhcp-networks/{context.physical_id}"
        self.cloud.answers["POST", added] = 201, {}
        self.cloud.answers["DELETE", removed] = 204, None

        self.changed(context, dhcp_agent_ids=["a", "c"])

        self.assertEqual(
            [f"POST {added}", f"DELETE {removed}"],
            self.cloud.find_requests("POST", "DELETE"),
        )

    def test_an_agent_that_is_gone_serves_nothing(self) -> None:
        context = self.made()
        place = f"/networks/{context.physical_id}"
        self.cloud.answers["GET", f"{place}/dhcp-agents"] = (
            200,
            {"agents": [{"id": "b"}]},
        )

        self.changed(context, dhcp_agent_ids=[])

        self.assertEqual(1, len(self.cloud.find_requests("DELETE")))

    def test_nobody_is_asked_where_none_are_wanted(self) -> None:
        context = self.context()
        context = dataclasses.replace(
            context, physical_id=str(self.plugin.create(context))
        )

        self.plugin.is_created(context)

        self.assertEqual(
            ["POST /networks", f"GET /networks/{context.physical_id}"],
            self.cloud.find_requests("GET", "POST", "DELETE"),
        )


class L3AgentsTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::Router")

    def test_a_single_one_may_be_named(self) -> None:
        self.use(
            clouds.Cloud(
                routers=clouds.Collection(
                    "router", "routers", defaults={"tags": []}
                )
            )
        )
        context = self.made()
        place = f"/routers/{context.physical_id}"
        self.cloud.answers["GET", f"{place}/l3-agents"] = 200, {"agents": []}
        added = "/agents/a/l3-routers"
        self.cloud.answers["POST", added] = 201, {}

        self.changed(context, l3_agent_id="a")

        self.assertEqual(
            [{"router_id": context.physical_id}],
            [
                each.body
                for each in self.cloud.requests
                if each.method == "POST"
            ],
        )
