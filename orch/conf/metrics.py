"""Where a process shows its metrics."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "metrics",
    "Metrics for Prometheus",
    cfg.HostAddressOpt(
        "host",
        default="127.0.0.1",
        help="Address that each process shows its metrics on, without asking"
        " who reads them. Set it to an address of the network of operators"
        " where Prometheus runs on another machine.",
    ),
    cfg.PortOpt(
        "port",
        default=0,
        help="TCP port that each process shows its metrics on, at /metrics;"
        " 0 counts nothing. Set it to have metrics. Of several processes on"
        " one machine the first has this port, others the next free ones.",
    ),
    cfg.IntOpt(
        "ports",
        default=16,
        min=1,
        max=1000,
        help="Ports, 1 to 1000, from port on, of which a process takes the"
        " first that is free. Raise it where more processes than that run on"
        " one machine; set it to 1 where each has a port of its own.",
    ),
    cfg.FloatOpt(
        "database_interval",
        default=15.0,
        min=1.0,
        max=86400.0,
        help="Seconds, 1 to 86400, for which a worker keeps what it read of"
        " the database for its metrics: a few counts. Raise it where they are"
        " slow.",
    ),
)
