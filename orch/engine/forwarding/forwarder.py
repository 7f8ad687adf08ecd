"""Forward signals to the new addresses of abandoned stacks.

One worker at a time does it, under the named lease ``forwarder``, so that the
signals of a resource arrive in their order. A signal is removed after the
receiver accepted it: it may be sent twice, and then its id shows it.

Each host has turns of its own, in a thread of its own, so that one that
answers slowly blocks no other. Where there are more hosts than threads the one
comes next whose last turn was longest ago.
"""

import functools
import logging
import typing

from orch import clock
from orch import ids
from orch import periodic
from orch.clients import egress
from orch.db import engine as db_engine
from orch.db import leader_lease
from orch.db.repositories import abandonments
from orch.db.repositories import forwarding as rows
from orch.engine import dependencies
from orch.engine.forwarding import delivery
from orch.engine.forwarding import sender
from orch.model import forwarding

LOG = logging.getLogger(__name__)

LEASE: typing.Final = "forwarder"
MAX_DELIVERIES: typing.Final = 8
"""How many hosts are served at the same time."""
_MAX_DELIVERY_S = 10.0
_LOOK_S = 1.0
_TIDY_S = 3600.0
_OUTAGE_MESSAGES = (
    "signals of moved stacks wait",
    "signals of moved stacks leave",
)


class Forwarder:
    """Forwards signals of old addresses, from threads of its own."""

    def __init__(
        self,
        database: db_engine.Database,
        settings: dependencies.Settings,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
        send_here: delivery.Send,
        within: egress.Egress = egress.DEFAULT,
    ) -> None:
        """Create the thread; :meth:`start` starts it.

        :param send_here: delivers to the stacks of this installation that
            have taken over the abandoned ones
        :param within: limits of egress for hosts that the operator has not
            named in full
        """
        self._database = database
        self._settings = settings
        self._send_here = send_here
        self._sender = sender.Sender(settings.forward_hosts, within)
        self._clock = clock_
        self._leader_lease = leader_lease.LeaderLease(
            database, LEASE, worker_id, clock_
        )
        self._tidy_at = 0.0
        self._turned_at: dict[str | None, float] = {}
        self._thread = periodic.Thread(
            "forwarder", self.step, periodic.Failures(LOG, *_OUTAGE_MESSAGES)
        )
        self._turns: periodic.Turns[str | None] = self._thread.make_turns(
            "forwarder-turn", periodic.Failures(LOG, *_OUTAGE_MESSAGES)
        )

    def start(self) -> None:
        """Start the thread that begins the turns of hosts."""
        self._thread.start()

    def stop(self, grace_s: float = 5.0) -> bool:
        """End the threads; another worker may take over at once.

        :returns: whether they ended in time
        """
        has_ended = self._thread.stop(grace_s)
        if has_ended:
            self._leader_lease.release()
        return has_ended

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
            waiting = [each for each in due if each not in busy]
            waiting.sort(key=lambda host: self._turned_at.get(host, 0.0))
            for host in waiting[:free_slots]:
                self._begin(host)
        return _LOOK_S

    def finish(self, grace_s: float) -> bool:
        """Wait for the turns that have begun.

        :returns: whether they ended in time
        """
        return self._turns.finish(grace_s)

    def _begin(self, host: str | None) -> None:
        self._turned_at[host] = self._clock.monotonic()
        self._turns.begin(host, functools.partial(self._take, host))

    def _take(self, host: str | None) -> bool:
        """Serve one host for one turn; the rest comes later."""
        until = self._clock.monotonic() + _MAX_DELIVERY_S

        def may_go_on() -> bool:
            return (
                not self._thread.stopping.is_set()
                and self._clock.monotonic() < until
                and self._leader_lease.left_s > sender.MAX_SEND_S
            )

        delivery.deliver_to_host(self._database, self._send, host, may_go_on)
        return True

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
