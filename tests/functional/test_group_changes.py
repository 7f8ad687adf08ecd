"""Members of groups change in batches: through REST, and in the world."""

import datetime
import typing

from tests import base
from tests.functional import test_groups
from tests.support import rest
from tests.support import running
from tests.support import waiting
from tests.support import world_templates

Json = rest.Json


class RollingTests(test_groups.GroupsTestCase):
    def rolling(self, label: str, **policy: object) -> Json:
        found = self.group(3, label)
        return {**found, "update_policy": {"rolling_update": policy}}

    def updates(self, inner: rest.Stack) -> list[Json]:
        """Return the updates of a stack, the oldest first."""
        found = self.operations(inner)
        return [one for one in reversed(found) if one["action"] == "UPDATE"]

    def test_a_spare_member_serves_while_the_others_change(self) -> None:
        policy = {"max_batch_size": 1, "min_in_service": 3}
        stack = self.make({"g": self.rolling("old", **policy)})
        before = self.by_name()

        self.change(stack, {"g": self.rolling("new", **policy)})

        self.assertEqual(before, self.by_name())
        self.assertEqual({"new"}, set(self.labels().values()))
        acts = self.tree_acts("create", "update", "delete")
        # The first ones are made side by side.
        self.assertEqual(["0", "1", "2"], sorted(acts[:3]))
        self.assertEqual(["3", "2", "1", "0", "3"], acts[3:])

    def test_the_next_batch_begins_after_the_pause(self) -> None:
        policy = {"max_batch_size": 2, "pause_time": 1}
        stack = self.make({"g": self.rolling("old", **policy)})
        inner = self.child_of(stack, "g")

        self.change(stack, {"g": self.rolling("new", **policy)})

        first, second = self.updates(inner)
        ended, begun = (
            datetime.datetime.fromisoformat(str(moment))
            for moment in (first["finished_at"], second["created_at"])
        )
        # Both are cut to seconds.
        self.assertGreaterEqual(begun - ended, datetime.timedelta(seconds=1))

    def test_a_retry_goes_on_with_the_batch_that_failed(self) -> None:
        policy = {"max_batch_size": 1}
        stack = self.make({"g": self.rolling("old", **policy)})
        inner = self.child_of(stack, "g")
        self.world.order(
            self.name, "update", "1", how="permanent", moment="before"
        )
        self.change(
            stack, {"g": self.rolling("new", **policy)}, "UPDATE_FAILED"
        )
        self.assertEqual("old", self.labels()["0"])
        self.world.forgive(self.name)

        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual({"new"}, set(self.labels().values()))
        self.assertEqual(1, self.tree_acts("update").count("2"))
        self.assertEqual(3, len(self.updates(inner)))


class ScalingGroupTests(test_groups.GroupsTestCase):
    signal = test_groups.ScalingTests.signal

    def test_a_new_definition_comes_with_the_size_kept(self) -> None:
        stack = self.make(test_groups.scaling())
        inner = self.child_of(stack, "g")
        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")
        before = self.by_name()
        changed = test_groups.scaling()
        group = typing.cast(typing.Any, changed["g"])
        group["properties"]["resource"] = test_groups.member(label="new")

        self.change(stack, changed)

        self.assertEqual(before, self.by_name())
        self.assertEqual({"new"}, set(self.labels().values()))
        self.assertEqual(5, len(self.operations(inner)))

    def test_signals_shrink_it_the_oldest_first(self) -> None:
        stack = self.make(test_groups.scaling())
        inner = self.child_of(stack, "g")
        self.signal(stack)
        self.client.wait(inner, "UPDATE_COMPLETE")
        resources = test_groups.scaling(
            scaling_adjustment=-50,
            adjustment_type="percent_change_in_capacity",
        )
        self.change(stack, resources)
        *first, youngest = self.tree_acts("create")

        self.signal(stack)
        waiting.wait_for(
            lambda: self.tree_acts("delete"), "a member to be deleted"
        )
        self.client.wait(inner, "UPDATE_COMPLETE")

        # The first two were made at the same time: either may be the oldest.
        (gone,) = self.tree_acts("delete")
        self.assertIn(gone, first)
        self.assertEqual({*first, youngest} - {gone}, set(self.by_name()))


class DeploymentGroupTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        system = self.useFixture(running.Embedded()).system
        self.client = rest.Client(system.endpoint)

    def template(self, *names: str) -> Json:
        servers: Json = {
            name: {
                "type": "OS::Heat::DeployedServer",
                "properties": {
                    "name": name,
                    "software_config_transport": "POLL_SERVER_HEAT",
                },
            }
            for name in names
        }
        return world_templates.template(
            **servers,  # type: ignore[arg-type]
            config={
                "type": "OS::Heat::SoftwareConfig",
                "properties": {"group": "script", "config": "#!/bin/sh\n"},
            },
            group={
                "type": "OS::Heat::SoftwareDeploymentGroup",
                "properties": {
                    "config": {"get_resource": "config"},
                    "servers": {
                        name: {"get_resource": name} for name in names
                    },
                    "signal_transport": "NO_SIGNAL",
                },
            },
        )

    def deployed(self) -> list[str]:
        """Return the servers with a deployment, sorted."""
        found = self.client.get(
            "/software_deployments", "software_deployments"
        )
        return sorted(
            str(one["server_id"]) for one in typing.cast(list[Json], found)
        )

    def servers(self, stack: rest.Stack) -> dict[str, str]:
        rows = self.client.resources(stack)
        return {
            name: str(row["physical_resource_id"])
            for name, row in rows.items()
            if row["resource_type"] == "OS::Heat::DeployedServer"
        }

    def test_each_server_has_a_deployment(self) -> None:
        stack = self.client.create("shop", self.template("web", "db"))
        self.client.wait(stack, "CREATE_COMPLETE")
        servers = self.servers(stack)
        self.assertEqual(sorted(servers.values()), self.deployed())

        self.client.ask(
            "PUT", stack.path, {"template": self.template("web", "new")}
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        after = self.servers(stack)
        self.assertEqual(servers["web"], after["web"])
        self.assertEqual(sorted(after.values()), self.deployed())
