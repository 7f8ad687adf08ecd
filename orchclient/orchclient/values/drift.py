# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: drift."""

import collections.abc
import dataclasses
import datetime

from orchclient import response_parser
from orchclient import stack_identity
from orchclient.values import methods


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PlaceDifference:
    """The narrowest place in a property at which two values differ.

    :ivar place: its name, as drift policies have it
    :ivar kind: ``removed`` or ``added`` for an element of a list whose length
        differs, which ``place`` names; else ``changed``
    :ivar index: of that element, in the expected or the live list; else
        ``None``
    :ivar expected: ``None`` where there is nothing
    :ivar live: ``None`` where there is nothing
    """

    place: str
    kind: str = "changed"
    index: int | None = None
    expected: object = None
    live: object = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "PlaceDifference":
        """Return the value that a body describes."""
        return cls(
            place=response_parser.required_text(body, "place"),
            kind=response_parser.get_text(body, "kind", "changed"),
            index=response_parser.find_integer(body, "index"),
            expected=body.get("expected"),
            live=body.get("live"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A property that has drifted.

    :ivar expected: its value after our last change
    :ivar live: its value when it was observed
    :ivar policy: what is to be done about it
    :ivar places: what differs in the two values; the property as a whole if
        all that differs is redacted
    """

    property: str
    expected: object = None
    live: object = None
    policy: str = ""
    places: tuple[PlaceDifference, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "Difference":
        """Return the value that a body describes."""
        return cls(
            property=response_parser.required_text(body, "property"),
            expected=body.get("expected"),
            live=body.get("live"),
            policy=response_parser.get_text(body, "policy"),
            places=response_parser.get_values(
                body, "places", PlaceDifference.of
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DriftResource:
    """The observed state of one resource.

    :ivar path: names from the root stack down: ``web/server``
    :ivar is_vanished: the physical resource is gone: it has drifted
    :ivar coverage: how many of its properties were compared, in percent
    :ivar reason: why it is unknown, or is no longer repaired
    :ivar observed_at: ``None`` for never
    :ivar age_s: seconds since then, as the service counts them
    :ivar drifted_at: when its drift was first observed
    :ivar policy: for the resource as a whole
    :ivar uncovered: given properties that were not compared, and why
    """

    name: str
    path: str
    type: str = ""
    physical_id: str = ""
    state: str
    is_vanished: bool = False
    coverage: int = 0
    reason: str = ""
    observed_at: datetime.datetime | None = None
    age_s: float | None = None
    drifted_at: datetime.datetime | None = None
    policy: str = ""
    differences: tuple[Difference, ...] = ()
    uncovered: "tuple[UncoveredProperty, ...]" = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "DriftResource":
        """Return the value that a body describes."""
        return cls(
            name=response_parser.required_text(body, "resource_name"),
            path=response_parser.required_text(body, "path"),
            type=response_parser.get_text(body, "resource_type"),
            physical_id=response_parser.get_text(body, "physical_resource_id"),
            state=response_parser.required_text(body, "state"),
            is_vanished=response_parser.get_boolean(body, "is_vanished"),
            coverage=response_parser.get_integer(body, "coverage"),
            reason=response_parser.get_text(body, "reason"),
            observed_at=response_parser.find_time(body, "observed_at"),
            age_s=response_parser.find_number(body, "age"),
            drifted_at=response_parser.find_time(body, "drifted_at"),
            policy=response_parser.get_text(body, "policy"),
            differences=response_parser.get_values(
                body, "differences", Difference.of
            ),
            uncovered=response_parser.get_values(
                body, "uncovered", UncoveredProperty.of
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StackDrift(methods.StackMethods):
    """The observed state of one stack of a tree.

    :ivar path: of the resource that it is; empty for the root
    :ivar counts: how many resources there are by state
    :ivar resources: those in a requested state
    """

    stack: stack_identity.StackIdentity
    path: str = ""
    state: str
    coverage: int = 0
    counts: collections.abc.Mapping[str, int] = dataclasses.field(
        default_factory=dict
    )
    resources: tuple[DriftResource, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "StackDrift":
        """Return the value that a body describes."""
        return cls(
            stack=stack_identity.get_stack(body, "self"),
            path=response_parser.get_text(body, "path"),
            state=response_parser.required_text(body, "state"),
            coverage=response_parser.get_integer(body, "coverage"),
            counts=response_parser.get_integer_map(body, "resource_counts"),
            resources=response_parser.get_values(
                body, "resources", DriftResource.of
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Whether the observer pauses for a project.

    :ivar paused_at: since when; ``None`` where it does not
    :ivar paused_by: the user who has paused it
    :ivar is_of_all: it pauses for all projects
    :ivar repairs_stopped_at: since when repairs are stopped, as too many
        physical resources have vanished at once; ``None`` where they are not
    """

    paused_at: datetime.datetime | None = None
    paused_by: str = ""
    is_of_all: bool = False
    repairs_stopped_at: datetime.datetime | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "Pause":
        """Return the value that a body describes."""
        return cls(
            paused_at=response_parser.find_time(body, "paused_at"),
            paused_by=response_parser.get_text(body, "paused_by"),
            is_of_all=response_parser.get_boolean(body, "is_of_all"),
            repairs_stopped_at=response_parser.find_time(
                body, "repairs_stopped_at"
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """The drift of one property, from the look that found it to its end.

    :ivar property: ``None`` where the physical resource has vanished
    :ivar expected: its value after our last change
    :ivar live: its value when the drift was found
    :ivar found_by: ``check``, ``request`` (an observation that a user
        requested), ``period`` (one of the observer), ``notification`` (one
        after the notification of a service) or ``update``
    :ivar ended_by: ``repaired``, ``updated``, ``accepted``, ``cleared`` (by
        itself), ``changed`` (another live value follows) or ``ignored`` (by a
        policy); ``None`` while it lasts
    """

    id: str
    path: str
    property: str | None = None
    expected: object = None
    live: object = None
    found_by: str
    found_at: datetime.datetime
    ended_by: str | None = None
    ended_at: datetime.datetime | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "HistoryEntry":
        """Return the value that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            path=response_parser.required_text(body, "path"),
            property=response_parser.find_text(body, "property"),
            expected=body.get("expected"),
            live=body.get("live"),
            found_by=response_parser.required_text(body, "found_by"),
            found_at=response_parser.required_time(body, "found_at"),
            ended_by=response_parser.find_text(body, "ended_by"),
            ended_at=response_parser.find_time(body, "ended_at"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class UncoveredProperty:
    """A given property that was not compared.

    :ivar reason: ``no_reading`` (the type cannot read its physical resources),
        ``not_observed`` (not since the last change by the stack), ``failed``
        (reading failed), ``write_only`` (no answer of the service shows it),
        ``hidden`` (it is sensitive, and not shown), ``not_shown`` or
        ``ignored`` (by a drift policy)
    """

    property: str
    reason: str

    @classmethod
    def of(cls, body: response_parser.Json) -> "UncoveredProperty":
        """Return the value that a body describes."""
        return cls(
            property=response_parser.required_text(body, "property"),
            reason=response_parser.required_text(body, "reason"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DriftSummary:
    """The drift of a stack and its child stacks at their last observation.

    :ivar state: ``in_sync``, ``drifted`` or ``unknown``
    :ivar coverage: how many properties were compared, in percent
    :ivar observed_at: ``None`` for never
    :ivar drifted: how many resources have drifted
    """

    state: str
    coverage: int = 0
    observed_at: datetime.datetime | None = None
    drifted: int = 0

    @classmethod
    def of(cls, body: response_parser.Json) -> "DriftSummary":
        """Return the value that a body describes."""
        return cls(
            state=response_parser.required_text(body, "state"),
            coverage=response_parser.get_integer(body, "coverage"),
            observed_at=response_parser.find_time(body, "observed_at"),
            drifted=response_parser.get_integer(body, "drifted"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OmittedChange:
    """A property that the template does not declare as it is.

    :ivar property: ``None`` for the whole resource
    :ivar reason: why, for people
    """

    path: str = ""
    property: str | None = None
    reason: str = ""

    @classmethod
    def of(cls, body: response_parser.Json) -> "OmittedChange":
        """Return the value that a body describes."""
        return cls(
            path=response_parser.get_text(body, "path"),
            property=response_parser.find_text(body, "property"),
            reason=response_parser.get_text(body, "reason"),
        )
