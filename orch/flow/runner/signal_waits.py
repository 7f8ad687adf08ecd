"""The atoms of one operation that wait for signals, and new signals."""

import collections.abc
import typing

from orch import clock
from orch import ids
from orch.flow.state import store
from orch.flow.tasks import base

QUIET_DELAY_S: typing.Final = 2.0
"""How long an operation stays on its worker after the last change of its
waits for signals: a burst of them is taken without planning anew."""

SignalCounts = collections.abc.Mapping[str, object]


class SignalWaits:
    """The atoms that wait for signals, their sources and due times.

    It is used on the operation's loop only.

    :ivar atoms: the atoms that wait, and of which no call is in progress
    """

    def __init__(self, rows: store.Store, clock_: clock.Clock) -> None:
        """Start without any wait."""
        self._rows = rows
        self._clock = clock_
        self._sources: dict[base.ChangeTask, ids.ResourceId] = {}
        self.atoms = self._sources.keys()
        self._due: dict[base.ChangeTask, float | None] = {}
        self._signalled: dict[base.ChangeTask, None] = {}
        self.quiet_at = 0.0

    @property
    def sources(self) -> set[ids.ResourceId]:
        """The resources whose signals atoms wait for."""
        return set(self._sources.values())

    @property
    def known(self) -> dict[ids.ResourceId, SignalCounts]:
        """The known signal counts of each source."""
        return {each: self._rows.rows[each].signals for each in self.sources}

    @property
    def names(self) -> list[str]:
        """The names of the resources that wait, sorted."""
        return sorted(atom.change.name for atom in self._sources)

    @property
    def is_quiet(self) -> bool:
        """Whether no wait or signal has changed for a while."""
        return self._clock.monotonic() >= self.quiet_at

    @property
    def next_due(self) -> float | None:
        """The moment at which the first is polled anyway, monotonic."""
        return min(
            (due for due in self._due.values() if due is not None),
            default=None,
        )

    def begin(self, atom: base.ChangeTask, after_s: float | None) -> None:
        """Register an atom that waits for a signal.

        :param after_s: seconds after which it is polled in any case
        """
        acting = self._rows.acting(atom.change) or atom.change
        row = self._rows.rows[acting.resource_id]
        source = self._rows.signal_sources.find(self._rows.plugin(row), row)
        now = self._clock.monotonic()
        self._sources[atom] = (source or row).id
        self._due[atom] = None if after_s is None else now + after_s
        self.quiet_at = now + QUIET_DELAY_S

    def end(self, atom: base.ChangeTask) -> None:
        """Remove an atom that is polled again, or has ended."""
        self._sources.pop(atom, None)
        self._due.pop(atom, None)
        self._signalled.pop(atom, None)

    def add(
        self, found: collections.abc.Mapping[ids.ResourceId, SignalCounts]
    ) -> None:
        """Take in new signal counts, and mark the atoms that wait."""
        for resource_id, kept in found.items():
            self._rows.rows.remember(resource_id, signals=kept)
        for atom, source in self._sources.items():
            if source in found:
                self._signalled[atom] = None

    def take_signalled(self) -> list[base.ChangeTask]:
        """Return, once, the atoms that have new signals."""
        new_signals = list(self._signalled)
        self._signalled.clear()
        return new_signals
