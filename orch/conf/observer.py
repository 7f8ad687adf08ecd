"""Whether and how stacks are observed all the time."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "observer",
    "Observer of drift",
    cfg.BoolOpt(
        "enabled",
        default=False,
        help="Whether this worker observes physical resources at intervals,"
        " stores their state, and repairs drift where a policy says so. Set"
        " it where users change resources outside of their stacks; the work"
        " is shared by all workers that have it on. Observations on demand"
        " run without it too.",
    ),
    cfg.FloatOpt(
        "period",
        default=600.0,
        min=0.5,
        max=2592000,
        help="Seconds, 0.5 to 2592000, between two observations of a stack"
        " with all its child stacks; the stacks of one project are observed"
        " together. Lower it to see drift sooner; each observation is about"
        " one call for each page of each type of resource in a project.",
    ),
    cfg.FloatOpt(
        "max_period",
        default=1800.0,
        min=0.5,
        max=2592000,
        help="Seconds, 0.5 to 2592000, that the time between two looks grows"
        " to where nothing changes; a value below period is taken for it."
        " Set it to period to look always after the same time.",
    ),
    cfg.FloatOpt(
        "scan_interval",
        default=5.0,
        min=0.1,
        max=600,
        help="Seconds, 0.1 to 600, between two questions to the database"
        " which stacks are due; each is one small query. Lower it together"
        " with short periods.",
    ),
    cfg.FloatOpt(
        "calls_per_second",
        default=10.0,
        min=0.01,
        max=100000,
        help="Calls of resource plug-ins a second, 0.01 to 100000, that"
        " observing makes for one project to one service, on all workers"
        " together; scans for orphans count too. Lower it where services are"
        " slow; resources that are not reached in time are observed later.",
    ),
    cfg.IntOpt(
        "call_burst",
        default=20,
        min=1,
        max=100000,
        help="Such calls, 1 to 100000, that a worker may make at once before"
        " it keeps to calls_per_second. Raise it where projects have many"
        " types of resources, so that small stacks do not wait.",
    ),
    cfg.IntOpt(
        "threads",
        default=2,
        min=1,
        max=64,
        help="Projects that a worker observes at the same time, 1 to 64; each"
        " takes a thread. Raise it where many projects have slow services.",
    ),
    cfg.IntOpt(
        "batch_size",
        default=50,
        min=1,
        max=10000,
        help="Stacks of one project, 1 to 10000, that are observed together"
        " before other projects have their turn. Types that list are listed"
        " once for all of them: raise it to make fewer calls, lower it to"
        " use less memory.",
    ),
    cfg.FloatOpt(
        "claim_ttl",
        default=30.0,
        min=1.0,
        max=3600,
        help="Seconds, 1 to 3600, that a worker owns the stacks that it"
        " observes without renewing its claim; those of a dead worker are"
        " observed by others after this time. Raise it where machines stall"
        " for long. All workers should have the same value.",
    ),
    cfg.IntOpt(
        "max_concurrent_repairs",
        default=5,
        min=1,
        max=10000,
        help="Repairs of the stacks of one project, 1 to 10000, that the"
        " observer runs at the same time. Lower it where operations are a load"
        " on services.",
    ),
    cfg.FloatOpt(
        "repair_first_pause",
        default=300.0,
        min=0.1,
        max=2592000,
        help="Seconds, 0.1 to 2592000, before a stack is repaired again"
        " whose repair has failed, or has left drift behind. Each further"
        " pause is twice as long. Raise it where a person should look first.",
    ),
    cfg.FloatOpt(
        "repair_max_pause",
        default=86400.0,
        min=0.1,
        max=2592000,
        help="Seconds, 0.1 to 2592000, that this pause grows to at most."
        " Lower it to have repairs tried more often that fail for long.",
    ),
    cfg.IntOpt(
        "max_consecutive_repairs",
        default=5,
        min=0,
        max=1000,
        help="Repairs of one resource, 0 to 1000, that follow each other in"
        " repairs_window before it is left alone when it drifts once more,"
        " which an event reports; an update by a user lets it be repaired"
        " again. Raise it where resources need several repairs; 0 repairs"
        " them for ever.",
    ),
    cfg.FloatOpt(
        "repairs_window",
        default=3600.0,
        min=0.1,
        max=2592000,
        help="Seconds, 0.1 to 2592000, from the first of these repairs to the"
        " drift that comes after the last. Raise it together with period: a"
        " resource that is observed less often than max_consecutive_repairs"
        " times in this time is never left alone.",
    ),
    cfg.IntOpt(
        "vanished_limit",
        default=3,
        min=0,
        max=1000000,
        help="Physical resources of a project, 0 to 1000000, that may vanish"
        " at once and are created again. If there are more, and more than"
        " vanished_limit_percent, repairs of the project stop, which an event"
        " and a notification report. Lower it where a second one of anything"
        " is costly.",
    ),
    cfg.FloatOpt(
        "vanished_limit_percent",
        default=20.0,
        min=0.0,
        max=100.0,
        help="Percent, 0 to 100, of the observed physical resources of a"
        " project that may vanish at once and are created again; what has"
        " vanished within max_period counts. Set it to 100 so that repairs"
        " never stop.",
    ),
    cfg.IntOpt(
        "max_history_entries",
        default=1000,
        min=1,
        max=1000000,
        help="Entries of the drift history of a root stack and its child"
        " stacks, 1 to 1000000; the oldest that have ended are removed. Drift"
        " that lasts is never removed. Raise it where drift is audited over"
        " long times.",
    ),
    cfg.ListOpt(
        "topics",
        default=[],
        help="Topics of the notifications of other services, names, such as"
        " notifications. A stack is observed soon after one reports a"
        " change of its resources. Other consumers of the topic get all of"
        " theirs too. Leave it empty to listen to nothing.",
    ),
    cfg.ListOpt(
        "exchanges",
        default=["nova", "neutron", "cinder", "glance", "keystone"],
        help="Exchanges that services publish their notifications to, names:"
        " their control_exchange. List those of the services that stacks have"
        " resources in.",
    ),
    cfg.StrOpt(
        "transport_url",
        default="",
        secret=True,
        help="Broker of these notifications, such as"
        " rabbit://user:password@host:5672/; empty for the one that Orch"
        " itself uses. Set it where services have a broker of their own.",
    ),
)
