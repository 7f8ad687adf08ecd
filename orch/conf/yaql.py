"""Limits of YAQL expressions in templates, under Heat's names."""

from oslo_config import cfg

GROUP = cfg.OptGroup("yaql", title="YAQL expressions")

OPTIONS = (
    cfg.IntOpt(
        "limit_iterators",
        default=200,
        min=-1,
        help="Most elements that a YAQL expression may take from one list or"
        " generator, a count. Raise it for templates that compute over long"
        " lists; -1 lifts the limit.",
    ),
    cfg.IntOpt(
        "memory_quota",
        default=10000,
        min=-1,
        help="Memory that one YAQL expression may take, in bytes as YAQL"
        " counts them. Raise it together with limit_iterators; -1 lifts the"
        " limit.",
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
