"""Which atoms of a flow are ready, as their predecessors complete.

For each atom it is counted how many of its direct predecessors are not
complete, so that the cost grows with the edges of the flow, not with all
ancestors and descendants of an atom.
"""

import collections
import collections.abc

from taskflow import exceptions
from taskflow.flow import LINK_DECIDER

from orch.flow.engine import breakpoints
from orch.flow.engine import compiler
from orch.flow.tasks import base


class Readiness:
    """Returns each atom once all its predecessors are complete.

    :ivar atoms: all atoms of the flow
    :ivar ready: the atoms that may start now, the one longest ready first
    """

    def __init__(self, gate: breakpoints.Gate) -> None:
        """Know of no atom yet.

        :param gate: which atoms have to wait before they begin, or before
            others follow them
        """
        self._gate = gate
        self._missing: dict[base.ChangeTask, int] = {}
        self.atoms = self._missing.keys()
        self._next: dict[base.ChangeTask, list[base.ChangeTask]] = {}
        self.ready: collections.deque[base.ChangeTask] = collections.deque()
        self._held_before: list[base.ChangeTask] = []
        self._held_behind: list[base.ChangeTask] = []

    @property
    def is_holding(self) -> bool:
        """Whether a breakpoint holds atoms that a user has to release."""
        return bool(self._held_before or self._held_behind)

    @property
    def is_exhausted(self) -> bool:
        """Whether every atom was taken, and none is held."""
        return (
            not self.ready
            and not self.is_holding
            and all(left == 0 for left in self._missing.values())
        )

    @property
    def awaiting(self) -> int:
        """Number of atoms that wait for others, or to be taken."""
        waiting = sum(1 for left in self._missing.values() if left > 0)
        return waiting + len(self.ready)

    def learn(self, flow: compiler.PlanFlow) -> None:
        """Store each atom of a flow and its neighbours.

        :raises taskflow.exceptions.CompilationFailure: the flow has retries,
            deciders or flows in it, which plans never have
        """
        if flow.retry is not None:
            raise exceptions.CompilationFailure("a plan has no retry atoms")
        for atom in flow:
            if not isinstance(atom, base.ChangeTask):
                raise exceptions.CompilationFailure(
                    f"{atom} is no change of a plan"
                )
            self._missing[atom] = 0
            self._next[atom] = []
        links = flow.iter_links()  # type: ignore[no-untyped-call]
        for before, after, facts in links:
            if LINK_DECIDER in facts:
                raise exceptions.CompilationFailure("a plan has no deciders")
            self._next[before].append(after)
            self._missing[after] += 1

    def open(self) -> None:
        """Mark the atoms without predecessors as ready."""
        self.ready.extend(
            atom for atom, left in self._missing.items() if left == 0
        )

    def holds(self, atom: base.ChangeTask) -> bool:
        """Whether the gate holds an atom; a held one is stored here."""
        is_held = self._gate.holds_before(atom.change)
        if is_held:
            self._held_before.append(atom)
        return is_held

    def pass_on(self, atom: base.ChangeTask) -> None:
        """Release the successors of an atom, unless the gate holds them."""
        if self._gate.holds_behind(atom.change):
            self._held_behind.append(atom)
            return
        for after in self._next[atom]:
            self._missing[after] -= 1
            if self._missing[after] == 0:
                self.ready.append(after)

    def reconsider(self) -> None:
        """Ask the gate again about every atom that it holds."""
        self.ready.extend(self._held_before)
        self._held_before = []
        behind, self._held_behind = self._held_behind, []
        for atom in behind:
            self.pass_on(atom)
