# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: drift report."""

import collections.abc
import dataclasses
import datetime

from orchclient import response_parser
from orchclient.values import drift
from orchclient.values import report_methods


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Report(report_methods.ReportMethods):
    """The drift report of a stack and its child stacks.

    :ivar state: ``drifted`` where anything has; else ``unknown`` where
        anything is not known; else ``in_sync``
    :ivar coverage: how many properties were compared, in percent
    :ivar counts: how many resources there are by state
    :ivar requested_at: when an observation was last requested
    :ivar observed_at: when all was observed; ``None`` for never
    :ivar age_s: seconds since then, as the service counts them
    :ivar due_at: when the observer reads it next; ``None`` for on demand
    :ivar in_progress: an observation runs, or was requested
    :ivar paused_at: since when the observer pauses for the project
    :ivar repairs_stopped_at: since when repairs of the project are stopped, as
        too many physical resources have vanished at once
    :ivar stacks: parents before their child stacks
    :ivar body: the report as the service wrote it
    """

    state: str
    coverage: int = 0
    counts: collections.abc.Mapping[str, int] = dataclasses.field(
        default_factory=dict
    )
    requested_at: datetime.datetime | None = None
    observed_at: datetime.datetime | None = None
    age_s: float | None = None
    due_at: datetime.datetime | None = None
    in_progress: bool = False
    paused_at: datetime.datetime | None = None
    repairs_stopped_at: datetime.datetime | None = None
    stacks: tuple[drift.StackDrift, ...] = ()
    body: response_parser.Json = dataclasses.field(
        default_factory=dict, repr=False
    )

    @classmethod
    def of(cls, body: response_parser.Json) -> "Report":
        """Return the value that a body describes."""
        return cls(
            state=response_parser.required_text(body, "state"),
            coverage=response_parser.get_integer(body, "coverage"),
            counts=response_parser.get_integer_map(body, "resource_counts"),
            requested_at=response_parser.find_time(body, "requested_at"),
            observed_at=response_parser.find_time(body, "observed_at"),
            age_s=response_parser.find_number(body, "age"),
            due_at=response_parser.find_time(body, "due_at"),
            in_progress=response_parser.get_boolean(body, "in_progress"),
            paused_at=response_parser.find_time(body, "paused_at"),
            repairs_stopped_at=response_parser.find_time(
                body, "repairs_stopped_at"
            ),
            stacks=response_parser.get_values(
                body, "stacks", drift.StackDrift.of
            ),
            body=body,
        )
