"""No template or document takes what another project has."""

import json
import typing
import uuid

from tests.functional import projects_apart
from tests.functional import two_projects
from tests.support import rest
from tests.support import waiting

Json = two_projects.Json

_LOOSE: typing.Final = {
    "OS::Heat::SoftwareConfig": "spare_id",
    "OS::Heat::SoftwareDeployment": "deployment_id",
}
"""What a type would take that no stack has."""
_SHOWN: typing.Final = (
    "",
    "/resources",
    "/outputs",
    "/events",
    "/template",
    "/environment",
)
"""Addresses below a stack that has taken something."""


class TemplateTests(projects_apart.ApartTestCase):
    """Templates and documents that name what the left project has."""

    def test_no_stack_comes_to_have_what_is_another_project_s(self) -> None:
        member = self.client_of("member", two_projects.RIGHT)
        shown = self.shown()
        stacks = {
            row["id"]
            for row in self.before["stacks"]
            if row["project_id"] == two_projects.LEFT
        }
        made = []
        for row in self.before["resources"]:
            if row["stack_id"] in stacks and row["physical_id"]:
                made += self.takings(row)
                made += self.software_takings(row)
        made.append(self.deploying())
        accepted = []
        for number, body in enumerate(made):
            name = f"taking{number}"
            try:
                answer = member.ask(
                    "POST", "/stacks", {"stack_name": name, **body}
                )
            except rest.RefusedError as error:
                self.assertLess(error.status, 500, (body, error.body))
                continue
            found = typing.cast(Json, answer)["stack"]["id"]
            accepted.append((rest.Stack(name, found), body))
        self.assertTrue(accepted)
        for stack, body in accepted:
            waiting.wait_for(
                lambda stack=stack: (
                    "PROGRESS" not in member.show(stack)["stack_status"]
                ),
                stack.name,
            )
            self.check_shown(member, stack, body)
            member.delete(stack)
            member.wait(stack, "DELETE_COMPLETE")
        self.assert_apart(self.before)
        self.assertEqual(shown, self.shown())

    def takings(self, row: Json) -> list[Json]:
        """Return bodies of stacks that are to take over a resource."""
        kind = row["type_name"]
        files = {}
        if kind.endswith(".yaml"):
            files = {kind: json.dumps(projects_apart.EMPTY)}
        resource: Json = {"type": kind}
        if row["properties"]:
            resource["properties"] = json.loads(row["properties"])
        wanted = {
            **projects_apart.EMPTY,
            "resources": {"taken": resource},
            "outputs": self.outputs(kind),
        }
        outside = {**resource, "external_id": row["physical_id"]}
        data = json.loads(row["data"] or "{}")
        given = [(row["physical_id"], {}), (str(uuid.uuid4()), data)]
        for key in data:
            for mark in (
                self.theirs["config_id"],
                self.theirs["spare_id"],
                self.theirs["deployment_id"],
            ):
                given.append((str(uuid.uuid4()), {**data, key: mark}))
        return [
            {
                "template": {**wanted, "resources": {"taken": outside}},
                "files": files,
            },
            *(
                {
                    "adopt_stack_data": json.dumps(
                        _document(row, wanted, files, *each)
                    ),
                    "files": files,
                }
                for each in given
            ),
        ]

    def software_takings(self, row: Json) -> list[Json]:
        """Return bodies of stacks that take what no stack has.

        :param row: one of a type of software, else there are none
        """
        key = _LOOSE.get(row["type_name"])
        if key is None:
            return []
        loose = {**row, "physical_id": self.theirs[key]}
        return self.takings(loose)

    def outputs(self, kind: str) -> Json:
        """Return outputs that show all attributes of a resource."""
        names = []
        if not kind.endswith(".yaml"):
            shown = self.client_of("member", two_projects.RIGHT).ask(
                "GET", f"/resource_types/{kind}"
            )
            names = [*typing.cast(Json, shown)["attributes"]]
        if kind == "OS::Heat::SoftwareDeployment":
            names.append(two_projects.OUTPUT)
        return {
            name: {"value": {"get_attr": ["taken", name]}} for name in names
        }

    def deploying(self) -> Json:
        """Return a body of a stack that deploys to another's server."""
        own = {
            "type": "OS::Heat::SoftwareConfig",
            "properties": {"config": "intruder-script"},
        }
        deployment = {
            "type": "OS::Heat::SoftwareDeployment",
            "properties": {
                "config": {"get_resource": "own"},
                "server": self.theirs["server_id"],
                "signal_transport": "NO_SIGNAL",
            },
        }
        return {
            "template": {
                **projects_apart.EMPTY,
                "resources": {"own": own, "deployment": deployment},
            }
        }

    def check_shown(
        self, member: rest.Client, stack: rest.Stack, body: Json
    ) -> None:
        """Check that a stack of the right project shows no mark."""
        server_id = self.theirs["server_id"]
        told = {server_id, *two_projects.texts(body)}
        paths = [f"{stack.path}{end}" for end in _SHOWN]
        for name in member.resources(stack):
            paths.append(f"{stack.path}/resources/{name}")
            paths.append(f"{stack.path}/resources/{name}/metadata")
        for output in member.show(stack).get("outputs", []):
            paths.append(f"{stack.path}/outputs/{output['output_key']}")
        paths.append(f"/software_deployments/metadata/{server_id}")
        for path in paths:
            said = json.dumps(member.ask("GET", path))
            for found in (each for each in self.marks if each in said):
                if not any(found in each for each in told):
                    self.fail(f"{found} in {path}: {said[:2000]}")


def _document(
    row: Json, wanted: Json, files: Json, resource_id: str, data: Json
) -> Json:
    """Return a document of a stack that is to have a resource."""
    return {
        "action": "CREATE",
        "status": "COMPLETE",
        "name": "taken",
        "stack_id": row["stack_id"],
        "project_id": two_projects.LEFT,
        "stack_user_project_id": two_projects.LEFT,
        "template": wanted,
        "environment": {},
        "files": files,
        "resources": {
            "taken": {
                "name": "taken",
                "type": row["type_name"],
                "resource_id": resource_id,
                "status": "COMPLETE",
                "action": "CREATE",
                "metadata": {},
                "resource_data": data,
            }
        },
    }
