import time
import uuid

from orch import errors
from orch.engine import endpoints
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc import server
from orch.rpc import transport
from orch.rpc.contract import methods
from tests.functional.rpc import worker

TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "resources": {"web": {"type": "Test::Server"}},
}


class BusTest(worker.TestCase):
    """The endpoints behind a real server and a real client."""

    def setUp(self) -> None:
        super().setUp()
        url = f"orch-inproc:///{uuid.uuid4().hex}"
        served = transport.build_transport(self.conf, url)
        self.addCleanup(served.cleanup)
        self.endpoints = endpoints.build_endpoints(self.deps)
        answering = server.build_server(served, "worker", self.endpoints, 2)
        answering.serve()
        self.addCleanup(answering.stop)
        calling = transport.build_transport(self.conf, url)
        self.addCleanup(calling.cleanup)
        self.asking = transport.Caller(calling, 30)
        self.stacks = proxy.proxy(contract.Stacks, self.asking)
        self.operations = proxy.proxy(contract.Operations, self.asking)

    def test_a_stack_goes_the_whole_way(self) -> None:
        stack_id = self.create(TEMPLATE)
        found = self.stacks.show(self.ann, stack_id)
        self.assertEqual("app", found["name"])

        error = self.assertRaises(
            errors.NotFound, self.stacks.show, self.eve, stack_id
        )
        self.assertEqual("orch.stack.not_found", error.code)

        (operation,) = self.operations.list(self.ann, stack_id)
        self.operations.run(self.ann, operation["id"])
        end = time.monotonic() + 10
        while not self.conductor.woken and time.monotonic() < end:
            time.sleep(0.005)
        self.assertEqual([operation["id"]], self.conductor.woken)

    def test_every_method_of_the_contract_is_served(self) -> None:
        served = {each.target.namespace: each for each in self.endpoints}

        for kind in contract.NAMESPACES:
            found = methods.read_namespace(kind)
            endpoint = served.pop(found.name)
            for each in found.methods:
                method = getattr(endpoint, each.name, None)
                self.assertTrue(callable(method), f"{found.name}.{each.name}")
        self.assertEqual({}, served)

    def test_nothing_else_is_served(self) -> None:
        for name in ("_run", "retrieve", "__init__"):
            self.assertRaises(
                errors.OrchError, self.asking.call, self.ann, "stack", name
            )
