"""Lets servers of oslo.messaging listen once their broker is there."""

import collections.abc
import logging
import typing

import oslo_messaging as messaging

from orch import periodic

LOG = logging.getLogger(__name__)

Make = collections.abc.Callable[[], messaging.MessageHandlingServer]


class Reachable(typing.Protocol):
    """What we need of ``orch.rpc.broker.Broker``."""

    def is_reachable(self) -> bool:
        """Answer whether a connection can be made now."""


def _do_nothing() -> None:
    """Do nothing: the default where no callback is given."""


class Starter:
    """Starts a server, and stops the one that it has started.

    Each try has a server of its own: oslo.messaging remembers that a server
    was told to start, not that it failed, and does nothing when told again.
    """

    def __init__(
        self,
        name: str,
        make: Make,
        broker: Reachable,
        failures: periodic.Failures,
        *,
        threads: int,
        retry_s: float,
        on_started: collections.abc.Callable[[], None] = _do_nothing,
        on_stopped: collections.abc.Callable[[], None] = _do_nothing,
    ) -> None:
        """Start nothing yet.

        :param name: of the threads that start and stop it
        :param make: returns a server that was never started
        :param threads: that handle what comes in
        :param retry_s: between two looks for the broker
        :param on_started: called once it listens; called again until it
            raises nothing
        :param on_stopped: called once it has ended
        """
        self._name = name
        self._make = make
        self._broker = broker
        self._threads = threads
        self._retry_s = retry_s
        self._on_started = on_started
        self._on_stopped = on_stopped
        self._server: messaging.MessageHandlingServer | None = None
        self._thread = periodic.Thread(f"{name}-start", self._try, failures)

    def start(self) -> None:
        """Listen, from now on or from when the broker is there.

        It returns in either case.
        """
        if self._broker.is_reachable():
            self._listen()
        else:
            LOG.warning(
                "%s: the message broker cannot be reached; waiting",
                self._name,
            )
            self._thread.start(self._retry_s)

    def start_later(self) -> None:
        """Do the same, and leave even the first try to a thread."""
        self._thread.start()

    def stop(self, grace_s: float) -> bool:
        """Take nothing more, and let what is under way end.

        :param grace_s: give up on a broker that is away after so long
        :returns: whether all ended in time
        """
        self._thread.stop_reason()

        def work() -> None:
            self._thread.wait()
            if self._server is not None:
                self._server.stop()
                self._server.wait()
            self._on_stopped()

        return periodic.run_within(grace_s, f"{self._name}-stop", work)

    def _try(self) -> float | None:
        if not self._broker.is_reachable():
            return self._retry_s
        self._listen()
        LOG.info("%s: the message broker is there", self._name)
        return None

    def _listen(self) -> None:
        if self._server is None:
            server = self._make()
            server.start(override_pool_size=self._threads)
            self._server = server
        self._on_started()
