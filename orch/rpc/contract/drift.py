"""Requests and answers about drift."""

import typing

from orch.rpc.contract import identity


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
