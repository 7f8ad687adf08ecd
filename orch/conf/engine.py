"""How a worker works."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "engine",
    "Workers",
    cfg.FloatOpt(
        "lease_ttl",
        default=10.0,
        min=0.5,
        max=3600,
        help="Seconds, 0.5 to 3600, that a worker owns an operation without"
        " renewing its claim; other workers continue a dead worker's"
        " operations after they have seen it unrenewed for this time. Lower"
        " it for a faster takeover, raise it where the database or the machine"
        " stalls for seconds. All workers should have the same value.",
    ),
    cfg.FloatOpt(
        "scan_interval",
        default=2.0,
        min=0.1,
        max=600,
        help="Seconds, 0.1 to 600, between two scans for operations that no"
        " message announced: those of dead workers and those whose message"
        " was lost. Lower it for a faster takeover; each scan is one small"
        " query.",
    ),
    cfg.IntOpt(
        "rpc_threads",
        default=8,
        min=1,
        max=64,
        help="Threads that answer requests of the API, 1 to 64. At most half"
        " of them, at least one, wait for other services: for Keystone, live"
        " attributes and templates at addresses; for one project at most two,"
        " and one fewer than that half. Raise it when answers wait for slow"
        " databases, or get 503 as services are slow; processor-bound work"
        " gains nothing from more.",
    ),
    cfg.IntOpt(
        "call_threads",
        default=16,
        min=1,
        max=256,
        help="Threads that call resource plug-ins, 1 to 256: the number of"
        " concurrent calls to clouds. One project has at most half of them."
        " Waiting for a resource to become ready uses none. Lifecycle plug-ins"
        " have as many of their own. They are started as they are needed."
        " Raise it where the services answer slowly.",
    ),
    cfg.IntOpt(
        "event_loops",
        default=2,
        min=1,
        max=16,
        help="Threads that drive operations, 1 to 16. Two let a small"
        " operation pass a large one; raise it only where operations wait"
        " for the database rather than for the processor.",
    ),
    cfg.IntOpt(
        "max_operations",
        default=200,
        min=1,
        max=100000,
        help="Operations of root stacks that one worker owns at a time, 1 to"
        " 100000; the others wait for a worker with capacity. Those of child"
        " stacks are not counted, since the operation of their root is: with"
        " trees of stacks a worker may own several times as many. Lower it"
        " to spread work more evenly or to bound memory.",
    ),
    cfg.FloatOpt(
        "plugin_call_timeout",
        default=600.0,
        min=0.1,
        help="Seconds that a single call of a resource plug-in may take, at"
        " least 0.1. A call that takes longer fails its resource, and its"
        " thread is replaced; nothing more is done with the resource until"
        " the call has ended, or the worker has. Raise it for plug-ins whose"
        " calls block for long; set it well above the timeouts of the"
        " services' clients.",
    ),
    cfg.IntOpt(
        "retry_tries",
        default=5,
        min=1,
        max=100,
        help="Calls of a resource plug-in in a row, 1 to 100, that may fail"
        " for a cause which passes by itself before the resource fails; 1"
        " tries nothing again. Raise it where services restart often.",
    ),
    cfg.FloatOpt(
        "retry_first_pause",
        default=1.0,
        min=0.01,
        max=3600,
        help="Seconds, 0.01 to 3600, before such a call is made the second"
        " time; each further pause is twice as long. Raise it where calls"
        " that fail are a load on the services.",
    ),
    cfg.FloatOpt(
        "retry_max_pause",
        default=60.0,
        min=0.01,
        max=86400,
        help="Seconds, 0.01 to 86400, that a pause between two such calls"
        " grows to at most. Lower it for an earlier failure after many"
        " tries.",
    ),
    cfg.FloatOpt(
        "blocked_first_pause",
        default=30.0,
        min=0.01,
        max=86400,
        help="Seconds, 0.01 to 86400, for which an operation waits the first"
        " time when a quota is exhausted, or when a service gives no answer"
        " after all tries. No worker holds it meanwhile; each further pause"
        " is twice as long. Lower it where quotas are raised soon.",
    ),
    cfg.FloatOpt(
        "blocked_max_pause",
        default=600.0,
        min=0.01,
        max=86400,
        help="Seconds, 0.01 to 86400, that such a pause grows to at most."
        " What ends the waiting is the time that the operation may take."
        " Raise it to ask a service that is down less often.",
    ),
    cfg.FloatOpt(
        "quota_max_pause",
        default=50.0,
        min=0.01,
        max=86400,
        help="Seconds, 0.01 to 86400, that such a pause grows to at most"
        " while a quota is exhausted, if blocked_max_pause is not shorter: so"
        " soon, and a scan_interval more, is noticed that it was raised."
        " Each try costs up to 40 ms of a processor: raise it where hundreds"
        " of operations wait for quota.",
    ),
    cfg.FloatOpt(
        "commit_batch_ms",
        default=25.0,
        min=0.0,
        max=1000,
        help="Milliseconds, 0 to 1000, for which acts without an outside"
        " effect are gathered into one transaction. Raise it where a commit"
        " is slow (replicated databases); other operations of the same loop"
        " wait that long. 0 commits each step by itself.",
    ),
    cfg.IntOpt(
        "report_interval",
        default=10,
        min=1,
        max=3600,
        help="Seconds, 1 to 3600, between two reports that this worker is"
        " alive; it is shown as down after twice that. It decides nothing"
        " but what the list of services shows.",
    ),
    cfg.BoolOpt(
        "observe_on_update",
        default=False,
        deprecated_name="enable_observer",
        help="Whether updates that do not say read the observed state before"
        " they are planned, so that drift is repaired. A request says it"
        " with converge, whatever this is. Set it where physical resources"
        " are changed by others; each update then asks the services about"
        " all that its stack has.",
    ),
    cfg.FloatOpt(
        "idempotency_key_ttl",
        default=86400.0,
        min=60,
        help="Seconds, at least 60, for which the answer to a request with an"
        " Idempotency-Key is stored, so that a repeated request gets it."
        " Raise it where clients try again after more than a day.",
    ),
    cfg.FloatOpt(
        "max_function_time",
        default=1.6,
        min=-1,
        help="Processor seconds that the functions of templates may take in"
        " one request, over all its templates and levels; a request that"
        " needs more gets 400. Raise it where templates of users compute"
        " much with yaql; lower it to bound what one request costs. -1 lifts"
        " the limit.",
    ),
    cfg.IntOpt(
        "max_idempotency_keys_per_project",
        default=10000,
        min=1,
        help="Most of these answers that a project has, a count, at least 1;"
        " the oldest go first. Raise it where a project sends more requests"
        " than that within idempotency_key_ttl.",
    ),
)
