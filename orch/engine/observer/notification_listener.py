"""Mark trees as due when a service notifies of a change in them.

The notifications of services name their objects in many ways; all that looks
like an id is looked up among the physical ids of resources.
"""

import collections.abc
import logging
import typing

import oslo_messaging as messaging
from oslo_config import cfg

from orch import errors
from orch import periodic
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import watches
from orch.engine.queries import lookup
from orch.rpc import broker
from orch.rpc import options
from orch.rpc import server_starter

LOG = logging.getLogger(__name__)

POOL: typing.Final = "orch-observer"
"""The pool's listeners get each notification once, apart from others."""

_BATCH: typing.Final = 200
_BATCH_S: typing.Final = 0.5
_RETRY_S: typing.Final = 2.0
_MAX_DEPTH: typing.Final = 8
_MAX_IDS: typing.Final = 200
_MAX_ID_CHARACTERS: typing.Final = 255

_IDS = frozenset({"id", "uuid", "resource_info", "key_name"})

# These say whose an object is or what it was made of, not which it is.
_OF_OTHERS = frozenset(
    {
        *("tenant_id", "project_id", "user_id", "domain_id", "request_id"),
        *("host_id", "image_id", "flavor_id", "instance_type_id"),
        *("reservation_id", "instance_flavor_id", "initiator_id"),
    }
)

# A service also notifies of what it is about to do, and of what exists.
_NO_CHANGES = (".start", ".exists")

Wake = collections.abc.Callable[[], None]


def find_ids(payload: object) -> set[str]:
    """Return the texts of a notification that may be physical ids."""
    found: set[str] = set()
    _gather(payload, found, _MAX_DEPTH)
    return found


def _gather(value: object, found: set[str], depth: int) -> None:
    if depth == 0 or len(found) >= _MAX_IDS:
        return
    if isinstance(value, collections.abc.Mapping):
        for key, each in value.items():
            if isinstance(each, str):
                if _is_id(str(key)) and _is_sound(each):
                    found.add(each)
            else:
                _gather(each, found, depth - 1)
    elif isinstance(value, list | tuple):
        for each in value:
            _gather(each, found, depth - 1)


def _is_id(key: str) -> bool:
    return key in _IDS or (key.endswith("_id") and key not in _OF_OTHERS)


def _is_sound(text: str) -> bool:
    """Whether the database can be queried for a text."""
    return 0 < len(text) <= _MAX_ID_CHARACTERS and lookup.is_storable(text)


class NotificationEndpoint:
    """Endpoint of notifications, in batches; oslo.messaging calls it."""

    def __init__(self, database: db_engine.Database, wake: Wake) -> None:
        """Mark no tree yet.

        :param wake: lets this worker look for due trees
        """
        self._database = database
        self._wake = wake

    def info(
        self, messages: collections.abc.Sequence[dict[str, object]]
    ) -> str:
        """Mark the trees whose physical resources changed.

        A notification is acknowledged even where this fails: a tree that is
        not marked is observed at its usual time.
        """
        physical_ids: set[str] = set()
        for each in messages:
            if not str(each["event_type"]).endswith(_NO_CHANGES):
                physical_ids |= find_ids(each["payload"])
        if physical_ids:
            self._mark(physical_ids)
        return str(messaging.NotificationResult.HANDLED)

    error = warn = info

    def _mark(self, physical_ids: set[str]) -> None:
        def work(conn: db_engine.Connection) -> int:
            roots = watches.find_roots(conn, physical_ids)
            now = functions.read_clock(conn)
            watches.enroll_watches(
                conn, [(each, roots[each], now) for each in sorted(roots)]
            )
            return watches.mark_dirty(conn, list(roots))

        try:
            marked = self._database.run(work)
        except Exception:
            LOG.exception("notifications of other services are lost")
            return
        if marked:
            LOG.debug("a service reported changes of %d stacks", marked)
            self._wake()


def build_listener(
    conf: cfg.ConfigOpts, database: db_engine.Database, wake: Wake
) -> server_starter.Starter | None:
    """Return the listener, which has a thread of its own.

    It connects to nothing before it is started.

    :returns: ``None`` where the options name no topic
    :raises orch.errors.Invalid: the URL of the broker is not valid
    """
    group = conf.observer
    if not (group.topics and group.exchanges):
        return None
    options.register_options(conf)
    url = group.transport_url or None
    try:
        parsed = messaging.TransportURL.parse(conf, url)
        transport = messaging.get_notification_transport(conf, url)
    except (
        ValueError,
        messaging.InvalidTransportURL,
        messaging.DriverLoadFailure,
    ) as error:
        raise errors.Invalid(f"[observer] transport_url: {error}") from error
    return server_starter.Starter(
        "observer-listen",
        lambda: messaging.get_batch_notification_listener(
            transport,
            [
                messaging.Target(exchange=exchange, topic=topic)
                for exchange in group.exchanges
                for topic in group.topics
            ],
            [NotificationEndpoint(database, wake)],
            pool=POOL,
            batch_size=_BATCH,
            batch_timeout=_BATCH_S,
        ),
        broker.Broker(conf, parsed),
        periodic.Failures(
            LOG,
            "notifications of services are not received",
            "notifications of services are received",
            first_pause_s=_RETRY_S,
        ),
        threads=1,
        retry_s=_RETRY_S,
        on_stopped=transport.cleanup,
    )
