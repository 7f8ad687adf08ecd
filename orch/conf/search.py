"""Where the search service keeps its index, and what feeds it."""

from oslo_config import cfg

GROUP = cfg.OptGroup("search", title="Search over what is deployed")

OPTIONS = (
    cfg.StrOpt(
        "connection",
        secret=True,
        help="Where the index is stored, a URL: postgresql://… for tables in a"
        " PostgreSQL database (names begin with ``search_``; the extension"
        " pg_trgm is made there when it is missing), sqlite:///FILE for a"
        " file that one machine uses, opensearch://HOST:PORT or"
        " opensearchs://HOST:PORT for an OpenSearch or Elasticsearch cluster"
        " (user and password as usual in a URL). The default is the"
        " connection of [database] where that is PostgreSQL; otherwise set"
        " it on the machine of orch-search.",
    ),
    cfg.BoolOpt(
        "embedded",
        default=True,
        help="Let orch-all search too. Set it to false without any searches,"
        " to save memory and space on disk.",
    ),
    cfg.StrOpt(
        "pool",
        default="orch-search-notifications",
        help="Pool of notification listeners that share the notifications, a"
        " name. All processes of orch-search with one index have one; give"
        " another to those that keep another index. The broker keeps another"
        " copy of all notifications for listeners that have no pool: leave it"
        " empty when there are none, so that orch-search takes that copy.",
    ),
    cfg.IntOpt(
        "threads",
        default=4,
        min=1,
        max=64,
        help="Queries, 1 to 64, that one process answers at the same time."
        " Raise it while queries wait and cores are idle.",
    ),
    cfg.IntOpt(
        "history_days",
        default=7,
        min=0,
        max=3650,
        help="Days, 0 to 3650, for which former states can be searched; 0"
        " for not at all. Each change of a stack or resource stores its"
        " former state for so long: lower it to make the index smaller.",
    ),
    cfg.FloatOpt(
        "reread_interval",
        default=2.0,
        min=0.5,
        max=3600,
        help="Seconds, 0.5 to 3600, between two readings of a stack while it"
        " changes and the source reports no change, as another service never"
        " does. Raise it where very large stacks change for long.",
    ),
    cfg.FloatOpt(
        "check_interval",
        default=3600.0,
        min=10,
        max=2592000,
        help="Seconds, 10 to 2592000, after which the whole index is compared"
        " with the engine again, a little at a time, and scanned for orphans."
        " Lower it where notifications get lost.",
    ),
    cfg.StrOpt(
        "source",
        default="engine",
        choices=(
            ("engine", "the workers of this installation, over the bus"),
            ("heat", "the REST API that [search_heat] names, as a service"),
        ),
        help="The source of the documents. Set it to heat to search what"
        " another orchestration service has deployed, whose notifications"
        " arrive on this bus.",
    ),
)

HEAT = cfg.OptGroup("search_heat", title="Where search reads another service")

HEAT_OPTIONS = (
    cfg.StrOpt(
        "endpoint_override",
        default="",
        help="URL of the orchestration API, with the project of the user in"
        " it, such as http://HOST:8004/v1/PROJECT. Set it where the catalogue"
        " of Keystone names another address; empty takes the one of the"
        " catalogue. How to log in is said by auth_type and the options of"
        " that login, as in [trustee]: a user who may list the stacks of all"
        " projects. For source = heat in [search].",
    ),
    cfg.StrOpt(
        "region_name",
        default="",
        help="Region of the catalogue that the API is taken from, a name. Set"
        " it where there are several; empty takes the first.",
    ),
    cfg.StrOpt(
        "interface",
        default="public",
        choices=("public", "internal", "admin"),
        help="Which of the addresses in the catalogue is taken. Set it to"
        " internal where orch-search shares a network with the API.",
    ),
    cfg.ListOpt(
        "hidden_stack_tags",
        default=["data-processing-cluster"],
        help="Tags that hide a stack: only administrators find stacks that"
        " have one. Set it to the option of that name of the other service,"
        " which does not publish it; stacks that its list leaves out are"
        " hidden anyway.",
    ),
)


def register(conf: cfg.ConfigOpts) -> None:
    """Make the options known to ``conf``."""
    for group, options in ((GROUP, OPTIONS), (HEAT, HEAT_OPTIONS)):
        conf.register_group(cfg.OptGroup(group.name, title=group.title))
        conf.register_opts(options, group=group.name)


def list_opts() -> list[tuple[str, list[cfg.Opt]]]:
    """Return the options for the sample generator."""
    return [
        (GROUP.name, list(OPTIONS)),
        (HEAT.name, list(HEAT_OPTIONS)),
    ]
