"""Deliver waiting signals to one host, in order."""

import collections.abc
import logging
import typing

from orch import clock
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import forwarding as rows
from orch.engine.forwarding import sender as forwarding_sender
from orch.model import forwarding

LOG = logging.getLogger(__name__)

_BATCH: typing.Final = 20
_FIRST_WAIT_S = 1.0
_MAX_WAIT_S = 300.0
_MAX_WAIT_HERE_S = 15.0
"""The same for a stack of this installation, where no request is sent."""

_MAX_DOUBLINGS = 9
"""Doublings after which the wait does not grow any more."""

_UNREACHABLE: typing.Final = forwarding_sender.DeliveryResult.UNREACHABLE


Send = collections.abc.Callable[
    [forwarding.Address, forwarding.Signal], forwarding_sender.Answer
]
"""Sends one signal to the new address of its resource."""


def deliver_to_host(
    database: db_engine.Database,
    send: Send,
    host: str | None,
    may_go_on: collections.abc.Callable[[], bool],
) -> None:
    """Send the signals due to a host, until it is unreachable.

    :param may_go_on: called before each signal
    :raises orch.db.errors.DatabaseDown: the database gave no answer
    """
    due = database.query(lambda conn: rows.list_due(conn, host, _BATCH))
    for each in due:
        if not may_go_on():
            return
        if _serve(database, send, each, may_go_on) is _UNREACHABLE:
            return


def _serve(
    database: db_engine.Database,
    send: Send,
    address: forwarding.Address,
    may_go_on: collections.abc.Callable[[], bool],
) -> forwarding_sender.DeliveryResult:
    """Send the signals of one address, in order, until one is not accepted."""
    result = forwarding_sender.DeliveryResult.TAKEN
    waiting = database.query(
        lambda conn: rows.list_waiting(conn, address, _BATCH)
    )
    if not waiting:
        database.run(lambda conn: _settle(conn, address))
    for each in waiting:
        if not may_go_on():
            return result
        answer = send(address, each)
        result = answer.result
        if result in (forwarding_sender.DeliveryResult.NOT_NOW, _UNREACHABLE):
            _hold_back(database, address, answer)
            return result
        _forget(database, address, each, answer)
    return result


def _forget(
    database: db_engine.Database,
    address: forwarding.Address,
    sent: forwarding.Signal,
    answer: forwarding_sender.Answer,
) -> None:
    """Remove a signal that need not be sent again."""
    if answer.problem:
        LOG.warning(
            "a signal for %s of stack %s was refused: %s",
            "/".join(address.path),
            address.origin_id,
            answer.problem,
        )

    database.run(lambda conn: _settle(conn, address, sent, answer.problem))


def _hold_back(
    database: db_engine.Database,
    address: forwarding.Address,
    answer: forwarding_sender.Answer,
) -> None:
    """Postpone an address; for an unreachable host, all its addresses."""
    attempts = min(address.attempts + 1, _MAX_DOUBLINGS)
    max_wait_s = _MAX_WAIT_S
    if address.successor_id is not None:
        max_wait_s = _MAX_WAIT_HERE_S
    wait_s = min(_FIRST_WAIT_S * 2 ** (attempts - 1), max_wait_s)

    def work(conn: db_engine.Connection) -> None:
        until = clock.Timestamp(functions.read_clock(conn) + wait_s)
        rows.update(
            conn,
            address,
            attempts=attempts,
            next_at=until,
            problem=answer.problem,
        )
        is_unreachable = answer.result is _UNREACHABLE
        if is_unreachable and address.host is not None:
            rows.hold_back(conn, address.host, until, answer.problem)

    database.run(work)


def _settle(
    conn: db_engine.Connection,
    address: forwarding.Address,
    sent: forwarding.Signal | None = None,
    problem: str = "",
) -> None:
    """Remove a sent signal, and update the number that still wait.

    They are counted once the address is locked: signals that came meanwhile
    wait too.

    :param sent: ``None`` where no signal was found
    """
    held = rows.lock(conn, address)
    if sent is not None:
        left = rows.take_out(conn, sent)
    elif rows.list_waiting(conn, address, 1):
        return
    else:
        left = 0
    if held is None:
        return
    rows.update(
        conn,
        held,
        waiting=left,
        attempts=0,
        next_at=held.next_at if left else None,
        problem=problem,
    )
