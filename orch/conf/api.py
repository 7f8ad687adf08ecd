"""How the REST API is served."""

from oslo_config import cfg

from orch.conf import section

SECTION = section.Section(
    "api",
    "REST API",
    cfg.HostAddressOpt(
        "host",
        default="127.0.0.1",
        help="Address that the API listens on. The default is for this"
        " machine alone. Set it to 0.0.0.0 or to one address where others"
        " are to reach the API; with auth = none that is refused, because"
        " then everyone who can connect is an administrator.",
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
        " wait for workers at once. One project has all of them but one. Raise"
        " it when many clients poll and the workers answer slowly.",
    ),
    cfg.IntOpt(
        "max_connections_per_address",
        default=100,
        min=-1,
        help="Maximum number of connections of one address, or of one /64 of"
        " IPv6, to this process, which has 1000 in all. Beyond it the one"
        " that has waited longest for its client is closed; where all are"
        " being served, requests on further ones get a 503. trusted_proxies"
        " and this machine itself have no limit. Raise it where many users"
        " share an address; -1 lifts the limit.",
    ),
    cfg.FloatOpt(
        "header_timeout",
        default=20.0,
        min=0.1,
        max=600,
        help="Seconds, 0.1 to 600, in which the header of a request must have"
        " come, in all, and that a new connection waits for it. Raise it"
        " for clients on very slow lines.",
    ),
    cfg.FloatOpt(
        "body_timeout",
        default=60.0,
        min=0.1,
        max=3600,
        help="Seconds, 0.1 to 3600, in which the body of a request must have"
        " come after its header, in all; later ones get a 408. Raise it where"
        " large templates come over slow lines.",
    ),
    cfg.IntOpt(
        "max_event_streams",
        default=64,
        min=0,
        max=10000,
        help="Maximum number of event streams of this process at once, 0 to"
        " 10000, half of them of one project; each has a thread of its own"
        " and asks a worker every two seconds at the latest. Further clients"
        " get a 503. Raise it where more users follow events. 0 sends none.",
    ),
    cfg.FloatOpt(
        "event_stream_max_duration",
        default=3600.0,
        min=1,
        max=86400,
        help="Seconds, 1 to 86400, after which a stream of events ends, and"
        " its client continues with a new request. The caller is checked"
        " again all the time; lower it to spread the clients of several"
        " processes evenly.",
    ),
    cfg.StrOpt(
        "auth",
        default="none",
        choices=[
            (
                "none",
                "no authentication: the project is in the path, the roles"
                " are in the X-Roles header; on a loopback address only",
            ),
            (
                "keystone",
                "Keystone, by the token of each request: set"
                " [keystone_authtoken], and [trustee] on the workers",
            ),
            (
                "basic",
                "names and passwords (HTTP basic) from user_file, and"
                " basic_grants; put TLS in front",
            ),
        ],
        help="Who decides which user a request comes from. All API processes"
        " and all workers need the same value.",
    ),
    cfg.StrOpt(
        "local_users",
        default="same",
        choices=[
            (
                "same",
                "the user who runs the API, and root; the kernel is asked"
                " once for each connection",
            ),
            (
                "any",
                "every user of the machine, and every container that shares"
                " its network",
            ),
        ],
        help="Who is served with auth = none. With any, each user of the"
        " machine is an administrator: where local resource types are enabled"
        " each may run commands as the user of the worker. Set it to any only"
        " where all users of the machine are trusted so far, or where the"
        " kernel does not know who connects: outside Linux, with a kernel"
        " without sock_diag (CONFIG_INET_DIAG), and for clients in another"
        " network namespace.",
    ),
    cfg.StrOpt(
        "user_file",
        default="",
        help="File of users and their passwords for auth = basic, as Apache's"
        " htpasswd -B writes it (bcrypt). A change of it counts at once.",
    ),
    cfg.MultiStrOpt(
        "basic_grants",
        default=[],
        help="Roles of one user of user_file in one project, as USER PROJECT"
        " ROLE,ROLE with blanks between the three; * means every"
        " project, and admin there makes an admin of the cloud; reader,"
        " member and admin are the usual roles. Set it once"
        " for each user and project. For auth = basic.",
    ),
    cfg.IntOpt(
        "max_failed_logins",
        default=10,
        min=-1,
        help="Wrong passwords of one user from one address, in a row, that"
        " cost no pause with auth = basic. After each further one none is"
        " checked for 1, 2, 4 seconds and so on, at most 60: the answer is 429"
        " and says when to retry. Each API process counts for itself, unless"
        " rate_store is set. Lower it where passwords are weak; 0 counts as"
        " 1, and -1 lifts the limit.",
    ),
    cfg.ListOpt(
        "trusted_proxies",
        default=[],
        help="IP addresses of proxies in front of the API whose"
        " X-Forwarded-For header is believed, and that have any number of"
        " connections, separated by commas. Set it where there are any, else"
        " all wrong passwords seem to come from the proxy.",
    ),
    cfg.IntOpt(
        "rpc_timeout",
        default=60,
        min=1,
        max=3600,
        help="Seconds, 1 to 3600, that a request waits for workers' answers,"
        " for all of them together, before the client gets a 503. Raise it"
        " where large templates take long to check; keep it below the timeout"
        " of a proxy in front.",
    ),
    cfg.FloatOpt(
        "search_timeout",
        default=5.0,
        min=0.5,
        max=3600,
        help="Seconds, 0.5 to 3600, that a search waits for its answer before"
        " the client gets a 503. A quarter of the threads serve searches, so"
        " no other request waits for them. Raise it where an index is so large"
        " that searches take longer.",
    ),
    cfg.ListOpt(
        "hidden_stack_tags",
        default=["data-processing-cluster"],
        help="Tags that hide a stack: lists leave out stacks that have one,"
        " unless the request has show_hidden. Add the tags that other"
        " services give to stacks that no user is to touch.",
    ),
    cfg.IntOpt(
        "page_limit",
        default=-1,
        min=-1,
        help="Most stacks, events or resources of a drift report in one"
        " answer, a count; clients request the next page with a marker. Set it"
        " where projects have thousands of stacks and all clients do so:"
        " python-heatclient does not unless it has a limit itself, and shows"
        " the first page alone; -1 lifts the limit.",
    ),
    cfg.IntOpt(
        "requests_per_minute",
        default=-1,
        min=-1,
        help="Requests that the users of one project may send in a minute,"
        " in the long run, to one API process, or to all of them where"
        " rate_store is set; beyond them the answer is 429 and says when to"
        " come again. Set it where a client that asks without a pause must"
        " not slow down others; 0 counts as 1, and -1 lifts the limit."
        " Signals by sealed addresses do not count.",
    ),
    cfg.StrOpt(
        "rate_store",
        default="",
        secret=True,
        help="Redis or Valkey server, such as redis://:PASSWORD@cache:6379/0"
        " or rediss:// for TLS, in which all API processes count the requests"
        " of requests_per_minute together, and max_failed_logins. Set it where"
        " there are several processes; it costs each request one call there"
        " for either that is limited, and needs the Python package"
        " redis. While it gives no answer, and where this is empty, each"
        " process counts for itself.",
    ),
    cfg.IntOpt(
        "request_burst",
        default=100,
        min=1,
        help="Requests, at least 1, that they may send at once after a pause."
        " Raise it where clients send many requests together; it matters"
        " with requests_per_minute only.",
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
        help="Seconds, 0.1 to 600, in which all templates that a request, or"
        " a call for a resource, names by their addresses must have been"
        " fetched. Raise it for slow servers of templates.",
    ),
)
