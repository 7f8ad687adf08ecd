"""Requests and answers about drift."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import methods


class DriftRequested(typing.TypedDict):
    """That a tree of stacks is to be looked at.

    ``requested_at``: by the clock that ``observed_at`` is of.
    """

    requested_at: float


class DifferenceFacts(typing.TypedDict):
    """A property that has drifted; hidden values are covered.

    ``expected``: after our last change; ``live``: when it was seen;
    ``policy``: report, repair, accept, adopt or ignore.
    """

    property: str
    expected: object
    live: object
    policy: str


class DriftResourceFacts(typing.TypedDict):
    """What was seen of one resource.

    ``path``: names of resources from the root, with ``/`` between them;
    ``state``: in_sync, drifted, unknown or nothing; ``coverage``: percent;
    ``reason``: why it is unknown, or is not repaired any more; ``age_s``:
    seconds since ``observed_at``; ``policy``: for the thing as a whole.
    """

    name: str
    path: str
    type_name: str
    physical_id: str | None
    state: str
    is_vanished: bool
    coverage: int
    reason: str
    observed_at: float | None
    age_s: float | None
    drifted_at: float | None
    policy: str
    differences: list[DifferenceFacts]


class StackDriftFacts(typing.TypedDict):
    """What was seen of one stack of a tree.

    ``path``: empty for a root; ``counts``: resources by state; ``resources``:
    those in a state that was asked for.
    """

    stack: identity.StackIdentity
    path: str
    state: str
    coverage: int
    counts: dict[str, int]
    resources: list[DriftResourceFacts]


class DriftFacts(typing.TypedDict):
    """What was seen of a stack and of those in it, outer ones first.

    ``age_s``: seconds since ``observed_at``, when the whole tree was looked
    at; ``due_at``: when it is looked at again; null for when somebody asks;
    ``in_progress``: somebody asked, or looks now; ``last``: path of the last
    resource of this page where there are more behind it, else null. All but
    ``stacks`` is of the whole, whichever page it is.
    """

    state: str
    coverage: int
    counts: dict[str, int]
    requested_at: float | None
    observed_at: float | None
    age_s: float | None
    due_at: float | None
    in_progress: bool
    stacks: list[StackDriftFacts]
    last: str | None


class DriftSummary(typing.TypedDict):
    """A short drift report: of a root with its tree, or a child stack.

    ``drifted``: how many resources.
    """

    state: str
    coverage: int
    observed_at: float | None
    drifted: int


class ResourceDrift(typing.TypedDict):
    """What was seen of one resource, with show."""

    state: str
    coverage: int
    observed_at: float | None
    is_vanished: bool
    reason: str
    drifted_at: float | None
    differences: list[DifferenceFacts]


class AcceptedDrift(typing.TypedDict):
    """Paths of the resources whose drift is expected from now on."""

    accepted: list[str]


class DriftChange(typing.TypedDict):
    """A property whose live value a template has.

    ``property``: null for the resource as a whole; ``reason``: why it has
    not, of one that was left out.
    """

    path: str
    property: str | None
    reason: typing.NotRequired[str]


class DriftTemplate(typing.TypedDict):
    """A template in which the drift of a stack is wanted."""

    template: str
    changes: list[DriftChange]
    omitted: list[DriftChange]


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

        :raises orch.errors.Invalid: the stack is a child stack
        """

    @methods.changes(once=True)
    def accept(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        paths: collections.abc.Sequence[str] | None = None,
    ) -> AcceptedDrift:
        """Accept drift: observed values become the baseline.

        :param paths: of resources; ``None`` for all that have drifted
        :raises orch.errors.Invalid: one has not drifted, or has vanished
        :raises orch.errors.Conflict: an operation is in progress
        """

    @methods.reads()
    def template(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> DriftTemplate:
        """Return the template of a stack with its drifted values."""
