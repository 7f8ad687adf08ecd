"""A reader looks, and begins nothing."""

import typing

from tests.support import rest
from tests.support import serving
from tests.support import waiting

Json = dict[str, typing.Any]

_HELD: typing.Final = {
    "resource_registry": {"resources": {"a": {"hooks": "pre-create"}}}
}


def template(**resources: object) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": resources}


class ReaderTests(serving.WorldTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clients = {
            role: rest.Client(self.client.endpoint, roles=role)
            for role in ("reader", "member", "heat_stack_user")
        }
        for each in self.clients.values():
            self.addCleanup(each.close)

    def refused(self, role: str, path: str, body: Json) -> None:
        error = self.assertRaises(
            rest.RefusedError, self.clients[role].ask, "POST", path, body
        )
        self.assertEqual((403, "Forbidden"), (error.status, error.type))

    def test_no_reader_begins_a_check_or_a_look(self) -> None:
        stack = self.client.create(
            self.name, template(a={"type": "Test::World::Thing"})
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        before = len(self.operations(stack))

        for action in ("check", "observe"):
            body: Json = {action: None}
            self.refused("reader", f"{stack.path}/actions", body)
            self.refused("heat_stack_user", f"{stack.path}/actions", body)
        self.refused("reader", f"{stack.path}/plans", {"action": "check"})

        self.assertEqual(before, len(self.operations(stack)))
        self.clients["member"].ask(
            "POST", f"{stack.path}/actions", {"check": None}
        )
        self.client.wait(stack, "CHECK_COMPLETE")

    def test_no_reader_lets_a_breakpoint_go(self) -> None:
        stack = self.client.create(
            self.name,
            template(a={"type": "Test::World::Thing"}),
            environment=_HELD,
        )
        path = f"{stack.path}/resources/a/signal"
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "BLOCKED",
            "the breakpoint is reached",
        )

        self.refused("reader", path, {"unset_hook": "pre-create"})

        self.assertEqual([], self.names())
        self.clients["member"].ask("POST", path, {"unset_hook": "pre-create"})
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_no_reader_signals_as_users_of_stacks_do(self) -> None:
        handle = {"type": "OS::Heat::WaitConditionHandle"}
        stack = self.client.create(self.name, template(handle=handle))
        self.client.wait(stack, "CREATE_COMPLETE")
        path = f"{stack.path}/resources/handle/signal"

        self.refused("reader", path, {"id": "reader"})
        for role in ("member", "heat_stack_user"):
            self.clients[role].ask("POST", path, {"id": role})

        found = self.client.ask("GET", f"{stack.path}/resources/handle")
        attributes = typing.cast(Json, found)["resource"]["attributes"]
        self.assertNotIn("reader", str(attributes))
