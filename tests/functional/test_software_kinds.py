"""Servers and kinds of configs in stacks, and deployments among workers."""

from tests import base
from tests.functional import deploying
from tests.support import running


class ServerTests(deploying.StacksTestCase):
    def test_its_attributes_and_metadata_configure_the_agent(self) -> None:
        wanted = deploying.template()
        del wanted["resources"]["deployment"], wanted["outputs"]
        self.begin(wanted)
        self.wait("CREATE_COMPLETE")
        path = f"{self.stack.path}/resources/server"

        shown = self.client.get(path, "resource")
        metadata = self.client.get(f"{path}/metadata", "metadata")

        agent = {
            "collectors": ["heat", "local"],
            "heat": {
                "metadata_url": f"{self.client.endpoint}{path}/metadata",
                "project_id": self.client.endpoint.rpartition("/")[2],
                "resource_name": "server",
                "stack_id": f"s/{self.stack.id}",
            },
        }
        self.assertEqual(
            {"name": "web", "os_collect_config": agent}, shown["attributes"]
        )
        self.assertEqual(
            {"os-collect-config": agent, "deployments": []}, metadata
        )

    def test_it_keeps_its_id_when_it_changes(self) -> None:
        self.begin(deploying.template(signal_transport="NO_SIGNAL"))
        self.wait("CREATE_COMPLETE")
        before = self.physical_id("server")
        wanted = deploying.template(signal_transport="NO_SIGNAL")
        wanted["resources"]["server"]["properties"] = {"name": "db"}

        self.update(wanted)
        self.wait("UPDATE_COMPLETE")

        self.assertEqual(before, self.physical_id("server"))


class ConfigTests(deploying.StacksTestCase):
    def test_the_other_types_keep_configs_too(self) -> None:
        self.begin(
            {
                "heat_template_version": "2021-04-16",
                "resources": {
                    "cloud": {
                        "type": "OS::Heat::CloudConfig",
                        "properties": {"cloud_config": {"users": ["a"]}},
                    },
                    "mime": {
                        "type": "OS::Heat::MultipartMime",
                        "properties": {
                            "parts": [
                                {"config": {"get_resource": "cloud"}},
                                {"config": "echo", "filename": "x.sh"},
                            ]
                        },
                    },
                },
                "outputs": {
                    "mime": {"value": {"get_attr": ["mime", "config"]}}
                },
            }
        )
        self.wait("CREATE_COMPLETE")

        told = self.client.outputs(self.stack)["mime"]
        cloud = self.client.get(
            f"/software_configs/{self.physical_id('cloud')}",
            "software_config",
        )

        self.assertEqual("#cloud-config\nusers:\n- a\n", cloud["config"])
        self.assertIn("#cloud-config\nusers:\n- a\n", told)
        self.assertIn('attachment; filename="x.sh"', told)


class WorkersTests(deploying.StacksTestCase):
    """The same with several workers, none of which is asked by name."""

    @classmethod
    def setUpClass(cls) -> None:
        base.TestCase.setUpClass()
        found = running.Distributed(
            {
                "engine": {"lease_ttl": 2, "scan_interval": 0.2},
                "signals": {"seal_keys": "k" * 32},
            }
        )
        cls.addClassCleanup(found.cleanUp)
        found.setUp()
        cls.system = found.system

    def test_whoever_hears_of_it_lets_the_stack_go_on(self) -> None:
        wanted = deploying.template()
        deployments = [f"d{number}" for number in range(6)]
        for name in deployments:
            wanted["resources"][name] = deploying.deployment(name=name)
        self.begin(wanted)
        found = [self.agent.fetch() for _ in range(7)]

        for each in found[:4]:
            path = f"{self.stack.path}/resources"
            name = self.agent.inputs(each)["deploy_resource_name"]
            self.client.ask(
                "POST", f"{path}/{name}/signal", {"deploy_status_code": 0}
            )
        for each in found[4:]:
            name = str(self.agent.inputs(each)["deploy_resource_name"])
            self.client.ask(
                "PUT",
                f"/software_deployments/{self.physical_id(name)}",
                {"status": "COMPLETE"},
            )
        self.wait("CREATE_COMPLETE")

        statuses = [
            each["status"]
            for each in self.client.get(
                "/software_deployments", "software_deployments"
            )
        ]
        self.assertEqual(["COMPLETE"] * 7, statuses)
