"""What tests of deployments in stacks start from."""

import requests

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import waiting

Json = dict[str, object]
SCRIPT = "#!/bin/sh\necho $greeting\n"


def config(**given: object) -> Json:
    return {
        "type": "OS::Heat::SoftwareConfig",
        "properties": {
            "group": "script",
            "config": SCRIPT,
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


def elsewhere(wanted: Json) -> Json:
    """Return the template with the deployment on another, second server."""
    found = wanted["resources"]
    moved = {**found["deployment"]["properties"]}
    moved["server"] = {"get_resource": "other"}
    deployed = {**found["deployment"], "properties": moved}
    resources = {**found, "other": found["server"], "deployment": deployed}
    return {**wanted, "resources": resources}


class Agent:
    """What runs on the server: polls its metadata, and signals.

    :ivar observed: ids of the configs that it has applied
    """

    def __init__(
        self, client: rest.Client, stack: rest.Stack, server: str = "server"
    ) -> None:
        self._client = client
        self._stack = stack
        self._server = server
        self.observed: list[str] = []

    def fetch(self, limit_s: float = 20) -> Json:
        """Return the next config to apply, once there is one.

        :param limit_s: seconds to look for it
        """
        found = waiting.wait_for(
            lambda: [
                each
                for each in self.deployments()
                if each["id"] not in self.observed
            ],
            "the server finds a new config",
            limit_s,
        )
        self.observed.append(str(found[0]["id"]))
        return found[0]

    def deployments(self) -> list[Json]:
        path = f"{self._stack.path}/resources/{self._server}/metadata"
        try:
            return self._client.get(path, "metadata").get("deployments", [])
        except rest.RefusedError as refused:
            if refused.status != 404:
                raise
            return []

    @staticmethod
    def inputs(found: Json) -> Json:
        return {one["name"]: one.get("value") for one in found["inputs"]}

    def send_result(self, found: Json, **details: object) -> None:
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
        self.send_result(found, **details)
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
        """Return an id; what is made may be seen before its row is."""

        def find() -> object:
            found = self.client.resources(self.stack)[name]
            return found["physical_resource_id"]

        return waiting.wait_for(find, f"the id of {name}")

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
