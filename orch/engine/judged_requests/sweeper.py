"""Sweep, at an interval, for calls that a lost worker has left."""

import collections.abc
import logging
import typing

from orch import periodic

LOG = logging.getLogger(__name__)

PAUSE_S: typing.Final = 60.0


class Sweeper:
    """A thread that sweeps from the start of the worker on."""

    def __init__(
        self,
        sweep: collections.abc.Callable[[], None],
        pause_s: float = PAUSE_S,
    ) -> None:
        """Prepare :meth:`start`."""
        self._sweep = sweep
        self._pause_s = pause_s
        self._thread = periodic.Thread(
            "orch-lifecycle-left",
            self._round,
            periodic.Failures(
                LOG,
                "calls that were left are processed later",
                "calls that were left are processed again",
                first_pause_s=pause_s,
                max_pause_s=pause_s,
            ),
        )

    def start(self) -> None:
        """Sweep now, and again after each pause."""
        self._thread.start()

    def stop(self) -> None:
        """Stop sweeping; a second call does nothing."""
        self._thread.stop()

    def _round(self) -> float:
        self._sweep()
        return self._pause_s
