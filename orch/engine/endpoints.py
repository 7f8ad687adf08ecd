"""The list of all RPC endpoints of a worker: one class a noun.

Endpoints translate and decide nothing. Each is in the package of its noun,
with the use cases that it calls.
"""

from orch.engine import dependencies
from orch.engine.adoption import endpoint as adoption_endpoint
from orch.engine.drift import endpoint as drift_endpoint
from orch.engine.events import endpoint as event_endpoint
from orch.engine.lifecycle import endpoint as lifecycle_endpoint
from orch.engine.moves import endpoint as move_endpoint
from orch.engine.operations import endpoint as operation_endpoint
from orch.engine.plans import endpoint as plan_endpoint
from orch.engine.resources import endpoint as resource_endpoint
from orch.engine.search_documents import endpoint as search_document_endpoint
from orch.engine.services import endpoint as service_endpoint
from orch.engine.snapshots import endpoint as snapshot_endpoint
from orch.engine.software import configs_endpoint
from orch.engine.software import deployments_endpoint
from orch.engine.stacks import endpoint as stack_endpoint
from orch.engine.templates import endpoint as template_endpoint
from orch.engine.templates import types_endpoint


def build_endpoints(deps: dependencies.Dependencies) -> list[object]:
    """Return the RPC endpoints of all namespaces."""
    return [
        stack_endpoint.Stacks(deps),
        resource_endpoint.Resources(deps),
        event_endpoint.Events(deps),
        template_endpoint.Templates(deps),
        types_endpoint.ResourceTypes(deps),
        operation_endpoint.Operations(deps),
        plan_endpoint.Plans(deps),
        snapshot_endpoint.Snapshots(deps),
        adoption_endpoint.Adoption(deps),
        lifecycle_endpoint.Lifecycle(deps),
        move_endpoint.Moves(deps),
        drift_endpoint.Drift(deps),
        configs_endpoint.SoftwareConfigs(deps),
        deployments_endpoint.SoftwareDeployments(deps),
        service_endpoint.Services(deps),
        search_document_endpoint.Documents(deps),
    ]
