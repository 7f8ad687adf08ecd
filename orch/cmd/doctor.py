"""Checks of an installation, each with what to do when it fails."""

import collections.abc
import dataclasses

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.cmd import lifecycle
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
_SEARCH_S = 5.0


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
    waiting = outbox.count(conn)
    text = f"{waiting} notifications wait"
    if waiting <= _OUTBOX:
        return Finding("outbox", True, text)
    return Finding(
        "outbox", False, f"{text}; is the broker away, or no worker alive?"
    )


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
