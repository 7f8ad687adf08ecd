import collections.abc
import dataclasses

from orch.resources.heat.software import deployment_groups
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.groups import members

KIND = deployment_groups.SoftwareDeploymentGroup
SERVERS = {"web": "server-1", "db": "server-2"}


class DeploymentGroupTest(base.TestCase):
    def group(
        self,
        policy: collections.abc.Mapping[str, object] | None = None,
        **properties: object,
    ) -> members.Group:
        given = {"servers": SERVERS, "config": "c1", **properties}
        context = dataclasses.replace(
            contexts.make(KIND, **given), update_policy=policy or {}
        )
        return members.Group(KIND(contexts.options()), context)

    def test_each_server_has_a_deployment_of_its_name(self) -> None:
        made = self.group(input_values={"a": 1}).bring()

        self.assertEqual(
            [
                {
                    name: {
                        "type": "OS::Heat::SoftwareDeployment",
                        "properties": {
                            "actions": ["CREATE", "UPDATE"],
                            "config": "c1",
                            "input_values": {"a": 1},
                            "server": server,
                            "signal_transport": "CFN_SIGNAL",
                        },
                    }
                    for name, server in SERVERS.items()
                }
            ],
            made,
        )

    def test_structured_ones_keep_what_is_theirs(self) -> None:
        kind = deployment_groups.StructuredDeploymentGroup
        context = contexts.make(kind, servers=SERVERS, input_key="look")
        stage = kind(contexts.options()).stages(context, ())[0]
        found = members.definitions(stage)["db"]

        self.assertEqual("OS::Heat::StructuredDeployment", found["type"])
        self.assertEqual(
            {
                "actions": ["CREATE", "UPDATE"],
                "input_key": "look",
                "input_values_validate": "LAX",
                "server": "server-2",
                "signal_transport": "CFN_SIGNAL",
            },
            found["properties"],
        )

    def test_servers_come_and_go(self) -> None:
        group = self.group()
        group.bring()
        made = group.bring(servers={"db": "server-2", "new": "server-3"})

        self.assertEqual([{"db", "new"}], [set(each) for each in made])

    def test_a_new_config_comes_in_batches(self) -> None:
        servers = {f"s{number}": f"id-{number}" for number in range(5)}
        group = self.group(
            {"rolling_update": {"max_batch_size": 2}}, servers=servers
        )
        group.bring()
        made = group.bring(config="c2")
        new = [sum("c2" in str(one) for one in each.values()) for each in made]

        self.assertEqual([2, 4, 5], new)
        self.assertEqual([set(servers)] * 3, [set(each) for each in made])

    def test_deployments_are_made_in_batches(self) -> None:
        group = self.group({"batch_create": {"max_batch_size": 1}})

        self.assertEqual([1, 2], [len(each) for each in group.bring()])

    def test_more_servers_come_in_batches_where_updates_roll(self) -> None:
        group = self.group({"rolling_update": {"max_batch_size": 1}})
        group.bring()
        more = {**SERVERS, "a": "server-3", "b": "server-4"}

        made = group.bring(servers=more)

        self.assertEqual([3, 4], [len(each) for each in made])

    def test_what_deployments_gave_is_told_by_server(self) -> None:
        group = self.group()
        group.bring()
        view = members.View(
            group.members,
            {
                "web": {"deploy_stdout": "up", "x": {"y": 1}},
                "db": {"deploy_stdout": None, "x": {"y": 2}},
            },
        )
        for path, expected in (
            (("deploy_stdouts",), {"web": "up"}),
            (("deploy_stdouts", "web"), "up"),
            (("x",), {"web": {"y": 1}, "db": {"y": 2}}),
            (("x", "db", "y"), 2),
            (("resource.web",), "ref-web"),
        ):
            with self.subTest(path=path):
                found = group.plugin.read(group.context, path, view)
                self.assertEqual(expected, found)
