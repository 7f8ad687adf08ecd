"""The RPC contract: topics, namespaces, versions and the shapes that travel.

Each noun has a module with the shapes that travel and its namespace: a
``typing.Protocol``, whose methods a client calls and a worker serves. Any
worker answers, on topic :data:`TOPIC`; the search service answers on
:data:`SEARCH_TOPIC`. Arguments are keywords. What travels is JSON: strings,
numbers, booleans, null, lists and maps; moments are seconds since 1970 UTC
(``orch.clock``). Readers use all of it from here.

To add a method, write it in its Protocol with a mark of
``orch.rpc.contract.methods``, and its function in the table of what serves it
(``orch.engine.endpoints``).

A stack, resource, event, operation or anything else that does not exist, or
belongs to another project, is an ``orch.errors.NotFound``.

The context of a call may say what the call depends on
(``orch.context.request``): ``address``, the name that the stack of an id must
have, or there is no such stack; ``condition``, the revision that it must have.
"""

import typing

from orch.rpc.contract.adoption import AbandonFacts
from orch.rpc.contract.adoption import Adoption
from orch.rpc.contract.adoption import AdoptionRequest
from orch.rpc.contract.adoption import ForwardedAddress
from orch.rpc.contract.adoption import ForwardingFacts
from orch.rpc.contract.adoption import GenerationFacts
from orch.rpc.contract.adoption import GenerationRequest
from orch.rpc.contract.adoption import ListingRequest
from orch.rpc.contract.adoption import OmittedResource
from orch.rpc.contract.adoption import PhysicalResource
from orch.rpc.contract.adoption import SecretsRequest
from orch.rpc.contract.drift import DRIFT_ENDS
from orch.rpc.contract.drift import DRIFT_LOOKS
from orch.rpc.contract.drift import DRIFT_POLICIES
from orch.rpc.contract.drift import DRIFT_STATES
from orch.rpc.contract.drift import AcceptedDrift
from orch.rpc.contract.drift import DifferenceFacts
from orch.rpc.contract.drift import Drift
from orch.rpc.contract.drift import DriftChange
from orch.rpc.contract.drift import DriftFacts
from orch.rpc.contract.drift import DriftHistory
from orch.rpc.contract.drift import DriftPause
from orch.rpc.contract.drift import DriftRequested
from orch.rpc.contract.drift import DriftResourceFacts
from orch.rpc.contract.drift import DriftSummary
from orch.rpc.contract.drift import DriftTemplate
from orch.rpc.contract.drift import HistoryEntry
from orch.rpc.contract.drift import OmittedChange
from orch.rpc.contract.drift import PlaceDifferenceFacts
from orch.rpc.contract.drift import ResourceDrift
from orch.rpc.contract.drift import StackDriftFacts
from orch.rpc.contract.drift import UncoveredProperty
from orch.rpc.contract.drift import UndoneAcceptances
from orch.rpc.contract.events import EventFacts
from orch.rpc.contract.events import EventQuery
from orch.rpc.contract.events import Events
from orch.rpc.contract.events import FollowedEvent
from orch.rpc.contract.events import FollowedFacts
from orch.rpc.contract.hand_overs import HAND_OVER_STATES
from orch.rpc.contract.hand_overs import HandOverFacts
from orch.rpc.contract.hand_overs import HandOvers
from orch.rpc.contract.hand_overs import OfferFacts
from orch.rpc.contract.hand_overs import TakeOverRequest
from orch.rpc.contract.identity import Accepted
from orch.rpc.contract.identity import StackIdentity
from orch.rpc.contract.leftovers import LeftoverFacts
from orch.rpc.contract.leftovers import LeftoverQuery
from orch.rpc.contract.leftovers import Leftovers
from orch.rpc.contract.leftovers import OmittedFacts
from orch.rpc.contract.leftovers import SweepFacts
from orch.rpc.contract.leftovers import Swept
from orch.rpc.contract.lifecycle import CallFacts
from orch.rpc.contract.lifecycle import ChildHoldFacts
from orch.rpc.contract.lifecycle import HoldFacts
from orch.rpc.contract.lifecycle import Lifecycle
from orch.rpc.contract.lifecycle import LifecyclePluginFacts
from orch.rpc.contract.lifecycle import OpenHoldFacts
from orch.rpc.contract.lifecycle import VerdictFacts
from orch.rpc.contract.moves import Moved
from orch.rpc.contract.moves import MovePreview
from orch.rpc.contract.moves import MoveRequest
from orch.rpc.contract.moves import Moves
from orch.rpc.contract.moves import MoveUpdate
from orch.rpc.contract.operations import AttemptFacts
from orch.rpc.contract.operations import FailureFacts
from orch.rpc.contract.operations import OperationFacts
from orch.rpc.contract.operations import Operations
from orch.rpc.contract.operations import ProgressFacts
from orch.rpc.contract.operations import StepFacts
from orch.rpc.contract.plan_methods import Plans
from orch.rpc.contract.plans import ChangeFacts
from orch.rpc.contract.plans import PlaceChange
from orch.rpc.contract.plans import PlanFacts
from orch.rpc.contract.plans import PlanRequest
from orch.rpc.contract.plans import PropertyChange
from orch.rpc.contract.plans import SavedPlanFacts
from orch.rpc.contract.requests import CONVERGE_STRICT
from orch.rpc.contract.requests import NO_OPTIONS
from orch.rpc.contract.requests import AdoptionOptions
from orch.rpc.contract.requests import StackInputs
from orch.rpc.contract.requests import StackOptions
from orch.rpc.contract.resources import Previewed
from orch.rpc.contract.resources import ResourceFacts
from orch.rpc.contract.resources import Resources
from orch.rpc.contract.resources import Signalled
from orch.rpc.contract.saved_searches import SavedSearchFacts
from orch.rpc.contract.saved_searches import SavedSearchInput
from orch.rpc.contract.search import AggregationFacts
from orch.rpc.contract.search import AggregationRequest
from orch.rpc.contract.search import BucketFacts
from orch.rpc.contract.search import ChangedStackFacts
from orch.rpc.contract.search import ChangesFacts
from orch.rpc.contract.search import Difference
from orch.rpc.contract.search import DifferencesFacts
from orch.rpc.contract.search import DifferencesRequest
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
from orch.rpc.contract.search_methods import Documents
from orch.rpc.contract.search_methods import Search
from orch.rpc.contract.services import ServiceFacts
from orch.rpc.contract.services import Services
from orch.rpc.contract.snapshots import SnapshotBegun
from orch.rpc.contract.snapshots import SnapshotFacts
from orch.rpc.contract.snapshots import Snapshots
from orch.rpc.contract.software import PolledFacts
from orch.rpc.contract.software import SoftwareConfigFacts
from orch.rpc.contract.software import SoftwareConfigRequest
from orch.rpc.contract.software import SoftwareConfigs
from orch.rpc.contract.software import SoftwareDeploymentFacts
from orch.rpc.contract.software import SoftwareDeploymentRequest
from orch.rpc.contract.software import SoftwareDeployments
from orch.rpc.contract.stacks import BlockedFacts
from orch.rpc.contract.stacks import OutputFacts
from orch.rpc.contract.stacks import StackFacts
from orch.rpc.contract.stacks import StackQuery
from orch.rpc.contract.stacks import Stacks
from orch.rpc.contract.stacks import UpdatePreview
from orch.rpc.contract.stacks import WaitFacts
from orch.rpc.contract.templates import ResourceTypes
from orch.rpc.contract.templates import Templates
from orch.rpc.contract.versions import VERSION
from orch.rpc.contract.versions import needed

__all__ = [
    "CONVERGE_STRICT",
    "DRIFT_ENDS",
    "DRIFT_LOOKS",
    "DRIFT_POLICIES",
    "DRIFT_STATES",
    "HAND_OVER_STATES",
    "NAMESPACES",
    "NO_OPTIONS",
    "SEARCH_TOPIC",
    "TOPIC",
    "VERSION",
    "AbandonFacts",
    "Accepted",
    "AcceptedDrift",
    "Adoption",
    "AdoptionOptions",
    "AdoptionRequest",
    "AggregationFacts",
    "AggregationRequest",
    "AttemptFacts",
    "BlockedFacts",
    "BucketFacts",
    "CallFacts",
    "ChangeFacts",
    "ChangedStackFacts",
    "ChangesFacts",
    "ChildHoldFacts",
    "Difference",
    "DifferenceFacts",
    "DifferencesFacts",
    "DifferencesRequest",
    "DocumentFacts",
    "Documents",
    "Drift",
    "DriftChange",
    "DriftFacts",
    "DriftHistory",
    "DriftPause",
    "DriftRequested",
    "DriftResourceFacts",
    "DriftSummary",
    "DriftTemplate",
    "EventFacts",
    "EventQuery",
    "Events",
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
    "HandOverFacts",
    "HandOvers",
    "HistoryEntry",
    "HitFacts",
    "HoldFacts",
    "LeftoverFacts",
    "LeftoverQuery",
    "Leftovers",
    "Lifecycle",
    "LifecyclePluginFacts",
    "ListingRequest",
    "MovePreview",
    "MoveRequest",
    "MoveUpdate",
    "Moved",
    "Moves",
    "OfferFacts",
    "OmittedChange",
    "OmittedFacts",
    "OmittedResource",
    "OpenHoldFacts",
    "OperationFacts",
    "Operations",
    "OrphansFacts",
    "OrphansRest",
    "OutputFacts",
    "PhysicalResource",
    "PlaceChange",
    "PlaceDifferenceFacts",
    "PlanFacts",
    "PlanRequest",
    "Plans",
    "PolledFacts",
    "Previewed",
    "ProgressFacts",
    "PropertyChange",
    "ResourceDocumentsFacts",
    "ResourceDrift",
    "ResourceFacts",
    "ResourceTypes",
    "Resources",
    "SavedPlanFacts",
    "SavedSearchFacts",
    "SavedSearchInput",
    "Search",
    "SearchFacts",
    "SearchField",
    "SearchPluginFacts",
    "SearchRequest",
    "SearchScope",
    "SearchStatus",
    "SecretsRequest",
    "ServiceFacts",
    "Services",
    "Signalled",
    "SnapshotBegun",
    "SnapshotFacts",
    "Snapshots",
    "SoftwareConfigFacts",
    "SoftwareConfigRequest",
    "SoftwareConfigs",
    "SoftwareDeploymentFacts",
    "SoftwareDeploymentRequest",
    "SoftwareDeployments",
    "SortRequest",
    "StackDocumentsFacts",
    "StackDriftFacts",
    "StackFacts",
    "StackIdentity",
    "StackInputs",
    "StackOptions",
    "StackQuery",
    "Stacks",
    "StatisticsFacts",
    "StepFacts",
    "SweepFacts",
    "Swept",
    "TakeOverRequest",
    "Templates",
    "TypeFacets",
    "UncoveredProperty",
    "UndoneAcceptances",
    "UnlistedFacts",
    "UnlistedTypeFacts",
    "UpdatePreview",
    "VerdictFacts",
    "WaitFacts",
    "needed",
]

TOPIC = "orch-engine"
SEARCH_TOPIC = "orch-search"
NAMESPACES: typing.Final[tuple[type, ...]] = (
    Stacks,
    Resources,
    Events,
    Templates,
    ResourceTypes,
    Operations,
    Plans,
    Snapshots,
    Adoption,
    HandOvers,
    Leftovers,
    Lifecycle,
    Moves,
    Drift,
    SoftwareConfigs,
    SoftwareDeployments,
    Services,
    Documents,
)
"""Those that the workers serve."""
