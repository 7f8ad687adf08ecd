"""Forward signals to the new addresses of abandoned stacks.

One worker at a time does it, under the named lease ``forwarder``, so that the
signals of a resource arrive in their order. A signal is removed after the
receiver accepted it: it may be sent twice, and then its id shows it.
"""

import collections.abc
import functools
import logging
import typing

from orch import clock
from orch import ids
from orch.clients import egress
from orch.db import engine as db_engine
from orch.db import functions
from orch.db import leader_lease
from orch.db.repositories import abandonments
from orch.db.repositories import forwarding as rows
from orch.engine import delivery_turns
from orch.engine import dependencies
from orch.engine.forwarding import sender
from orch.model import forwarding

_BATCH: typing.Final = 20
_FIRST_WAIT_S = 1.0
_MAX_WAIT_S = 300.0
_MAX_WAIT_HERE_S = 15.0
"""The same for a stack of this installation, where no request is sent."""

_MAX_DOUBLINGS = 9
"""Doublings after which the wait does not grow any more."""

_UNREACHABLE: typing.Final = sender.DeliveryResult.UNREACHABLE


Send = collections.abc.Callable[
    [forwarding.Address, forwarding.Signal], sender.Answer
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
) -> sender.DeliveryResult:
    """Send the signals of one address, in order, until one is not accepted."""
    result = sender.DeliveryResult.TAKEN
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
        if result in (sender.DeliveryResult.NOT_NOW, _UNREACHABLE):
            _hold_back(database, address, answer)
            return result
        _forget(database, address, each, answer)
    return result


def _forget(
    database: db_engine.Database,
    address: forwarding.Address,
    sent: forwarding.Signal,
    answer: sender.Answer,
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
    answer: sender.Answer,
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


LOG = logging.getLogger(__name__)

LEASE: typing.Final = "forwarder"
MAX_DELIVERIES: typing.Final = 8
"""How many hosts are served at the same time."""
_LOOK_S = 1.0
_TIDY_S = 3600.0
_OUTAGE_MESSAGES = (
    "signals of moved stacks wait",
    "signals of moved stacks leave",
)


class Forwarder(delivery_turns.DeliveryTurns[str | None]):
    """Forwards signals of old addresses; its keys are hosts."""

    def __init__(
        self,
        database: db_engine.Database,
        settings: dependencies.Settings,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
        send_here: Send,
        within: egress.Egress = egress.DEFAULT,
    ) -> None:
        """Create the thread; :meth:`start` starts it.

        :param send_here: delivers to the stacks of this installation that
            have taken over the abandoned ones
        :param within: limits of egress for hosts that the operator has not
            named in full
        """
        super().__init__(
            LEASE,
            database,
            worker_id,
            clock_,
            LOG,
            _OUTAGE_MESSAGES,
            sender.MAX_SEND_S,
        )
        self._settings = settings
        self._send_here = send_here
        self._sender = sender.Sender(settings.forward_hosts, within)
        self._tidy_at = 0.0

    def step(self) -> float:
        """Begin the turns that are due, if this worker has the lease.

        :returns: seconds until the next step
        """
        if not self._leader_lease.hold():
            return leader_lease.RETRY_INTERVAL_S
        self._tidy()
        busy = self._turns.keys
        free_slots = MAX_DELIVERIES - len(busy)
        if free_slots > 0:
            due = self._database.query(rows.list_due_hosts)
            for host in self._list_waiting(due, busy)[:free_slots]:
                self._begin(host, functools.partial(self._deliver, host))
        return _LOOK_S

    def _deliver(
        self, host: str | None, may_go_on: delivery_turns.MayGoOn
    ) -> None:
        deliver_to_host(self._database, self._send, host, may_go_on)

    def _send(
        self, address: forwarding.Address, signal: forwarding.Signal
    ) -> sender.Answer:
        if address.successor_id is not None:
            return self._send_here(address, signal)
        return sender.send_signal(self._sender, address, signal)

    def _tidy(self) -> None:
        """Remove addresses and documents that are too old, once an hour."""
        now = self._clock.monotonic()
        if now < self._tidy_at:
            return
        self._tidy_at = now + _TIDY_S
        days = self._settings.document_days
        self._database.run(lambda conn: abandonments.forget_old(conn, days))
        while self._database.run(lambda conn: rows.forget_old(conn, days)):
            pass
