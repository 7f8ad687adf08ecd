"""Where a process shows its metrics."""

from oslo_config import cfg

GROUP = cfg.OptGroup("metrics", title="Metrics for Prometheus")

OPTIONS = (
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


def register(conf: cfg.ConfigOpts) -> None:
    """Make the options known to ``conf``."""
    # A group of its own: oslo.config keeps what is set in the group object.
    conf.register_group(cfg.OptGroup(GROUP.name, title=GROUP.title))
    conf.register_opts(OPTIONS, group=GROUP.name)


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return the options for the sample generator."""
    return [(GROUP.name, list(OPTIONS))]
