"""What tests of the scopes of ids share: two services with the same ids."""

import typing

from tests.support import rest
from tests.support import serving
from tests.unit.resources.http import service

Json = dict[str, typing.Any]


def template(**resources: Json) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": resources}


def removed(of: service.Service) -> list[str]:
    """Return the paths of what a service was told to remove."""
    return [each.path for each in of.requests if each.method == "DELETE"]


class ScopesTestCase(serving.ServerTestCase):
    """A server, and two services that both know things 1, 2 and 3."""

    options: typing.ClassVar = {
        "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True},
        **serving.options(),
    }

    def setUp(self) -> None:
        super().setUp()
        self.name = self.id().rpartition(".")[2].replace("_", "-")
        self.one = self.service()
        self.two = self.service()

    def service(self) -> service.Service:
        made = self.useFixture(service.Service())
        for number in "123":
            path = f"/things/{number}"
            made.answers["GET", path] = (200, {"id": number})
            made.answers["PUT", path] = (200, {})
            made.answers["DELETE", path] = (204, None)
        made.answers["POST", "/things"] = (201, {"id": "3"})
        return made

    def declare(self, url: object, **more: object) -> Json:
        return {
            "type": "Orch::HTTP::Resource",
            "properties": {
                "url": url,
                "create": {"path": "/things"},
                "read": {},
                **more,
            },
        }

    def adopt(
        self,
        wanted: Json,
        ids: Json,
        *,
        name: str = "",
        client: rest.Client | None = None,
        **body: object,
    ) -> rest.Stack:
        name = f"{self.name}{name}"
        client = client or self.client
        answer = client.ask(
            "POST",
            "/stacks",
            {
                "stack_name": name,
                "adopt_stack_data": {"template": wanted, "resources": ids},
                **body,
            },
        )
        made = rest.Stack(name, typing.cast(Json, answer)["stack"]["id"])
        self.addCleanup(self.delete, client, made)
        return made

    def adopted(
        self, wanted: Json, ids: Json, **more: typing.Any
    ) -> rest.Stack:
        stack = self.adopt(wanted, ids, **more)
        self.client.wait(stack, "ADOPT_COMPLETE")
        return stack

    def delete(self, client: rest.Client, stack: rest.Stack) -> None:
        if client.show(stack)["stack_status"] != "DELETE_COMPLETE":
            client.delete(stack)
            client.wait(stack, "DELETE_COMPLETE")

    def refusal(
        self, status: int, work: typing.Any, *given: object, **more: object
    ) -> str:
        error = self.assertRaises(rest.RefusedError, work, *given, **more)
        self.assertEqual(status, error.status)
        return error.message

    def update(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        self.client.ask("PUT", stack.path, {"template": wanted, **body})
