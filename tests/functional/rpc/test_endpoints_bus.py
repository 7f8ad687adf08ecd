import time
import uuid

from orch import errors
from orch.engine import endpoints
from orch.rpc import contract
from orch.rpc import server
from orch.rpc import transport
from orch.rpc.clients import adoption
from orch.rpc.clients import caller
from orch.rpc.clients import documents
from orch.rpc.clients import drift
from orch.rpc.clients import events
from orch.rpc.clients import lifecycle
from orch.rpc.clients import moves
from orch.rpc.clients import operations
from orch.rpc.clients import plans
from orch.rpc.clients import resource_types
from orch.rpc.clients import resources
from orch.rpc.clients import services
from orch.rpc.clients import snapshots
from orch.rpc.clients import software_configs
from orch.rpc.clients import software_deployments
from orch.rpc.clients import stacks
from orch.rpc.clients import templates
from tests.functional.rpc import worker

TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "resources": {"web": {"type": "Test::Server"}},
}

CLIENTS: tuple[type[caller.Client], ...] = (
    adoption.Adoption,
    documents.Documents,
    drift.Drift,
    events.Events,
    lifecycle.Lifecycle,
    moves.Moves,
    operations.Operations,
    plans.Plans,
    resource_types.ResourceTypes,
    resources.Resources,
    services.Services,
    snapshots.Snapshots,
    software_configs.SoftwareConfigs,
    software_deployments.SoftwareDeployments,
    stacks.Stacks,
    templates.Templates,
)


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
        asking = transport.Caller(calling, 30)
        self.stacks = stacks.Stacks(asking)
        self.operations = operations.Operations(asking)

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

    def test_every_namespace_of_the_contract_is_served_once(self) -> None:
        served = [each.target.namespace for each in self.endpoints]

        self.assertEqual(sorted(contract.NAMESPACES), sorted(served))

    def test_every_method_of_the_clients_is_served(self) -> None:
        served = {each.target.namespace: each for each in self.endpoints}
        asked = [
            (client.namespace, name)
            for client in CLIENTS
            for name in vars(client)
            if not name.startswith("_") and name != "namespace"
        ]

        self.assertEqual(set(contract.NAMESPACES), {each for each, _ in asked})
        for namespace, name in asked:
            method = getattr(served[namespace], name, None)
            self.assertTrue(callable(method), f"{namespace}.{name}")
