"""Which servers are told of what changes, on each database."""

import dataclasses
import typing

import testscenarios

from orch import errors
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine.software import publish as software_publish
from orch.engine.software import store as software_store
from orch.model import resource
from orch.model import states
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import software as port
from orch.resources.heat import value
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class _Server(port.SoftwareServer):
    """Notes whom it tells, or cannot."""

    type_name = "Test::Server"

    def __init__(self) -> None:
        self.notified: list[call_context.Context] = []
        self.is_down = False

    def agent(self, context: call_context.Context) -> port.Values:
        return {}

    def publish(self, context: call_context.Context) -> None:
        if self.is_down:
            raise errors.Transient("down")
        self.notified.append(context)


class _Types:
    def __init__(self, server: _Server) -> None:
        self._server = server

    def find(self, type_name: str) -> object:
        if type_name == _Server.type_name:
            return self._server
        return value.Value if type_name == "OS::Heat::Value" else None


class PublishingTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.server = _Server()
        self.types = typing.cast(registry.Types, _Types(self.server))

    def made(
        self, project_id: str = "demo", **given: object
    ) -> resource.Resource:
        """Return a server of a stack of its own."""
        stack = base.make_stack(project_id=project_id)
        row = dataclasses.replace(
            base.make_resource(
                stack_id=stack.id,
                type_name=_Server.type_name,
                physical_id="web",
            ),
            **given,
        )
        with self.database.write() as connection:
            stacks.insert(connection, stack)
            resources.save_many(connection, [row])
        return row

    def publish(self, project_id: str = "demo", server: str = "web") -> None:
        software_publish.publish_configs(
            self.types, self.database, project_id, server
        )

    def notified_tokens(self) -> list[str]:
        return [each.token for each in self.server.notified]

    def test_the_server_of_the_project_is_told(self) -> None:
        row = self.made()
        self.made(project_id="other")
        self.made(type_name="OS::Heat::Value")
        self.made(physical_id="db")
        self.made(action=states.Action.DELETE, status=states.Status.COMPLETE)

        self.publish()

        self.assertEqual([row.id], self.notified_tokens())
        self.assertEqual("demo", self.server.notified[0].stack_project)

    def test_a_server_that_nobody_knows_is_nobody(self) -> None:
        self.made()
        for unknown in ("elsewhere", "\0", "x" * 5000):
            self.publish(server=unknown)
        self.assertEqual([], self.notified_tokens())

    def test_what_cannot_be_told_is_the_callers(self) -> None:
        self.made()
        self.server.is_down = True
        store = software_store.SoftwareStore(self.database, types=self.types)
        self.assertRaises(errors.Transient, store.publish, "demo", "web")
        self.server.is_down = False
        store.publish("demo", "web")
        self.assertEqual(1, len(self.notified_tokens()))
