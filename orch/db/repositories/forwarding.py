"""Signal addresses of abandoned stacks, and signals to forward."""

import collections.abc

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import functions
from orch.db import rows
from orch.db import types
from orch.db.models import forwarding as forwarding_tables
from orch.db.models import software
from orch.db.repositories import software_configs
from orch.model import forwarding

_ADDRESSES = forwarding_tables.FORWARDED_ADDRESSES
_SIGNALS = forwarding_tables.FORWARDED_SIGNALS
_TAKEN = forwarding_tables.TAKEN_SIGNALS
_ORIGINS = forwarding_tables.ORIGINS
_DEPLOYMENTS = software.SOFTWARE_DEPLOYMENTS
_ADDRESS_ROWS = rows.Rows(forwarding.Address, _ADDRESSES)

_SIGNAL_ROWS = rows.Rows(forwarding.Signal, _SIGNALS)

_ORIGIN_ROWS = rows.Rows(forwarding.Origin, _ORIGINS)

_DAY_S = 86400.0
_PAGE = 500
_MAX_TAKEN = 1000
"""Ids that are kept of one resource; a sender may make up as many."""


insert = _ADDRESS_ROWS.insert_many
save_signal = _SIGNAL_ROWS.insert
save_origin = _ORIGIN_ROWS.insert
find_origin = _ORIGIN_ROWS.find


def find(conn: sa.Connection, resource_id: str) -> forwarding.Address | None:
    """Return the address of one incarnation of a resource, if it is kept."""
    return _ADDRESS_ROWS.first(
        conn.execute(
            _ADDRESS_ROWS.by("resource_id"), {"key_resource_id": resource_id}
        )
    )


def lock(
    conn: sa.Connection, value: forwarding.Address
) -> forwarding.Address | None:
    """Return the address, locked until the transaction ends."""
    return _ADDRESS_ROWS.lock(conn, value.stack_id, value.resource_id)


def list_(
    conn: sa.Connection, origin_id: ids.StackId
) -> list[forwarding.Address]:
    """Return all addresses of an outermost stack, by where they stand."""
    found = _ADDRESS_ROWS.find_by(conn, origin_id=origin_id)
    return sorted(found, key=lambda each: (each.path, each.resource_id))


def list_of_stack(
    conn: sa.Connection, stack_id: str
) -> list[forwarding.Address]:
    """Return the addresses of the resources that one stack held."""
    return _ADDRESS_ROWS.find_by(conn, stack_id=stack_id)


def list_of_server(
    conn: sa.Connection, project_id: str | None, server_id: str
) -> list[forwarding.Address]:
    """Return what the agent of a server uses.

    :param project_id: whose stack it was; ``None`` for all projects
    """
    statement = _ADDRESS_ROWS.select().where(
        _ADDRESSES.c.server_id == server_id
    )
    if project_id is not None:
        statement = statement.where(_ADDRESSES.c.project_id == project_id)
    return _ADDRESS_ROWS.all(conn.execute(statement))


def list_due_hosts(conn: sa.Connection) -> list[str | None]:
    """Return the hosts that a signal is due for, the longest waiting first."""
    waiting = sa.func.min(_ADDRESSES.c.next_at)
    return list(
        conn.scalars(
            sa.select(_ADDRESSES.c.host)
            .where(_ADDRESSES.c.next_at <= functions.now())
            .group_by(_ADDRESSES.c.host)
            .order_by(waiting)
        )
    )


def list_due(
    conn: sa.Connection, host: str | None, limit: int
) -> list[forwarding.Address]:
    """Return addresses of which a signal is due, the longest waiting first.

    :param host: that they are at
    """
    return _ADDRESS_ROWS.all(
        conn.execute(
            _ADDRESS_ROWS.select()
            .where(
                _ADDRESSES.c.next_at <= functions.now(),
                _ADDRESSES.c.host == host,
            )
            .order_by(_ADDRESSES.c.next_at)
            .limit(limit)
        )
    )


def update(
    conn: sa.Connection, value: forwarding.Address, **changed: object
) -> None:
    """Change columns of one address; one that is gone stays so."""
    _ADDRESS_ROWS.update(conn, value.stack_id, value.resource_id, **changed)


def save_successor(
    conn: sa.Connection, origin_id: ids.StackId, successor_id: ids.StackId
) -> None:
    """Let signals for an abandoned stack go to a stack of this installation.

    Those that wait are due. Signals that come meanwhile see it, since it locks
    the addresses.
    """
    waits = _ADDRESSES.c.waiting > 0
    conn.execute(
        sa.update(_ADDRESSES)
        .where(_ADDRESSES.c.origin_id == origin_id)
        .values(
            successor_id=successor_id,
            host=None,
            attempts=0,
            problem="",
            next_at=sa.case((waits, functions.now()), else_=None),
        )
    )


def note_poll(
    conn: sa.Connection,
    values: collections.abc.Collection[forwarding.Address],
    now: clock.Timestamp,
) -> None:
    """Note that a server was told of new addresses, where they are known.

    Where it is to poll another one, that one tells it all others.
    """
    polled = forwarding.Kind.METADATA
    moves = any(each.kind is polled and each.new_address for each in values)
    for each in values:
        changed: dict[str, object] = {}
        is_told = each.new_address is not None
        if each.kind is polled:
            changed["used_at"] = now
        else:
            is_told = is_told or moves
        if is_told:
            changed["notified_at"] = now
        if changed:
            update(conn, each, **changed)


def hold_back(
    conn: sa.Connection, host: str, until: clock.Timestamp, problem: str
) -> None:
    """Let no signal go to a host before a moment."""
    conn.execute(
        sa.update(_ADDRESSES)
        .where(_ADDRESSES.c.host == host, _ADDRESSES.c.next_at < until)
        .values(next_at=until, problem=problem)
    )


def has_signal(
    conn: sa.Connection, value: forwarding.Address, signal_id: str
) -> bool:
    """Answer whether a signal of that id waits already."""
    return rows.has_any(
        conn,
        sa.select(_SIGNALS.c.number).where(
            *_of(_SIGNALS, value.stack_id, value.resource_id),
            _SIGNALS.c.signal_id == signal_id,
        ),
    )


def count_waiting(conn: sa.Connection, value: forwarding.Address) -> int:
    """Return how long the signals are that wait at an address.

    In characters as stored: of JSON, a third more where that is encrypted;
    MySQL counts bytes.
    """
    text = sa.type_coerce(_SIGNALS.c.details, sa.Text)
    size = sa.func.coalesce(sa.func.sum(sa.func.length(text)), 0)
    return int(
        conn.execute(
            sa.select(size).where(
                *_of(_SIGNALS, value.stack_id, value.resource_id)
            )
        ).scalar_one()
    )


def list_waiting(
    conn: sa.Connection, value: forwarding.Address, limit: int
) -> list[forwarding.Signal]:
    """Return signals that wait at an address, in their order."""
    return _SIGNAL_ROWS.all(
        conn.execute(
            _SIGNAL_ROWS.select()
            .where(*_of(_SIGNALS, value.stack_id, value.resource_id))
            .order_by(_SIGNALS.c.number)
            .limit(limit)
        )
    )


def take_out(conn: sa.Connection, value: forwarding.Signal) -> int:
    """Forget a signal that was passed on.

    :returns: how many wait at that address still
    """
    _SIGNAL_ROWS.delete(conn, value.stack_id, value.resource_id, value.number)
    return _SIGNAL_ROWS.count(
        conn, *_of(_SIGNALS, value.stack_id, value.resource_id)
    )


def note_taken(
    conn: sa.Connection, stack_id: str, resource_id: str, signal_id: str
) -> None:
    """Remember that a resource has taken a signal; the newest ones only."""
    row: rows.Row = {
        "stack_id": stack_id,
        "resource_id": resource_id,
        "signal_id": signal_id,
        "taken_at": functions.read_clock(conn),
    }
    rows.insert(conn, _TAKEN, [row])
    mine = _of(_TAKEN, stack_id, resource_id)
    oldest = conn.scalars(
        sa.select(_TAKEN.c.taken_at)
        .where(*mine)
        .order_by(_TAKEN.c.taken_at.desc())
        .offset(_MAX_TAKEN)
        .limit(1)
    ).first()
    if oldest is not None:
        conn.execute(
            sa.delete(_TAKEN).where(*mine, _TAKEN.c.taken_at <= oldest)
        )


def is_taken(
    conn: sa.Connection, stack_id: str, resource_id: str, signal_id: str
) -> bool:
    """Answer whether a resource has taken that signal."""
    return rows.has_any(
        conn,
        sa.select(_TAKEN.c.signal_id).where(
            *_of(_TAKEN, stack_id, resource_id),
            _TAKEN.c.signal_id == signal_id,
        ),
    )


def forget_old(conn: sa.Connection, days: float) -> int:
    """Forget addresses of so long ago, and all that waits at them.

    What servers were to apply for those stacks goes as well.

    :returns: how many addresses
    """
    bound = functions.read_clock(conn) - days * _DAY_S
    conn.execute(sa.delete(_TAKEN).where(_TAKEN.c.taken_at < bound))
    old = conn.execute(
        sa.select(_ADDRESSES.c.stack_id, _ADDRESSES.c.resource_id)
        .where(_ADDRESSES.c.created_at < bound)
        .limit(_PAGE)
    ).all()
    for stack_id, resource_id in old:
        for table in (_ADDRESSES, _SIGNALS):
            conn.execute(
                sa.delete(table).where(*_of(table, stack_id, resource_id))
            )
        _forget_deployment(conn, stack_id, resource_id)
    return len(old)


def _forget_deployment(
    conn: sa.Connection, stack_id: str, resource_id: str
) -> None:
    mine = _of(_DEPLOYMENTS, stack_id, resource_id)
    found = list(
        conn.scalars(sa.select(_DEPLOYMENTS.c.config_id).where(*mine))
    )
    conn.execute(sa.delete(_DEPLOYMENTS).where(*mine))
    for config_id in found:
        software_configs.lock(conn, config_id)
        if not software_configs.is_deployed(conn, config_id):
            software_configs.delete(conn, config_id)


def size_of(details: object) -> int:
    """Return how many characters a signal takes where it waits."""
    return 0 if details is None else len(types.dump(details))


def _of(
    table: sa.Table, stack_id: str, resource_id: str
) -> tuple[sa.ColumnElement[bool], ...]:
    return table.c.stack_id == stack_id, table.c.resource_id == resource_id
