"""Observations of physical resources, and what to do about drift."""

import collections.abc
import dataclasses
import enum
import typing

from orch import clock
from orch import ids

Values = collections.abc.Mapping[str, object]


class State(enum.StrEnum):
    """The observed state of a physical resource, compared with its baseline.

    ``UNKNOWN``: it could not be read, or its type cannot tell, or was not
    looked at yet. ``NOTHING``: the resource is nothing in the world, so
    nothing can drift.
    """

    IN_SYNC = "in_sync"
    DRIFTED = "drifted"
    UNKNOWN = "unknown"
    NOTHING = "nothing"


class Policy(enum.StrEnum):
    """What is done about a drift.

    ``REPORT`` only tells of it; ``REPAIR`` puts it back; ``ACCEPT`` takes
    what is there into the baseline; ``ADOPT`` offers a template in which it
    is wanted; ``IGNORE`` does not count it as drift.
    """

    REPORT = "report"
    REPAIR = "repair"
    ACCEPT = "accept"
    ADOPT = "adopt"
    IGNORE = "ignore"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A property that is not as it was after our last change.

    :ivar expected: its value in the baseline; where that has none, the one
        that the resource was given
    :ivar live: its value now; ``None`` for none
    :ivar policy: what is to be done about it
    """

    property: str
    expected: object
    live: object
    policy: Policy = Policy.REPORT


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """The drift of one physical resource.

    :ivar is_vanished: it does not exist any more: it has drifted
    :ivar differences: the drifted properties, values as the service shows
        them, not as they are compared
    :ivar compared: how many of the given properties could be compared; of a
        vanished one all
    :ivar given: how many properties the resource was given
    :ivar reason: why it is unknown, or is not repaired any more, for users;
        empty for none
    """

    state: State
    is_vanished: bool = False
    differences: tuple[Difference, ...] = ()
    compared: int = 0
    given: int = 0
    reason: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Drift):
    """The drift of one resource when it was last observed.

    :ivar live: its observed properties, by name; ``None`` where they are not
        known
    :ivar drifted_at: when its drift was first observed; ``None`` without any
    """

    root_id: ids.StackId
    stack_id: ids.StackId
    resource_id: ids.ResourceId
    live: Values | None = None
    observed_at: clock.Timestamp
    drifted_at: clock.Timestamp | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StackDrift:
    """The drift of a stack or tree as a whole.

    :ivar coverage: percent
    :ivar drifted: how many of its resources have drifted
    """

    state: State
    coverage: int
    drifted: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """An acceptance of drift of one resource, which can be undone.

    :ivar baseline_before: ``None`` where there was none
    :ivar baseline_after: the one that it has set
    :ivar differences: what had drifted before, what was not accepted too
    :ivar drifted_at: since when
    """

    id: str
    root_id: ids.StackId
    stack_id: ids.StackId
    resource_id: ids.ResourceId
    baseline_before: Values | None
    baseline_after: Values
    differences: tuple[Difference, ...]
    accepted_at: clock.Timestamp
    drifted_at: clock.Timestamp | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How a tree of stacks is observed; a row for each root that was asked.

    :ivar policy: ``{"stack": POLICY, "resources": {PATTERN: {"policy":
        POLICY, "properties": {NAME: POLICY}}}}``, each part may be missing;
        a pattern is a path of names with ``*`` for any text
    :ivar policy_set_by: who set it, :meth:`orch.model.origin.User.to_stored`;
        ``None`` where there is no policy, or an earlier release stored it
    :ivar requested_at: when it was requested last
    :ivar notified_at: when a service last notified of a change in it
    :ivar observed_at: when the whole tree was last looked at
    :ivar due_at: when the observer looks next; ``None`` for when asked
    :ivar claimed_by: the worker that looks at it now
    :ivar claimed_until: until when no other worker does
    :ivar fence: grows with each claim
    """

    root_id: ids.StackId
    project_id: str
    policy: Values = dataclasses.field(default_factory=dict)
    policy_set_by: Values | None = None
    requested_at: clock.Timestamp | None = None
    notified_at: clock.Timestamp | None = None
    observed_at: clock.Timestamp | None = None
    due_at: clock.Timestamp | None = None
    claimed_by: ids.WorkerId | None = None
    claimed_until: clock.Timestamp | None = None
    fence: int = 0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Whether the observer pauses for a project, or only repairs nothing.

    :ivar project_id: :data:`ALL_PROJECTS` for all
    :ivar paused_at: since when it is paused; ``None`` where it is not
    :ivar paused_by: the user who has paused it
    :ivar stopped_at: since when repairs are stopped, as too many physical
        resources have vanished at once; ``None`` for not
    :ivar resumed_at: when it was last resumed: what had vanished by then stops
        no repairs any more
    """

    project_id: str
    paused_at: clock.Timestamp | None = None
    paused_by: str = ""
    stopped_at: clock.Timestamp | None = None
    resumed_at: clock.Timestamp | None = None


ALL_PROJECTS: typing.Final = ""
DEFAULT_POLICY: typing.Final = Policy.REPORT


def combined_state(states: collections.abc.Iterable[State]) -> State:
    """Return the state of what is made of things in these states.

    One that has drifted decides, then one that is not known.
    """
    found = set(states)
    for each in (State.DRIFTED, State.UNKNOWN):
        if each in found:
            return each
    return State.IN_SYNC


def coverage_percent(compared: int, given: int) -> int:
    """Return how much of what was given could be compared.

    :returns: percent, rounded down; 100 where nothing was given
    """
    return 100 * compared // given if given else 100
