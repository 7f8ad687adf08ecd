"""The RPC contract: topic, namespaces, versions and the shapes that travel.

Every method is a *call* on topic :data:`TOPIC`, any worker answers, in the
namespace of its noun; ``operation.run`` alone is a *cast*. Arguments are
keywords. What travels is JSON: strings, numbers, booleans, null, lists and
maps; moments are seconds since 1970 UTC (``orch.clock``). The shapes stand one
noun a module below; readers use them from here.

==========  =====================================================
namespace   methods (arguments) -> answer
==========  =====================================================
stack       identify(name_or_id) -> StackIdentity
            list(query: StackQuery) -> list[StackFacts]
            count(query: StackQuery) -> int
            show(stack_id, resolve_outputs=True) -> StackFacts
            create(name, inputs: StackInputs, options: StackOptions)
            -> Accepted
            update(stack_id, inputs, options) -> Accepted
            delete(stack_id, options) -> Accepted, or null when already gone
            retry(stack_id, options) -> Accepted
            act(stack_id, action: SUSPEND, RESUME or CHECK, options)
            -> Accepted, or null when there is nothing to do
            cancel(stack_id, rolls_back) -> Accepted: the operation that
            goes back, or the one that ends
            template(stack_id) -> map; environment(stack_id) -> map;
            files(stack_id) -> map of name to text
            outputs(stack_id) -> list[OutputFacts] without values
            output(stack_id, key) -> OutputFacts
resource    list(stack_id, nested_depth=0, with_attributes=False,
            filters: map of str to list of str) -> list[ResourceFacts]
            show(stack_id, name, with_attributes: list of str)
            -> ResourceFacts with ``attributes``
            metadata(stack_id, name) -> map
            find_stack(physical_id) -> StackIdentity
            signal(stack_id, name, details: any, resource_id=None,
            signal_id=None, hops=0) -> Signalled; resource_id: the one
            incarnation that is meant; signal_id, hops: of a signal that was
            passed on
            revoke_addresses(stack_id, name) -> null
            mark_unhealthy(stack_id, name, is_unhealthy, reason) -> null;
            name: of the resource, or its physical id; reason: str or null
event       list(stack_id, resource_name=None, query: EventQuery)
            -> list[EventFacts]
            show(stack_id, resource_name, event_id) -> EventFacts with
            ``resource_properties``
            follow(stack_id, after=None, nested_depth=0) -> FollowedFacts;
            after: position or id of the last event seen
template    validate(inputs: StackInputs, show_nested=False,
            ignore_errors: list of str) -> map, Heat's answer of /validate
            files(container, without: list of str, max_bytes) -> map of name
            to text: what a container of the caller holds in Swift
            versions() -> list of {version, type, aliases}
            functions(version, with_condition_func=False)
            -> list of {functions, description}
type        list(filters: map, with_description=False)
            -> list of str, or of {resource_type, description}
            show(type_name, with_description=False) -> map, Heat's answer of
            /resource_types/{t}
            template(type_name, template_type) -> map
operation   run(operation_id)   (cast)
            run_some(operation_ids: list of str)   (cast)
            child_ended(stack_id, child_id)   (to all workers)
            list(stack_id) -> list[OperationFacts]
            show(stack_id, operation_id) -> OperationFacts with ``steps``,
            ``resources``, ``failed_resources`` and ``child_holds``
plan        create(stack_id, request: PlanRequest) -> SavedPlanFacts
            list(stack_id) -> list[SavedPlanFacts] without ``plan``
            show(stack_id, plan_id) -> SavedPlanFacts
            delete(stack_id, plan_id) -> null
            apply(stack_id, plan_id) -> Accepted
            preview_create(name, inputs, options) -> StackFacts with
            ``resources`` and ``plan``
            preview_update(stack_id, inputs, options) -> UpdatePreview
            preview_adoption(name, data, inputs, options, request)
            -> StackFacts with ``resources`` and ``plan``
snapshot    create(stack_id, name, options) -> SnapshotBegun; name: str or
            null
            list(stack_id) -> list[SnapshotFacts]
            show(stack_id, snapshot_id) -> SnapshotFacts
            delete(stack_id, snapshot_id) -> null
            restore(stack_id, snapshot_id, options) -> Accepted
adoption    adopt(name, data, inputs, options, request: AdoptionOptions)
            -> Accepted; data: the document of a stack, map or text
            export(stack_id, secrets=None) -> map
            prepare(stack_id, secrets=None) -> AbandonFacts
            commit(stack_id, token=None, secrets=None) -> AbandonFacts;
            token: null for what was not prepared; secrets: SecretsRequest,
            null for clear text
            show(stack_id, secrets=None) -> map: the document of an
            abandoned stack
            show_addresses(stack_id) -> map: the announcement of where the
            addresses of an adopted stack are
            list_forwarded(stack_id) -> ForwardingFacts of an abandoned one
            announce(stack_id, document: map) -> ForwardingFacts
            generate(request: GenerationRequest) -> GenerationFacts
lifecycle   list() -> list[LifecyclePluginFacts]
            holds() -> list[OpenHoldFacts], of the project
            approve(stack_id, text="", operation_id=None) -> Accepted: the
            operation that goes on; operation_id: that is meant, null for
            whichever is held
            reject(stack_id, text="", operation_id=None) -> Accepted: the
            operation that is to fail
move        move(stack_id, request: MoveRequest) -> Moved
            preview(stack_id, request: MoveRequest) -> MovePreview
drift       observe(stack_id) -> DriftRequested
            show(stack_id, states: list of str) -> DriftFacts; states: of
            resources, none for all
            show_policy(stack_id) -> map; set_policy(stack_id, policy: map)
            -> map
            accept(stack_id, paths=None) -> AcceptedDrift; paths: of
            resources, null for all that have drifted
            template(stack_id) -> DriftTemplate
service     list() -> list[ServiceFacts]
            revision() -> str
==========  =====================================================

===================  ============================================
namespace            methods (arguments) -> answer
===================  ============================================
software_config      list(limit, marker, all_projects=False)
                     -> list[SoftwareConfigFacts] without what they
                     say; limit: int or null; marker: str or null
                     create(request: SoftwareConfigRequest)
                     -> SoftwareConfigFacts
                     show(config_id) -> SoftwareConfigFacts
                     delete(config_id) -> null
software_deployment  list(server_id: str or null)
                     -> list[SoftwareDeploymentFacts]
                     poll(server_id) -> PolledFacts
                     metadata(server_id) -> its ``configs``, for an API of an
                     earlier release
                     create(request: SoftwareDeploymentRequest)
                     -> SoftwareDeploymentFacts
                     show(deployment_id) -> SoftwareDeploymentFacts
                     update(deployment_id, request)
                     -> SoftwareDeploymentFacts
                     delete(deployment_id) -> null
===================  ============================================

===================  ============================================
document             list_stacks(after, limit) -> list of str
                     read(stack_ids: list of str)
                     -> list[StackDocumentsFacts]
                     versions(stack_ids: list of str) -> int by id
                     resources(stack_id, after) -> ResourceDocumentsFacts
                     orphans(after, rest) -> list[OrphansFacts]
===================  ============================================

The search service answers calls on :data:`SEARCH_TOPIC`:

===================  ============================================
search               query(request: SearchRequest, scope: SearchScope)
                     -> SearchFacts
                     fields(scope: SearchScope, kinds: list of str)
                     -> list[SearchField]
                     facets(request: FacetsRequest, scope: SearchScope)
                     -> list[TypeFacets]
                     plugins() -> list[SearchPluginFacts]
                     status() -> SearchStatus
                     refill(from_nothing=False) -> SearchStatus
===================  ============================================

A stack, resource, event, operation or anything else that does not exist, or
belongs to another project, is an ``orch.errors.NotFound``.

The context of a call may say what the call depends on
(``orch.context.request``): ``address``, the name that the stack of an id must
have, or there is no such stack; ``condition``, the revision that it must have.
"""

from orch.rpc.contract.adoption import AbandonFacts
from orch.rpc.contract.adoption import AdoptionOptions
from orch.rpc.contract.adoption import ForwardedAddress
from orch.rpc.contract.adoption import ForwardingFacts
from orch.rpc.contract.adoption import GenerationFacts
from orch.rpc.contract.adoption import GenerationRequest
from orch.rpc.contract.adoption import ListingRequest
from orch.rpc.contract.adoption import OmittedResource
from orch.rpc.contract.adoption import PhysicalResource
from orch.rpc.contract.adoption import SecretsRequest
from orch.rpc.contract.drift import AcceptedDrift
from orch.rpc.contract.drift import DifferenceFacts
from orch.rpc.contract.drift import DriftChange
from orch.rpc.contract.drift import DriftFacts
from orch.rpc.contract.drift import DriftRequested
from orch.rpc.contract.drift import DriftResourceFacts
from orch.rpc.contract.drift import DriftSummary
from orch.rpc.contract.drift import DriftTemplate
from orch.rpc.contract.drift import ResourceDrift
from orch.rpc.contract.drift import StackDriftFacts
from orch.rpc.contract.events import EventFacts
from orch.rpc.contract.events import EventQuery
from orch.rpc.contract.events import FollowedEvent
from orch.rpc.contract.events import FollowedFacts
from orch.rpc.contract.identity import Accepted
from orch.rpc.contract.identity import StackIdentity
from orch.rpc.contract.lifecycle import CallFacts
from orch.rpc.contract.lifecycle import ChildHoldFacts
from orch.rpc.contract.lifecycle import HoldFacts
from orch.rpc.contract.lifecycle import LifecyclePluginFacts
from orch.rpc.contract.lifecycle import OpenHoldFacts
from orch.rpc.contract.lifecycle import VerdictFacts
from orch.rpc.contract.moves import Moved
from orch.rpc.contract.moves import MovePreview
from orch.rpc.contract.moves import MoveRequest
from orch.rpc.contract.moves import MoveUpdate
from orch.rpc.contract.operations import AttemptFacts
from orch.rpc.contract.operations import FailureFacts
from orch.rpc.contract.operations import OperationFacts
from orch.rpc.contract.operations import ProgressFacts
from orch.rpc.contract.operations import StepFacts
from orch.rpc.contract.plans import ChangeFacts
from orch.rpc.contract.plans import PlanFacts
from orch.rpc.contract.plans import PlanRequest
from orch.rpc.contract.plans import PropertyChange
from orch.rpc.contract.plans import SavedPlanFacts
from orch.rpc.contract.requests import AdoptionRequest
from orch.rpc.contract.requests import StackInputs
from orch.rpc.contract.requests import StackOptions
from orch.rpc.contract.resources import Previewed
from orch.rpc.contract.resources import ResourceFacts
from orch.rpc.contract.resources import Signalled
from orch.rpc.contract.search import DocumentFacts
from orch.rpc.contract.search import FacetRequest
from orch.rpc.contract.search import FacetsRequest
from orch.rpc.contract.search import FacetValue
from orch.rpc.contract.search import HitFacts
from orch.rpc.contract.search import OrphansFacts
from orch.rpc.contract.search import OrphansRest
from orch.rpc.contract.search import ResourceDocumentsFacts
from orch.rpc.contract.search import SearchFacts
from orch.rpc.contract.search import SearchField
from orch.rpc.contract.search import SearchPluginFacts
from orch.rpc.contract.search import SearchRequest
from orch.rpc.contract.search import SearchScope
from orch.rpc.contract.search import SearchStatus
from orch.rpc.contract.search import SortRequest
from orch.rpc.contract.search import StackDocumentsFacts
from orch.rpc.contract.search import StatisticsFacts
from orch.rpc.contract.search import TypeFacets
from orch.rpc.contract.search import UnlistedFacts
from orch.rpc.contract.search import UnlistedTypeFacts
from orch.rpc.contract.services import ServiceFacts
from orch.rpc.contract.snapshots import SnapshotBegun
from orch.rpc.contract.snapshots import SnapshotFacts
from orch.rpc.contract.software import PolledFacts
from orch.rpc.contract.software import SoftwareConfigFacts
from orch.rpc.contract.software import SoftwareConfigRequest
from orch.rpc.contract.software import SoftwareDeploymentFacts
from orch.rpc.contract.software import SoftwareDeploymentRequest
from orch.rpc.contract.stacks import OutputFacts
from orch.rpc.contract.stacks import StackFacts
from orch.rpc.contract.stacks import StackQuery
from orch.rpc.contract.stacks import UpdatePreview
from orch.rpc.contract.versions import VERSION
from orch.rpc.contract.versions import needed

__all__ = [
    "NAMESPACES",
    "SEARCH_TOPIC",
    "TOPIC",
    "VERSION",
    "AbandonFacts",
    "Accepted",
    "AcceptedDrift",
    "AdoptionOptions",
    "AdoptionRequest",
    "AttemptFacts",
    "CallFacts",
    "ChangeFacts",
    "ChildHoldFacts",
    "DifferenceFacts",
    "DocumentFacts",
    "DriftChange",
    "DriftFacts",
    "DriftRequested",
    "DriftResourceFacts",
    "DriftSummary",
    "DriftTemplate",
    "EventFacts",
    "EventQuery",
    "FacetRequest",
    "FacetValue",
    "FacetsRequest",
    "FailureFacts",
    "FollowedEvent",
    "FollowedFacts",
    "ForwardedAddress",
    "ForwardingFacts",
    "GenerationFacts",
    "GenerationRequest",
    "HitFacts",
    "HoldFacts",
    "LifecyclePluginFacts",
    "ListingRequest",
    "MovePreview",
    "MoveRequest",
    "MoveUpdate",
    "Moved",
    "OmittedResource",
    "OpenHoldFacts",
    "OperationFacts",
    "OrphansFacts",
    "OrphansRest",
    "OutputFacts",
    "PhysicalResource",
    "PlanFacts",
    "PlanRequest",
    "PolledFacts",
    "Previewed",
    "ProgressFacts",
    "PropertyChange",
    "ResourceDocumentsFacts",
    "ResourceDrift",
    "ResourceFacts",
    "SavedPlanFacts",
    "SearchFacts",
    "SearchField",
    "SearchPluginFacts",
    "SearchRequest",
    "SearchScope",
    "SearchStatus",
    "SecretsRequest",
    "ServiceFacts",
    "Signalled",
    "SnapshotBegun",
    "SnapshotFacts",
    "SoftwareConfigFacts",
    "SoftwareConfigRequest",
    "SoftwareDeploymentFacts",
    "SoftwareDeploymentRequest",
    "SortRequest",
    "StackDocumentsFacts",
    "StackDriftFacts",
    "StackFacts",
    "StackIdentity",
    "StackInputs",
    "StackOptions",
    "StackQuery",
    "StatisticsFacts",
    "StepFacts",
    "TypeFacets",
    "UnlistedFacts",
    "UnlistedTypeFacts",
    "UpdatePreview",
    "VerdictFacts",
    "needed",
]

TOPIC = "orch-engine"
SEARCH_TOPIC = "orch-search"
NAMESPACES = (
    "stack",
    "resource",
    "event",
    "template",
    "type",
    "operation",
    "plan",
    "snapshot",
    "adoption",
    "lifecycle",
    "move",
    "drift",
    "software_config",
    "software_deployment",
    "service",
    "document",
)
