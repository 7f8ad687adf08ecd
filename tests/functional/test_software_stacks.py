"""Deployments in stacks: what the agent of a server finds, tells and does."""

import time

import requests

from tests import base
from tests.support import rest
from tests.support import running

Json = dict[str, object]

_SCRIPT = "#!/bin/sh\necho $greeting\n"
_UNKNOWN = "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"


def config(**given: object) -> Json:
    return {
        "type": "OS::Heat::SoftwareConfig",
        "properties": {
            "group": "script",
            "config": _SCRIPT,
            "inputs": [{"name": "greeting", "default": "hello"}],
            "outputs": [
                {"name": "result"},
                {"name": "broken", "error_output": True},
            ],
            **given,
        },
    }


def deployment(**given: object) -> Json:
    return {
        "type": "OS::Heat::SoftwareDeployment",
        "properties": {
            "config": {"get_resource": "config"},
            "server": {"get_resource": "server"},
            **given,
        },
    }


def template(software: Json | None = None, **given: object) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            "server": {
                "type": "OS::Heat::DeployedServer",
                "properties": {
                    "name": "web",
                    "software_config_transport": "POLL_SERVER_HEAT",
                },
            },
            "config": software or config(),
            "deployment": deployment(**given),
        },
        "outputs": {
            "result": {"value": {"get_attr": ["deployment", "result"]}},
            "stdout": {"value": {"get_attr": ["deployment", "deploy_stdout"]}},
        },
    }


class Agent:
    """What runs on the server: polls its metadata, and signals.

    :ivar seen: ids of the configs that it has applied
    """

    def __init__(self, client: rest.Client, stack: rest.Stack) -> None:
        self._client = client
        self._stack = stack
        self.seen: list[str] = []

    def fetch(self, limit_s: float = 20) -> Json:
        """Return the next config to apply, once there is one.

        :param limit_s: seconds to look for it
        """
        limit = time.monotonic() + limit_s
        while time.monotonic() < limit:
            for found in self.deployments():
                if found["id"] not in self.seen:
                    self.seen.append(str(found["id"]))
                    return found
            time.sleep(0.05)
        raise AssertionError("the server finds no new config")

    def deployments(self) -> list[Json]:
        path = f"{self._stack.path}/resources/server/metadata"
        try:
            return self._client.get(path, "metadata").get("deployments", [])
        except rest.RefusedError as refused:
            if refused.status != 404:
                raise
            return []

    @staticmethod
    def inputs(found: Json) -> Json:
        return {one["name"]: one.get("value") for one in found["inputs"]}

    def tell(self, found: Json, **details: object) -> None:
        """Say how it went, as the inputs of the config ask for."""
        inputs = self.inputs(found)
        answer = requests.request(
            str(inputs["deploy_signal_verb"]),
            str(inputs["deploy_signal_id"]),
            json={"deploy_status_code": 0, **details},
            timeout=30,
        )
        answer.raise_for_status()

    def apply(self, **details: object) -> Json:
        """Apply the next config; return it."""
        found = self.fetch()
        self.tell(found, **details)
        return found


class StacksTestCase(base.TestCase):
    limit_s = 180

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        found = running.Embedded()
        cls.addClassCleanup(found.cleanUp)
        found.setUp()
        cls.system = found.system

    def setUp(self) -> None:
        super().setUp()
        start = self.system.endpoint.rpartition("/")[0]
        self.client = rest.Client(f"{start}/{self.id().rpartition('.')[2]}")
        self.addCleanup(self.client.close)

    def begin(self, wanted: Json) -> rest.Stack:
        self.stack = self.client.create("s", wanted)
        self.agent = Agent(self.client, self.stack)
        return self.stack

    def update(self, wanted: Json) -> None:
        self.client.ask("PUT", self.stack.path, {"template": wanted})

    def wait(self, status: str) -> Json:
        return self.client.wait(self.stack, status, timeout_s=40)

    def physical_id(self, name: str = "deployment") -> object:
        return self.client.resources(self.stack)[name]["physical_resource_id"]

    def deployment(self) -> Json:
        return self.client.get(
            f"/software_deployments/{self.physical_id()}",
            "software_deployment",
        )

    def reasons(self) -> list[object]:
        return [
            each["resource_status_reason"]
            for each in self.client.events(self.stack)
            if each["resource_name"] == "deployment"
        ]

    def configs(self) -> list[Json]:
        return self.client.get("/software_configs", "software_configs")


class DeploymentTests(StacksTestCase):
    def test_a_server_applies_and_tells(self) -> None:
        self.begin(template(input_values={"greeting": "hi"}, name="50"))

        found = self.agent.fetch()
        self.assertEqual("IN_PROGRESS", self.deployment()["status"])
        self.agent.tell(found, result=42, deploy_stdout="hi\n", other="x")
        self.wait("CREATE_COMPLETE")

        inputs = self.agent.inputs(found)
        self.assertEqual(
            ("50", "script", _SCRIPT),
            (found["name"], found["group"], found["config"]),
        )
        self.assertEqual(
            ("hi", self.physical_id("server"), "CREATE", "deployment"),
            (
                inputs["greeting"],
                inputs["deploy_server_id"],
                inputs["deploy_action"],
                inputs["deploy_resource_name"],
            ),
        )
        self.assertEqual(f"s/{self.stack.id}", inputs["deploy_stack_id"])
        self.assertEqual(
            {"result": 42, "stdout": "hi\n"}, self.client.outputs(self.stack)
        )
        attributes = self.client.get(
            f"{self.stack.path}/resources/deployment?with_attr=result",
            "resource",
        )["attributes"]
        self.assertEqual(
            (42, "hi\n", 0),
            (
                attributes["result"],
                attributes["deploy_stdout"],
                attributes["deploy_status_code"],
            ),
        )
        shown = self.deployment()
        self.assertEqual(
            ("COMPLETE", "Outputs received", found["id"]),
            (shown["status"], shown["status_reason"], shown["config_id"]),
        )
        self.assertNotIn("other", shown["output_values"])
        self.assertIn(
            f"Signal: deployment {shown['id']} succeeded", self.reasons()
        )

    def test_the_same_is_told_by_server(self) -> None:
        self.begin(template(signal_transport="NO_SIGNAL"))
        self.wait("CREATE_COMPLETE")

        found = self.client.get(
            f"/software_deployments/metadata/{self.physical_id('server')}",
            "metadata",
        )

        self.assertEqual(self.agent.deployments(), found)
        self.assertEqual(1, len(found))

    def test_a_failure_on_the_server_fails_the_stack(self) -> None:
        self.begin(template())

        self.agent.apply(deploy_status_code=1, deploy_stderr="no\n")
        shown = self.wait("CREATE_FAILED")

        self.assertIn(
            "Deployment to server failed: deploy_status_code : Deployment"
            " exited with non-zero status code: 1",
            shown["stack_status_reason"],
        )
        self.assertEqual(
            "no\n", self.deployment()["output_values"]["deploy_stderr"]
        )

    def test_an_error_output_fails_the_stack(self) -> None:
        self.begin(template())

        self.agent.apply(broken="leg")
        shown = self.wait("CREATE_FAILED")

        self.assertIn(
            "Deployment to server failed: broken : leg",
            shown["stack_status_reason"],
        )

    def test_a_retry_lets_the_server_apply_it_again(self) -> None:
        self.begin(template())
        self.agent.apply(deploy_status_code=1)
        self.wait("CREATE_FAILED")

        self.client.retry(self.stack)
        self.agent.apply(result="at last")
        self.wait("CREATE_COMPLETE")

        self.assertEqual(2, len(set(self.agent.seen)))
        self.assertEqual("at last", self.client.outputs(self.stack)["result"])

    def test_an_update_hands_over_anew(self) -> None:
        self.begin(template())
        self.agent.apply(result=1)
        self.wait("CREATE_COMPLETE")
        before = self.physical_id()

        self.update(template(input_values={"greeting": "bye"}))
        found = self.agent.apply(result=2)
        self.wait("UPDATE_COMPLETE")

        inputs = self.agent.inputs(found)
        self.assertEqual(
            ("bye", "UPDATE"), (inputs["greeting"], inputs["deploy_action"])
        )
        self.assertEqual(before, self.physical_id())
        self.assertEqual(2, self.client.outputs(self.stack)["result"])
        self.assertEqual(
            [found["id"]], [one["id"] for one in self.agent.deployments()]
        )

    def test_an_update_without_a_change_asks_nobody(self) -> None:
        self.begin(template())
        self.agent.apply()
        self.wait("CREATE_COMPLETE")

        self.update(template())
        self.wait("UPDATE_COMPLETE")

        self.assertEqual(
            self.agent.seen, [one["id"] for one in self.agent.deployments()]
        )

    def test_a_changed_config_is_handed_over(self) -> None:
        self.begin(template())
        self.agent.apply()
        self.wait("CREATE_COMPLETE")
        old = self.physical_id("config")

        self.update(template(config(config="#!/bin/true\n")))
        found = self.agent.apply()
        self.wait("UPDATE_COMPLETE")

        self.assertEqual("#!/bin/true\n", found["config"])
        refused = self.assertRaises(
            rest.RefusedError,
            self.client.get,
            f"/software_configs/{old}",
            "software_config",
        )
        self.assertEqual(404, refused.status)

    def test_an_input_may_ask_for_another_deployment(self) -> None:
        replacing = config(
            inputs=[{"name": "greeting", "replace_on_change": True}]
        )
        self.begin(template(replacing, signal_transport="NO_SIGNAL"))
        self.wait("CREATE_COMPLETE")
        before = self.physical_id()

        self.update(
            template(
                replacing,
                signal_transport="NO_SIGNAL",
                input_values={"greeting": "new"},
            )
        )
        self.wait("UPDATE_COMPLETE")

        self.assertNotEqual(before, self.physical_id())
        found = self.client.get(
            "/software_deployments", "software_deployments"
        )
        self.assertEqual([self.physical_id()], [one["id"] for one in found])

    def test_suspend_resume_and_delete_take_part_on_request(self) -> None:
        self.begin(template(actions=["SUSPEND", "RESUME", "DELETE"]))
        self.wait("CREATE_COMPLETE")
        self.assertEqual([], self.agent.deployments())
        acts = []

        for action in ("suspend", "resume"):
            self.client.ask(
                "POST", f"{self.stack.path}/actions", {action: None}
            )
            acts.append(self.agent.apply())
            self.wait(f"{action.upper()}_COMPLETE")
        self.client.delete(self.stack)
        acts.append(self.agent.apply())
        self.wait("DELETE_COMPLETE")

        self.assertEqual(
            ["SUSPEND", "RESUME", "DELETE"],
            [self.agent.inputs(one)["deploy_action"] for one in acts],
        )
        self.assertEqual([], self.configs())

    def test_nothing_is_left_after_a_delete(self) -> None:
        self.begin(template())
        self.agent.apply()
        self.wait("CREATE_COMPLETE")
        server = self.physical_id("server")

        self.client.delete(self.stack)
        self.wait("DELETE_COMPLETE")

        self.assertEqual([], self.configs())
        for path, key in (
            ("/software_deployments", "software_deployments"),
            (f"/software_deployments/metadata/{server}", "metadata"),
        ):
            self.assertEqual([], self.client.get(path, key))

    def test_whoever_may_change_a_deployment_can_finish_it(self) -> None:
        self.begin(template())
        self.agent.fetch()

        self.client.ask(
            "PUT",
            f"/software_deployments/{self.physical_id()}",
            {"status": "COMPLETE", "output_values": {"result": "by hand"}},
        )
        self.wait("CREATE_COMPLETE")

        self.assertEqual("by hand", self.client.outputs(self.stack)["result"])

    def test_one_that_somebody_removes_fails(self) -> None:
        self.begin(template())
        self.agent.fetch()

        self.client.ask(
            "DELETE", f"/software_deployments/{self.physical_id()}"
        )
        shown = self.wait("CREATE_FAILED")
        self.client.retry(self.stack)
        self.agent.apply()
        self.wait("CREATE_COMPLETE")

        self.assertIn("removed it", shown["stack_status_reason"])

    def test_a_component_is_applied_in_its_own_actions(self) -> None:
        wanted = template(actions=["CREATE"])
        configs = [
            {"actions": ["UPDATE"], "tool": "script", "config": "up"},
            {"actions": ["DELETE"], "tool": "script", "config": "down"},
        ]
        wanted["resources"]["config"] = {
            "type": "OS::Heat::SoftwareComponent",
            "properties": {
                "configs": configs,
                "outputs": [{"name": "result"}],
            },
        }
        self.begin(wanted)
        self.wait("CREATE_COMPLETE")
        self.assertEqual([], self.agent.deployments())

        self.client.delete(self.stack)
        found = self.agent.apply()
        self.wait("DELETE_COMPLETE")

        self.assertEqual(
            ("component", {"configs": configs}),
            (found["group"], found["config"]),
        )

    def test_a_structured_config_is_filled_in(self) -> None:
        wanted = template()
        wanted["resources"]["config"] = {
            "type": "OS::Heat::StructuredConfig",
            "properties": {
                "group": "ansible",
                "config": {"hosts": [{"get_input": "greeting"}]},
                "outputs": [{"name": "result"}],
            },
        }
        wanted["resources"]["deployment"] = {
            **deployment(
                input_values={"greeting": {"a": 1}},
                signal_transport="NO_SIGNAL",
            ),
            "type": "OS::Heat::StructuredDeployment",
        }
        self.begin(wanted)
        self.wait("CREATE_COMPLETE")

        self.assertEqual({"hosts": [{"a": 1}]}, self.agent.fetch()["config"])

    def test_a_config_that_is_not_there_fails_the_stack(self) -> None:
        self.begin(template(config=_UNKNOWN))

        shown = self.wait("CREATE_FAILED")

        self.assertIn(
            f"Software config with id {_UNKNOWN} not found",
            shown["stack_status_reason"],
        )

    def test_what_nobody_serves_is_refused_at_once(self) -> None:
        wanted = template()
        wanted["resources"]["server"]["properties"] = {
            "software_config_transport": "ZAQAR_MESSAGE"
        }
        for bad, word in (
            (template(signal_transport="TEMP_URL_SIGNAL"), "TEMP_URL_SIGNAL"),
            (wanted, "ZAQAR_MESSAGE"),
        ):
            refused = self.assertRaises(
                rest.RefusedError, self.client.create, "s", bad
            )
            self.assertEqual(400, refused.status)
            self.assertIn(word, str(refused.body))


class ServerTests(StacksTestCase):
    def test_its_attributes_and_metadata_configure_the_agent(self) -> None:
        wanted = template()
        del wanted["resources"]["deployment"], wanted["outputs"]
        self.begin(wanted)
        self.wait("CREATE_COMPLETE")
        path = f"{self.stack.path}/resources/server"

        shown = self.client.get(path, "resource")
        metadata = self.client.get(f"{path}/metadata", "metadata")

        agent = {
            "collectors": ["heat", "local"],
            "heat": {
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
        self.begin(template(signal_transport="NO_SIGNAL"))
        self.wait("CREATE_COMPLETE")
        before = self.physical_id("server")
        wanted = template(signal_transport="NO_SIGNAL")
        wanted["resources"]["server"]["properties"] = {"name": "db"}

        self.update(wanted)
        self.wait("UPDATE_COMPLETE")

        self.assertEqual(before, self.physical_id("server"))


class ConfigTests(StacksTestCase):
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


class WorkersTests(StacksTestCase):
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
        wanted = template()
        deployments = [f"d{number}" for number in range(6)]
        for name in deployments:
            wanted["resources"][name] = deployment(name=name)
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
