"""What tests of the client library start from."""

import pathlib

import orchclient
from orchclient import models
from orchclient import operation_errors
from orchclient import operations
from orchclient import packaging
from tests.support import serving
from tests.support import world_templates

Json = world_templates.Json
Package = packaging.Package
declare_resource = world_templates.declare_resource
template = world_templates.template

INTERVAL_S = 0.05


class ClientTestCase(serving.WorldTestCase):
    """The library, and a server that acts on a world.

    :ivar orch: the client
    """

    def setUp(self) -> None:
        super().setUp()
        self.orch = orchclient.connect(endpoint=self.system.endpoint)
        self.addCleanup(self.orch.close)
        self.directory = self.make_directory()

    def write(self, name: str, text: str) -> pathlib.Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def create(
        self, wanted: Json | None = None, **files: str
    ) -> models.StackIdentity:
        """Return a stack that is complete, of three things by default."""
        source = Package(
            template=wanted or world_templates.chain(), files=files
        )
        stack = self.orch.stacks.create(self.name, source)
        self.wait(stack)
        return stack

    def create_failed(self, name: str = "b") -> models.StackIdentity:
        """Return a stack of three things of which one failed, once."""
        self.fail_once("create", name)
        source = Package(template=world_templates.chain())
        stack = self.orch.stacks.create(self.name, source)
        self.assertRaises(
            operation_errors.OperationFailedError, self.wait, stack
        )
        return stack

    def fail_once(self, act: str, name: str) -> None:
        self.world.order(
            self.name, act, name, how="permanent", moment="before", times=1
        )

    def wait(
        self, stack: models.Which, operation_id: str | None = None
    ) -> operations.Operation:
        return self.orch.waiters.wait(
            stack, operation_id, interval_s=INTERVAL_S, timeout_s=30
        )

    def status(self, stack: models.Which) -> str:
        return str(self.orch.stacks.show(stack).status)
