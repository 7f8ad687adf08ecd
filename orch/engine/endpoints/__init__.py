"""What the bus reaches of a worker: one class a noun, as the contract says.

Endpoints translate and decide nothing; the use cases are in
``orch.engine.operations``, those of documents in ``orch.engine.documents``.
"""

from orch.engine import dependencies
from orch.engine.endpoints import adoption
from orch.engine.endpoints import documents
from orch.engine.endpoints import drift
from orch.engine.endpoints import events
from orch.engine.endpoints import lifecycle
from orch.engine.endpoints import moves
from orch.engine.endpoints import operations
from orch.engine.endpoints import plans
from orch.engine.endpoints import resource_types
from orch.engine.endpoints import resources
from orch.engine.endpoints import services
from orch.engine.endpoints import snapshots
from orch.engine.endpoints import software_configs
from orch.engine.endpoints import software_deployments
from orch.engine.endpoints import stacks
from orch.engine.endpoints import templates


def build(deps: dependencies.Dependencies) -> list[object]:
    """Return the endpoints of all namespaces."""
    return [
        stacks.Stacks(deps),
        resources.Resources(deps),
        events.Events(deps),
        templates.Templates(deps),
        resource_types.ResourceTypes(deps),
        operations.Operations(deps),
        plans.Plans(deps),
        snapshots.Snapshots(deps),
        adoption.Adoption(deps),
        lifecycle.Lifecycle(deps),
        moves.Moves(deps),
        drift.Drift(deps),
        software_configs.SoftwareConfigs(deps),
        software_deployments.SoftwareDeployments(deps),
        services.Services(deps),
        documents.Documents(deps),
    ]
