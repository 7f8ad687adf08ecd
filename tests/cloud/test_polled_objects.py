"""Agents find what they have to apply in objects of Swift."""

import json

import requests

from tests.cloud import cases
from tests.cloud import short_set
from tests.cloud import test_server
from tests.cloud import test_swift_signals
from tests.functional import deploying
from tests.support import agents
from tests.support import rest
from tests.support import waiting

Json = dict[str, object]


def template(
    place: Json | None = None, way: str = "POLL_TEMP_URL", **given: object
) -> Json:
    """Return a server that polls an object, and writes others to tell."""
    given = {"signal_transport": "TEMP_URL_SIGNAL", **given}
    wanted = deploying.template(**given)
    resources = wanted["resources"]
    assert isinstance(resources, dict)
    resources["server"]["properties"] = {
        "software_config_transport": way,
        "deployment_swift_data": place or {},
    }
    return wanted


class PolledObjectTests(test_swift_signals.SwiftTestCase):
    """``POLL_TEMP_URL``: the agent asks neither our API nor Keystone."""

    def begun(self, wanted: Json) -> rest.Stack:
        return self.here.create(self.name, wanted)

    def address(self, stack: rest.Stack) -> str:
        """Return the address that the server is to be told."""
        path = f"{stack.path}/resources/server/metadata"

        def find() -> str:
            try:
                found = self.here.get(path, "metadata")
            except rest.RefusedError:
                return ""
            asked = found.get("os-collect-config", {}).get("request", {})
            return str(asked.get("metadata_url", ""))

        return str(waiting.wait_for(find, "an address"))

    def names(self, url: str) -> list[object]:
        """Return the names of what the object says is to be applied."""
        answer = requests.get(url, timeout=20)
        self.assertEqual(200, answer.status_code)
        return [each["name"] for each in answer.json()["deployments"]]

    def update(self, stack: rest.Stack, wanted: Json) -> None:
        self.here.ask("PUT", stack.path, {"template": wanted})
        self.here.wait(stack, "UPDATE_COMPLETE")

    @short_set.case_of(
        "OS::Heat::DeployedServer",
        "OS::Heat::SoftwareDeployment",
    )
    def test_an_agent_applies_what_the_object_tells(self) -> None:
        stack = self.begun(template(name="first"))
        found = self.useFixture(agents.Agent(self.address(stack)))
        self.here.wait(stack, "CREATE_COMPLETE")
        self.update(stack, template(input_values={"greeting": "later"}))
        self.assertEqual("later", self.here.outputs(stack)["result"])
        self.assertEqual(
            ["hello", "later"],
            [greeting for _, greeting in found.said("applied")],
        )
        self.removed(stack)

    def test_it_is_the_same_as_our_api_shows(self) -> None:
        stack = self.begun(template())
        url = self.address(stack)
        waiting.wait_for(lambda: self.names(url), "a config")
        shown = self.here.get(
            f"{stack.path}/resources/server/metadata", "metadata"
        )
        self.assertEqual(shown, requests.get(url, timeout=20).json())
        written = requests.put(url, data=b"{}", timeout=20)
        self.assertEqual(401, written.status_code)
        self.removed(stack)
        self.assertIn(requests.get(url, timeout=20).status_code, (401, 404))

    def test_deployments_over_rest_are_told_too(self) -> None:
        wanted = template()
        del wanted["resources"]["deployment"], wanted["outputs"]
        stack = self.begun(wanted)
        self.here.wait(stack, "CREATE_COMPLETE")
        url = self.address(stack)
        self.assertEqual([], self.names(url))
        config = self.here.ask("POST", "/software_configs", {"name": "own"})
        server = self.here.resources(stack)["server"]["physical_resource_id"]
        made = self.here.ask(
            "POST",
            "/software_deployments",
            {
                "config_id": config["software_config"]["id"],
                "server_id": server,
            },
        )["software_deployment"]
        self.assertEqual(["own"], self.names(url))
        self.here.ask("DELETE", f"/software_deployments/{made['id']}")
        self.assertEqual([], self.names(url))
        self.removed(stack)

    def test_named_objects_move_when_their_names_change(self) -> None:
        own = f"{self.name}-own"
        places = [{"container": own, "object": each} for each in ("a", "b")]
        wanted = template(places[0], signal_transport="NO_SIGNAL")
        stack = self.begun(wanted)
        self.here.wait(stack, "CREATE_COMPLETE")
        first = self.address(stack)
        self.assertIn(f"/{own}/a?", first)

        self.update(stack, template(places[1], signal_transport="NO_SIGNAL"))
        second = self.address(stack)
        self.assertIn(f"/{own}/b?", second)
        self.assertEqual(404, requests.get(first, timeout=20).status_code)
        self.assertEqual(1, len(self.names(second)))

        store = self.user.object_store
        store.upload_object(own, "of-somebody-else", data=json.dumps({}))
        self.update(
            stack,
            template(way="POLL_SERVER_HEAT", signal_transport="NO_SIGNAL"),
        )
        self.assertEqual(404, requests.get(second, timeout=20).status_code)
        self.assertEqual({own}, self.containers())
        store.delete_object("of-somebody-else", container=own)
        store.delete_container(own)
        self.removed(stack)


class PollingServerTests(cases.RigTestCase):
    """Servers of Nova poll objects as well."""

    services = ("compute", "network", "image", "object-store")
    limit_s = 400
    wait_s = 200

    def test_a_server_has_its_object_as_long_as_it_stands(self) -> None:
        resources = test_server.site(
            user_data_format="SOFTWARE_CONFIG",
            software_config_transport="POLL_TEMP_URL",
        )
        resources["config"] = deploying.config()
        resources["deployment"] = deploying.deployment(
            signal_transport="NO_SIGNAL", name="only"
        )
        stack = self.made(
            resources,
            outputs={
                "agent": {
                    "value": {"get_attr": ["server", "os_collect_config"]}
                }
            },
        )
        agent = self.here.outputs(stack)["agent"]
        self.assertEqual(["request", "local"], agent["collectors"])
        url = agent["request"]["metadata_url"]
        answer = requests.get(url, timeout=20)
        self.assertEqual(
            ["only"], [each["name"] for each in answer.json()["deployments"]]
        )
        self.assertEqual(agent, answer.json()["os-collect-config"])

        self.removed(stack)

        self.assertIn(requests.get(url, timeout=20).status_code, (401, 404))
        self.assertEqual(
            [],
            [
                each.name
                for each in self.user.object_store.containers()
                if each.name.startswith(f"{self.name}-")
            ],
        )
