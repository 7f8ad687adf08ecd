"""Requests and answers about drift."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import methods
from orch.rpc.contract import rest

DRIFT_STATES: typing.Final = ("in_sync", "drifted", "unknown", "nothing")
DRIFT_POLICIES: typing.Final = (
    "report",
    "repair",
    "accept",
    "adopt",
    "ignore",
)
State: typing.TypeAlias = typing.Annotated[str, rest.Words(DRIFT_STATES)]
Policy: typing.TypeAlias = typing.Annotated[str, rest.Words(DRIFT_POLICIES)]
DRIFT_LOOKS: typing.Final = (
    "check",
    "request",
    "period",
    "notification",
    "update",
)
DRIFT_ENDS: typing.Final = (
    "repaired",
    "updated",
    "accepted",
    "cleared",
    "changed",
    "ignored",
)
DIFFERENCE_KINDS: typing.Final = ("changed", "removed", "added")
UNCOVERED_REASONS: typing.Final = (
    "no_reading",
    "not_observed",
    "failed",
    "write_only",
    "hidden",
    "not_shown",
    "ignored",
)
UncoveredReason: typing.TypeAlias = typing.Annotated[
    str, rest.Words(UNCOVERED_REASONS)
]
Look: typing.TypeAlias = typing.Annotated[str, rest.Words(DRIFT_LOOKS)]
End: typing.TypeAlias = typing.Annotated[str, rest.Words(DRIFT_ENDS)]
Age: typing.TypeAlias = typing.Annotated[rest.Seconds | None, rest.Name("age")]
Counts: typing.TypeAlias = typing.Annotated[
    dict[str, rest.Count],
    rest.Keys(DRIFT_STATES),
    rest.Name("resource_counts"),
]


class DriftRequested(typing.TypedDict):
    """That a tree of stacks is to be looked at.

    ``requested_at``: by the clock that ``observed_at`` is of.
    """

    requested_at: rest.Time


class PlaceDifferenceFacts(typing.TypedDict):
    """The narrowest place in a property at which two values differ.

    :ivar place: its name, as drift policies have it
    :ivar kind: ``removed`` or ``added`` for an element of a list whose length
        differs, which ``place`` names; else ``changed``
    :ivar index: of that element, in the expected or the live list; else null
    :ivar expected: null where there is nothing
    :ivar live: null where there is nothing
    """

    place: str
    kind: typing.Annotated[str, rest.Words(DIFFERENCE_KINDS)]
    index: rest.Count | None
    expected: object
    live: object


class DifferenceFacts(typing.TypedDict):
    """A property that has drifted.

    Sensitive values are redacted.

    :ivar expected: its value after our last change
    :ivar live: its value when it was observed
    :ivar policy: what is to be done about it
    :ivar places: what differs in the two values; the property as a whole if
        all that differs is redacted
    """

    property: str
    expected: object
    live: object
    policy: Policy
    places: list[PlaceDifferenceFacts]


class UncoveredProperty(typing.TypedDict):
    """A given property that was not compared.

    :ivar reason: ``no_reading`` (the type cannot read its physical resources),
        ``not_observed`` (not since the last change by the stack), ``failed``
        (reading failed), ``write_only`` (no answer of the service shows it),
        ``hidden`` (it is sensitive, and not shown), ``not_shown`` or
        ``ignored`` (by a drift policy)
    """

    property: str
    reason: UncoveredReason


class DriftResourceFacts(typing.TypedDict):
    """The observed state of one resource.

    :ivar path: names from the root stack down: ``web/server``
    :ivar is_vanished: the physical resource is gone: it has drifted
    :ivar coverage: how many of its properties were compared, in percent
    :ivar reason: why it is unknown, or is no longer repaired
    :ivar observed_at: null for never
    :ivar age_s: seconds since then, as the service counts them
    :ivar drifted_at: when its drift was first observed
    :ivar policy: for the resource as a whole
    :ivar uncovered: given properties that were not compared, and why
    """

    name: rest.ResourceName
    path: str
    type_name: rest.ResourceType
    physical_id: rest.PhysicalId
    state: State
    is_vanished: bool
    coverage: rest.Percent
    reason: str
    observed_at: rest.Time | None
    age_s: Age
    drifted_at: rest.Time | None
    policy: Policy
    differences: list[DifferenceFacts]
    uncovered: list[UncoveredProperty]


class StackDriftFacts(typing.TypedDict):
    """The observed state of one stack of a tree.

    :ivar path: of the resource that it is; empty for the root
    :ivar counts: how many resources there are by state
    :ivar resources: those in a requested state
    """

    stack: typing.Annotated[
        identity.StackIdentity, rest.Stack(id="id", rel="self")
    ]
    path: str
    state: State
    coverage: rest.Percent
    counts: Counts
    resources: list[DriftResourceFacts]


class DriftFacts(typing.TypedDict):
    """The drift report of a stack and its child stacks.

    All but ``stacks`` is of the whole, whichever page it is.

    :ivar state: ``drifted`` where anything has; else ``unknown`` where
        anything is not known; else ``in_sync``
    :ivar coverage: how many properties were compared, in percent
    :ivar counts: how many resources there are by state
    :ivar requested_at: when an observation was last requested
    :ivar observed_at: when all was observed; null for never
    :ivar age_s: seconds since then, as the service counts them
    :ivar due_at: when the observer reads it next; null for on demand
    :ivar in_progress: an observation runs, or was requested
    :ivar paused_at: since when the observer pauses for the project
    :ivar repairs_stopped_at: since when repairs of the project are stopped,
        as too many physical resources have vanished at once
    :ivar stacks: parents before their child stacks
    :ivar last: path of the last resource of this page; null where it is the
        last page
    """

    state: State
    coverage: rest.Percent
    counts: Counts
    requested_at: rest.Time | None
    observed_at: rest.Time | None
    age_s: Age
    due_at: rest.Time | None
    in_progress: bool
    paused_at: rest.Time | None
    repairs_stopped_at: rest.Time | None
    stacks: list[StackDriftFacts]
    last: typing.Annotated[str | None, rest.HIDDEN]


class DriftPause(typing.TypedDict):
    """Whether the observer pauses for a project.

    :ivar paused_at: since when; null where it does not
    :ivar paused_by: the user who has paused it
    :ivar is_of_all: it pauses for all projects
    :ivar repairs_stopped_at: since when repairs are stopped, as too many
        physical resources have vanished at once; null where they are not
    """

    paused_at: rest.Time | None
    paused_by: str
    is_of_all: bool
    repairs_stopped_at: rest.Time | None


class DriftSummary(typing.TypedDict):
    """The drift of a stack and its child stacks at their last observation.

    :ivar state: ``in_sync``, ``drifted`` or ``unknown``
    :ivar coverage: how many properties were compared, in percent
    :ivar observed_at: null for never
    :ivar drifted: how many resources have drifted
    """

    state: State
    coverage: rest.Percent
    observed_at: rest.Time | None
    drifted: rest.Count


class ResourceDrift(typing.TypedDict):
    """What was seen of one resource, with show."""

    state: State
    coverage: rest.Percent
    observed_at: rest.Time | None
    is_vanished: bool
    reason: str
    drifted_at: rest.Time | None
    differences: list[DifferenceFacts]


class AcceptedDrift(typing.TypedDict):
    """Paths of the resources whose drift is expected from now on."""

    accepted: list[str]


class UndoneAcceptances(typing.TypedDict):
    """Paths of the resources that have drifted again."""

    undone: list[str]


class HistoryEntry(typing.TypedDict):
    """The drift of one property, from the look that found it to its end.

    Sensitive values are redacted.

    :ivar property: null where the physical resource has vanished
    :ivar expected: its value after our last change
    :ivar live: its value when the drift was found
    :ivar found_by: ``check``, ``request`` (an observation that a user
        requested), ``period`` (one of the observer), ``notification`` (one
        after the notification of a service) or ``update``
    :ivar ended_by: ``repaired``, ``updated``, ``accepted``, ``cleared`` (by
        itself), ``changed`` (another live value follows) or ``ignored`` (by a
        policy); null while it lasts
    """

    id: str
    path: str
    property: str | None
    expected: object
    live: object
    found_by: Look
    found_at: rest.Time
    ended_by: End | None
    ended_at: rest.Time | None


class DriftHistory(typing.TypedDict):
    """A page of the drift history of a stack, the newest entry first.

    :ivar last: id of the last entry where more may follow; null for the last
        page
    """

    history: list[HistoryEntry]
    last: typing.Annotated[str | None, rest.HIDDEN]


class DriftChange(typing.TypedDict):
    """A property whose live value a template has.

    ``property``: null for the resource as a whole.
    """

    path: str
    property: str | None


class OmittedChange(DriftChange):
    """A property that the template does not declare as it is.

    A drifted one that no template can declare, or a secret that is redacted.

    :ivar property: null for the whole resource
    :ivar reason: why, for people
    """

    reason: str


class DriftTemplate(typing.TypedDict):
    """A template in which the drift of a stack is wanted."""

    template: str
    changes: list[DriftChange]
    omitted: list[OmittedChange]


@methods.namespace("drift")
class Drift(typing.Protocol):
    """Drift of stacks: observation, policy, acceptance and template.

    Each method raises :class:`orch.errors.NotFound` where this caller has no
    such stack.
    """

    @methods.changes(once=True)
    def observe(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> DriftRequested:
        """Request that a worker observes the tree of a stack."""

    @methods.reads(added=("limit", "marker"))
    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        states: collections.abc.Sequence[str] = (),
        *,
        limit: int | None = None,
        marker: str | None = None,
    ) -> DriftFacts:
        """Return the drift of a stack and of its child stacks.

        :param states: of resources; none for all
        :param limit: maximum of resources; ``None`` for all
        :param marker: path of the resource behind which the page begins
        """

    @methods.reads()
    def show_policy(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> dict[str, object]:
        """Return the drift policy of a tree."""

    @methods.changes(once=True)
    def set_policy(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        policy: collections.abc.Mapping[str, object],
    ) -> dict[str, object]:
        """Store the drift policy of a tree, and return it.

        :raises orch.errors.Invalid: the stack is a child stack, or the policy
            names a resource or property that does not exist
        """

    @methods.changes(once=True, added=("properties",))
    def accept(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        paths: collections.abc.Sequence[str] | None = None,
        properties: collections.abc.Mapping[str, collections.abc.Sequence[str]]
        | None = None,
    ) -> AcceptedDrift:
        """Accept drift: observed values become the baseline.

        :param paths: of resources; ``None`` for all that have drifted, unless
            properties are named
        :param properties: names of single ones, or of places in them as
            policies have them, by path of their resource
        :raises orch.errors.Invalid: one has not drifted, or has vanished
        :raises orch.errors.Conflict: an operation is in progress
        """

    @methods.changes(once=True)
    def undo_accept(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        paths: collections.abc.Sequence[str] | None = None,
    ) -> UndoneAcceptances:
        """Undo the newest acceptance of the drift of resources.

        :param paths: of resources; ``None`` for all that can be undone
        :raises orch.errors.Invalid: no drift of one was accepted
        :raises orch.errors.Conflict: an operation is in progress, or has
            changed one since
        """

    @methods.reads()
    def history(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        *,
        limit: int | None = None,
        marker: str | None = None,
    ) -> DriftHistory:
        """Return the drift history of a stack and of its child stacks.

        :param limit: maximum of entries; ``None`` for all
        :param marker: id of the entry behind which the page begins
        :raises orch.errors.Invalid: there is no such entry any more
        """

    @methods.reads()
    def show_pause(self, ctxt: request.RequestContext) -> DriftPause:
        """Return whether the observer pauses for the caller's project."""

    @methods.changes()
    def pause(
        self, ctxt: request.RequestContext, *, is_of_all: bool = False
    ) -> DriftPause:
        """Let the observer pause for the caller's project.

        :param is_of_all: for all projects
        """

    @methods.changes()
    def resume(
        self, ctxt: request.RequestContext, *, is_of_all: bool = False
    ) -> DriftPause:
        """Let the observer go on, and stopped repairs too.

        :param is_of_all: as of :meth:`pause`
        """

    @methods.reads()
    def template(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> DriftTemplate:
        """Return the template of a stack with its drifted values."""
