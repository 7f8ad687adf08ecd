"""Where the search service keeps its index, and what feeds it."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "search",
    "Search over what is deployed",
    cfg.StrOpt(
        "connection",
        secret=True,
        help="Where the index is stored, a URL: postgresql://… or mysql://…"
        " for tables in a database of PostgreSQL, MariaDB or MySQL (names"
        " begin with ``search_shared_``; see ``folder``), sqlite:///FILE for"
        " a file that one machine uses, opensearch://HOST:PORT or"
        " opensearchs://HOST:PORT for an OpenSearch or Elasticsearch cluster"
        " (user and password as usual in a URL). The default is the"
        " connection of [database] where that is a database server; otherwise"
        " set it on the machine of orch-search.",
    ),
    cfg.StrOpt(
        "folder",
        default="/var/lib/orch/search",
        help="Directory on a local disk, a path, where each orch-search has a"
        " file that it searches, with a connection to PostgreSQL, MariaDB or"
        " MySQL alone. The files are filled from there and may be deleted at"
        " any time. Set it where that directory cannot be written to, or its"
        " disk is small. That of orch-all is in its state directory.",
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
        "check_interval",
        default=3600.0,
        min=10,
        max=2592000,
        help="Seconds, 10 to 2592000, after which the whole index is compared"
        " with the engine again, a little at a time, and scanned for orphans."
        " Lower it where source is heat and its notifications get lost; of the"
        " engine no change is missed.",
    ),
    cfg.StrOpt(
        "source",
        default="engine",
        help="The source of the documents, a name: engine for the workers of"
        " this installation, over the bus, or one that an installed package"
        " adds. Set it to search what another orchestration service has"
        " deployed, whose notifications arrive on this bus.",
    ),
)
