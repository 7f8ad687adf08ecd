"""No stack reads, changes or deletes another project's software."""

import typing

from orch import ids
from tests.support import rest
from tests.support import serving
from tests.support import waiting

Json = dict[str, typing.Any]

_DEPLOYMENT: typing.Final = "OS::Heat::SoftwareDeployment"
_CONFIG: typing.Final = "OS::Heat::SoftwareConfig"


def template(outputs: Json | None = None, /, **resources: Json) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": resources,
        "outputs": outputs or {},
    }


def deployment(server: str, **more: object) -> Json:
    """Return a deployment of no config of its own, which nobody answers."""
    properties = {"server": server, "signal_transport": "NO_SIGNAL", **more}
    return {"type": _DEPLOYMENT, "properties": properties}


class SoftwareProjectsTests(serving.WorldTestCase):
    """One project has software, and a member of another one knows its ids.

    :ivar config_id: a config of the owner that nothing deploys
    :ivar deployed_id: a config that ``deployment_id`` deploys
    """

    options: typing.ClassVar = {
        "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True}
    }

    def setUp(self) -> None:
        super().setUp()
        self.owner = self.client_of(f"owner-{self.name}")
        self.member = self.client_of(f"member-{self.name}")
        self.config_id = self.config("loose-text")
        self.deployed_id = self.config("deployed-text")
        self.deployment_id = self.deploy(status="IN_PROGRESS")
        self.before = self.software()

    def client_of(self, project: str) -> rest.Client:
        base = self.client.endpoint.rpartition("/")[0]
        client = rest.Client(f"{base}/{project}", roles="member")
        self.addCleanup(client.close)
        return client

    def config(self, text: str) -> str:
        body = {
            "name": text,
            "config": text,
            "inputs": [{"name": "i", "value": f"{text}-input"}],
        }
        made = self.owner.ask("POST", "/software_configs", body)
        return str(typing.cast(Json, made)["software_config"]["id"])

    def deploy(self, **more: object) -> str:
        body = {
            "config_id": self.deployed_id,
            "server_id": "owners-server",
            "action": "CREATE",
            **more,
        }
        made = self.owner.ask("POST", "/software_deployments", body)
        deployment_id = typing.cast(Json, made)["software_deployment"]["id"]
        self.owner.ask(
            "PUT",
            f"/software_deployments/{deployment_id}",
            {"output_values": {"deploy_stdout": "told", "more": "more told"}},
        )
        return str(deployment_id)

    def software(self) -> list[object]:
        """Return what the owner has."""
        return [
            self.owner.ask("GET", f"/software_configs/{self.config_id}"),
            self.owner.ask("GET", f"/software_configs/{self.deployed_id}"),
            self.owner.ask(
                "GET", f"/software_deployments/{self.deployment_id}"
            ),
            self.owner.ask(
                "GET", "/software_deployments/metadata/owners-server"
            ),
        ]

    def ended(self, stack: rest.Stack) -> Json:
        """Return the stack once no operation of it is running."""

        def look() -> Json | None:
            found = self.member.show(stack)
            is_busy = str(found["stack_status"]).endswith("IN_PROGRESS")
            return None if is_busy else typing.cast(Json, found)

        return waiting.wait_for(look, "the stack ends")

    def adopt(self, kind: str, resource_id: str, **data: str) -> rest.Stack:
        """Return an adopted stack, once that has ended."""
        declared = deployment(f"server-{self.name}")
        if kind == _CONFIG:
            declared = {"type": kind, "properties": {"config": "mine"}}
        document = {
            "template": template(d=declared),
            "resources": {
                "d": {
                    "type": kind,
                    "resource_id": resource_id,
                    "resource_data": data,
                }
            },
        }
        self.take_name()
        answer = self.member.ask(
            "POST",
            "/stacks",
            {"stack_name": self.name, "adopt_stack_data": document},
        )
        stack = rest.Stack(self.name, typing.cast(Json, answer)["stack"]["id"])
        self.ended(stack)
        return stack

    def polled(self) -> object:
        """Return what the agent of the member's server gets."""
        path = f"/software_deployments/metadata/server-{self.name}"
        return typing.cast(Json, self.member.ask("GET", path))["metadata"]

    def check_refused(self, stack: rest.Stack, status: str) -> None:
        """Check that a stack failed, and that its end deletes nothing."""
        found = self.ended(stack)
        self.assertEqual(status, found["stack_status"])
        self.assertIn(
            "belongs to another project", found["stack_status_reason"]
        )
        self.member.delete(stack)
        self.member.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(self.before, self.software())

    def test_no_adoption_deploys_the_config_of_another_project(self) -> None:
        for config_id in (self.config_id, self.deployed_id):
            stack = self.adopt(_DEPLOYMENT, ids.new(), config_id=config_id)

            self.assertEqual([], self.polled())
            self.check_refused(stack, "ADOPT_FAILED")

    def test_no_external_id_deploys_the_config_of_another_project(
        self,
    ) -> None:
        stack = self.member.create(self.name, template())
        self.member.wait(stack, "CREATE_COMPLETE")
        given = {
            "resource_id": ids.new(),
            "resource_data": {"config_id": self.config_id},
        }
        body = {
            "template": template(d=deployment(f"server-{self.name}")),
            "external_ids": {"d": given},
        }

        self.member.ask("PUT", stack.path, body)

        self.ended(stack)
        self.assertEqual([], self.polled())
        self.check_refused(stack, "UPDATE_FAILED")

    def test_a_refused_adoption_deletes_nothing(self) -> None:
        """The row has the foreign id, and is deleted with the stack."""
        for kind, resource_id in (
            (_CONFIG, self.config_id),
            (_DEPLOYMENT, self.deployment_id),
        ):
            stack = self.adopt(kind, resource_id)

            self.check_refused(stack, "ADOPT_FAILED")

    def test_an_external_deployment_shows_what_its_project_has(self) -> None:
        shown = {
            name: {"value": {"get_attr": ["d", name]}}
            for name in ("deploy_stdout", "more")
        }
        declared = {
            **deployment("x", actions=["DELETE"]),
            "external_id": self.deployment_id,
        }
        for client, value in ((self.member, None), (self.owner, "told")):
            stack = client.create(self.name, template(shown, d=declared))
            client.wait(stack, "CREATE_COMPLETE")

            self.assertEqual(value, client.outputs(stack)["deploy_stdout"])
