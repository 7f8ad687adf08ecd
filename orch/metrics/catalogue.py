"""All metrics. ``doc/source/metrics.rst`` lists them for operators.

Names and labels are an interface: dashboards and alerts depend on them.
"""

import typing

from orch.metrics import meters

_QUICK: typing.Final = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60)
_LONG: typing.Final = (0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14400, 86400)

OPERATIONS_TAKEN: typing.Final = meters.Counter(
    "orch_operations_taken_total",
    "Operations that this worker took up: for the first time, or again after"
    " a wait, a retry or the loss of a worker.",
    "action",
    "turn",
)
OPERATIONS_ENDED: typing.Final = meters.Counter(
    "orch_operations_ended_total",
    "Operations that this worker brought to their end.",
    "action",
    "outcome",
)
OPERATION_S: typing.Final = meters.Histogram(
    "orch_operation_duration_seconds",
    "From when a worker first took an operation to its end, waits included.",
    "action",
    "outcome",
    bounds=_LONG,
)
OPERATIONS_RUNNING: typing.Final = meters.Gauge(
    "orch_operations_running",
    "Operations that this worker is running now.",
)
OPERATIONS_OPEN: typing.Final = meters.Gauge(
    "orch_operations_open",
    "Operations of all workers that have not ended, from the database.",
    ("state",),
)
RESOURCE_STEPS: typing.Final = meters.Counter(
    "orch_resource_steps_total",
    "Steps of plans that have ended, by the type of the resource.",
    "type",
    "step",
    "outcome",
)
LEASES_LOST: typing.Final = meters.Counter(
    "orch_leases_lost_total",
    "Leases of operations that this worker lost while it ran them.",
)
LEASES_TAKEN_OVER: typing.Final = meters.Counter(
    "orch_leases_taken_over_total",
    "Operations taken from workers whose lease had run out.",
)
LIFECYCLE_CALLS: typing.Final = meters.Counter(
    "orch_lifecycle_calls_total",
    "Calls of lifecycle plug-ins.",
    "plugin",
    "moment",
    "outcome",
)
LIFECYCLE_CALL_S: typing.Final = meters.Histogram(
    "orch_lifecycle_call_duration_seconds",
    "How long calls of lifecycle plug-ins took.",
    "plugin",
    "moment",
    bounds=_QUICK,
)
RPC_CALLS: typing.Final = meters.Counter(
    "orch_rpc_calls_total",
    "Calls over the bus that this process has answered.",
    "namespace",
    "method",
    "outcome",
)
REQUESTS: typing.Final = meters.Counter(
    "orch_http_requests_total",
    "Requests that the API has answered.",
    "method",
    "route",
    "status",
)
REQUEST_S: typing.Final = meters.Histogram(
    "orch_http_request_duration_seconds",
    "How long requests took until the API began to answer.",
    "method",
    "route",
    bounds=_QUICK,
)
NOTIFICATIONS: typing.Final = meters.Counter(
    "orch_notifications_total",
    "Notifications that left the outbox, once for each topic.",
    "outcome",
)
NOTIFICATIONS_WAITING: typing.Final = meters.Gauge(
    "orch_notifications_waiting",
    "Notifications in the outbox, from the database.",
)
OLDEST_NOTIFICATION_S: typing.Final = meters.Gauge(
    "orch_notifications_oldest_waiting_seconds",
    "For how long the oldest notification has been in the outbox; 0 where"
    " there is none.",
)
NOTIFICATIONS_SET_ASIDE: typing.Final = meters.Gauge(
    "orch_notifications_set_aside",
    "Notifications that the broker refused and that are still set aside,"
    " from the database.",
)
OBSERVER_SURVEYS: typing.Final = meters.Counter(
    "orch_observer_surveys_total",
    "Trees of stacks that the observer has observed.",
    "outcome",
)
OBSERVER_DRIFTS: typing.Final = meters.Counter(
    "orch_observer_drifts_total",
    "Changes of the drift of resources that looks have found.",
    "kind",
)
OBSERVER_LATE_S: typing.Final = meters.Histogram(
    "orch_observer_lateness_seconds",
    "How long after it was due a tree was observed.",
    bounds=_LONG,
)
SEARCH_WAITING: typing.Final = meters.Gauge(
    "orch_search_stacks_waiting",
    "Stacks that have changed and are not yet in the index as they are, as"
    " far as this process sees to them.",
)
SEARCH_LAG_S: typing.Final = meters.Histogram(
    "orch_search_lag_seconds",
    "From the notification of a change until it was in the index.",
    bounds=_QUICK,
)
RUNS_FAILED: typing.Final = meters.Counter(
    "orch_background_runs_failed_total",
    "Rounds of background threads that have failed; they are repeated.",
    "thread",
)

COUNTERS: typing.Final = (
    OPERATIONS_TAKEN,
    OPERATIONS_ENDED,
    RESOURCE_STEPS,
    LEASES_LOST,
    LEASES_TAKEN_OVER,
    LIFECYCLE_CALLS,
    RPC_CALLS,
    REQUESTS,
    NOTIFICATIONS,
    OBSERVER_SURVEYS,
    OBSERVER_DRIFTS,
    RUNS_FAILED,
)
HISTOGRAMS: typing.Final = (
    OPERATION_S,
    LIFECYCLE_CALL_S,
    REQUEST_S,
    OBSERVER_LATE_S,
    SEARCH_LAG_S,
)
GAUGES: typing.Final = (
    OPERATIONS_RUNNING,
    OPERATIONS_OPEN,
    NOTIFICATIONS_WAITING,
    OLDEST_NOTIFICATION_S,
    NOTIFICATIONS_SET_ASIDE,
    SEARCH_WAITING,
)
