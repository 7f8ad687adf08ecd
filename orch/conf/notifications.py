"""Where ``orchestration.*`` notifications go."""

from oslo_config import cfg

GROUP = cfg.OptGroup("notifications", title="Notifications")

OPTIONS = (
    cfg.ListOpt(
        "topics",
        default=["notifications"],
        help="Topics that notifications are published to, names. The broker"
        " keeps what is published until somebody consumes it: list one topic"
        " for each consumer that needs all of them, and leave the list empty"
        " when nobody consumes any.",
    ),
    cfg.StrOpt(
        "exchange",
        default="heat",
        help="Exchange that notifications are published to, a name."
        " Ceilometer and its like listen on the default; change it only"
        " together with the consumers.",
    ),
    cfg.StrOpt(
        "publisher_id",
        help="Who consumers are told a notification comes from. The default"
        " is orchestration.HOST, with the host option of [DEFAULT]; change"
        " it when consumers select by it.",
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
