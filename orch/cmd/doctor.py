"""Checks of an installation, each with what to do when it fails."""

import collections.abc
import dataclasses

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.cmd import durability
from orch.cmd import lifecycle
from orch.cmd import notifications
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db import revision
from orch.db.repositories import outbox
from orch.db.repositories import refused_notifications
from orch.db.repositories import services
from orch.model import plugin_settings
from orch.model import service
from orch.rpc import broker
from orch.rpc import caller
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc import transport
from orch.rpc import worker_watch

_SKEW_S = 5.0
_OUTBOX = 1000
_SEARCH_S = 15.0
"""A process that is still filling its local files says so after ten."""
_UNREAD = 1000


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    topic: str
    is_good: bool
    text: str


def run_checks(conf: cfg.ConfigOpts, clock_: clock.Clock) -> list[Finding]:
    """Return all findings; checks that build on a failed one are left out."""
    return [*_examine_broker(conf), *_examine_database(conf, clock_)]


def _examine_broker(conf: cfg.ConfigOpts) -> list[Finding]:
    try:
        bus = transport.build_transport(conf)
    except errors.Invalid as error:
        return [Finding("broker", False, error.message)]
    known = bus.broker
    if not known.is_external:
        return [Finding("broker", True, "none is needed")]
    try:
        queues = known.find_queues([contract.TOPIC])
        searching = known.find_queues([contract.SEARCH_TOPIC])
    except errors.Unavailable:
        return [
            Finding(
                "broker",
                False,
                "cannot be reached; check [DEFAULT] transport_url, and that"
                " its user may use the virtual host",
            )
        ]
    return [
        Finding("broker", True, "reachable"),
        _examine_takers(queues),
        _examine_search(bus, searching),
        *_examine_durability(conf, bus),
        *_examine_unread(conf),
    ]


def _examine_takers(queues: collections.abc.Sequence[broker.Queue]) -> Finding:
    """Say whether workers take requests; their reports may be older."""
    takers = sum(queue.consumers for queue in queues)
    if takers:
        return Finding("requests", True, "workers take them from the broker")
    return Finding(
        "requests",
        False,
        "no worker takes them from the broker; start orch-engine",
    )


def _examine_search(
    bus: transport.Transport, queues: collections.abc.Sequence[broker.Queue]
) -> Finding:
    """Say whether searches are answered, if a process has ever done so."""
    if not queues:
        return Finding(
            "search", True, "no orch-search has ever been there: none is asked"
        )
    asked = proxy.proxy(
        contract.Search,
        caller.SearchCaller(
            transport.Caller(
                bus,
                _SEARCH_S,
                contract.SEARCH_TOPIC,
                worker_watch.SHORT_TIMEOUTS,
            )
        ),
    )
    try:
        found = asked.status(request.RequestContext())
    except errors.OrchError as error:
        return Finding("search", False, error.message)
    finally:
        bus.cleanup()  # type: ignore[no-untyped-call]
    return Finding("search", True, f"{found['documents']} documents")


def _examine_durability(
    conf: cfg.ConfigOpts, bus: transport.Transport
) -> list[Finding]:
    """Say which queues are not as durable as the options say."""
    try:
        found = durability.find_mismatches(
            conf, bus.broker, broker.notification_broker(conf)
        )
    except errors.Unavailable as error:
        return [Finding("durability", False, error.message)]
    return [
        Finding("durability", False, f"{each}: {durability.ADVICE}")
        for each in found
    ] or [Finding("durability", True, "queues are as the options say")]


def _examine_unread(conf: cfg.ConfigOpts) -> list[Finding]:
    """Say which queues of notifications grow without a reader.

    A policy is not seen by AMQP, only how much a queue has.
    """
    known = broker.notification_broker(conf)
    try:
        queues = known.find_queues(notifications.queues_of(conf))
    except errors.Unavailable as error:
        return [Finding("notifications", False, error.message)]
    return [_examine_queue(each) for each in queues]


def _examine_queue(queue: broker.Queue) -> Finding:
    topic = f"queue {queue.name}"
    text = f"{queue.messages} messages, {queue.consumers} consumers"
    if queue.messages > notifications.MAX_MESSAGES:
        advice = "nothing bounds it"
    elif queue.messages > _UNREAD and not queue.consumers:
        advice = (
            "nothing reads it: start its consumer, or remove its topic from"
            " [notifications] topics"
        )
    else:
        return Finding(topic, True, text)
    return Finding(
        topic,
        False,
        f"{text}; {advice}. `orch-manage notification policy` prints a command"
        " that bounds it",
    )


def _examine_database(
    conf: cfg.ConfigOpts, clock_: clock.Clock
) -> list[Finding]:
    try:
        database = db_engine.Database.from_conf(conf)
        found = revision.current(database)
    except Exception as error:
        return [
            Finding(
                "database",
                False,
                f"cannot be used; check [database] connection: {error}",
            )
        ]
    findings = [Finding("database", True, "reachable"), _examine_tables(found)]
    if findings[-1].is_good:
        with database.read() as conn:
            findings += [
                _examine_workers(conn),
                *_examine_plugins(conn),
                _examine_clock(conn, clock_),
                _examine_outbox(conn),
                *_examine_topics(conn, conf.notifications.topics),
                _examine_refused(conn),
            ]
    database.dispose()
    return findings


def _examine_tables(found: str | None) -> Finding:
    expected = revision.head()
    if found == expected:
        return Finding("tables", True, f"revision {found}")
    return Finding(
        "tables",
        False,
        f"revision {found or 'none'}, this release needs {expected}; run"
        " `orch-manage db sync`",
    )


def _examine_workers(conn: db_engine.Connection) -> Finding:
    known = services.list_(conn)
    up = sum(1 for _, is_up in known if is_up)
    down = len(known) - up
    text = f"{up} alive, {down} down"
    if up:
        return Finding("workers", True, text)
    return Finding("workers", False, f"{text}; start orch-engine")


def _examine_plugins(conn: db_engine.Connection) -> list[Finding]:
    """Say which live workers take no operations, and why."""
    active, workers = lifecycle.find_workers(conn)
    found = []
    if workers and not any(_takes(active, each) for each in workers):
        text = "no live worker takes operations: they wait"
        found.append(Finding("plug-ins", False, text))
    for each in workers:
        trouble = lifecycle.find_trouble(active, each)
        if trouble is not None:
            text = f"{each.host} ({each.id}): {trouble}"
            found.append(Finding("plug-ins", False, text))
    number = 0 if active is None else active.number
    text = f"all live workers have number {number} of the plug-in settings"
    return found or [Finding("plug-ins", True, text)]


def _takes(
    active: plugin_settings.PluginSettings | None, worker: service.Service
) -> bool:
    return plugin_settings.find_trouble(active, worker.load_report) is None


def _examine_clock(conn: db_engine.Connection, clock_: clock.Clock) -> Finding:
    skew_s = functions.read_clock(conn) - clock_.now()
    text = f"{skew_s:+.1f} s between the database and this machine"
    if abs(skew_s) <= _SKEW_S:
        return Finding("clock", True, text)
    return Finding("clock", False, f"{text}; synchronise both (NTP)")


def _examine_outbox(conn: db_engine.Connection) -> Finding:
    waiting = outbox.count(conn) - sum(outbox.count_by_topic(conn).values())
    text = f"{waiting} notifications wait"
    if waiting <= _OUTBOX:
        return Finding("outbox", True, text)
    return Finding(
        "outbox", False, f"{text}; is the broker away, or no worker alive?"
    )


def _examine_topics(
    conn: db_engine.Connection, topics: collections.abc.Collection[str]
) -> list[Finding]:
    """Say for which topics alone something waits."""
    found = []
    for topic, waiting in outbox.count_by_topic(conn).items():
        advice = (
            "a queue of the topic takes no more; let its consumer read it, or"
            " give it room"
            if topic in topics
            else "[notifications] topics does not list it; list it, or forget"
            f" them with `orch-manage notification forget --topic {topic}`"
        )
        text = f"{waiting} notifications wait for it alone: {advice}"
        found.append(Finding(f"topic {topic}", False, text))
    return found


def _examine_refused(conn: db_engine.Connection) -> Finding:
    refused = refused_notifications.count(conn)
    if not refused:
        return Finding("notifications", True, "the broker refused none")
    return Finding(
        "notifications",
        False,
        f"the broker refused {refused}; see `orch-manage notification list`,"
        " then resend or forget them",
    )
