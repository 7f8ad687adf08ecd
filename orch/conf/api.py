"""How the REST API is served."""

from oslo_config import cfg

GROUP = cfg.OptGroup("api", title="REST API")

OPTIONS = (
    cfg.HostAddressOpt(
        "host",
        default="127.0.0.1",
        help="Address that the API listens on. The default is for this"
        " machine alone, because without an authentication service everyone"
        " who can connect is an administrator; set it to 0.0.0.0 or to one"
        " address once something in front decides who may connect.",
    ),
    cfg.PortOpt(
        "port",
        default=8004,
        help="TCP port that the API listens on, 0 to 65535; 0 lets the"
        " system choose a free one. Change it when 8004 is taken.",
    ),
    cfg.IntOpt(
        "threads",
        default=16,
        min=1,
        max=1024,
        help="Threads that serve requests, 1 to 1024: as many requests may"
        " wait for workers at once. Raise it when many clients poll and the"
        " workers answer slowly.",
    ),
    cfg.StrOpt(
        "auth",
        default="none",
        choices=[
            (
                "none",
                "no authentication: the project stands in the path, the"
                " roles in the X-Roles header; only for trusted networks",
            )
        ],
        help="Who decides which user a request comes from.",
    ),
    cfg.IntOpt(
        "rpc_timeout",
        default=60,
        min=1,
        max=3600,
        help="Seconds, 1 to 3600, that a request waits for a worker's"
        " answer before the client gets a 503. Raise it where large"
        " templates take long to check; keep it below the timeout of a"
        " proxy in front.",
    ),
    cfg.IntOpt(
        "page_limit",
        default=-1,
        min=-1,
        help="Most stacks or events in one answer, a count; clients ask for"
        " the next page with a marker. Set it where projects have thousands"
        " of stacks; -1 lifts the limit.",
    ),
    cfg.StrOpt(
        "public_url",
        default="",
        help="Scheme, host and port that links in answers begin with, such"
        " as https://cloud.example.net:8004. Set it when a proxy in front"
        " hides the address that clients use; empty takes that of each"
        " request.",
    ),
    cfg.FloatOpt(
        "template_url_timeout",
        default=30.0,
        min=0.1,
        max=600,
        help="Seconds, 0.1 to 600, in which a template named by its address"
        " must have been fetched. Raise it for slow servers of templates.",
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
