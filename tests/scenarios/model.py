"""What must stand after a row of operations, worked out anew from them."""

import collections.abc
import dataclasses

from tests.scenarios import shapes

_BRINGING = ("CREATE", "ADOPT", "UPDATE", "RESTORE")
_RESTING = {"SUSPEND": True, "RESUME": False}
_NOTHING: shapes.Shape = {}


@dataclasses.dataclass(frozen=True, slots=True)
class Ran:
    """One operation, as the rows tell of it.

    :ivar state: ``COMPLETE``, ``FAILED``, ``SUPERSEDED`` or an open one
    :ivar skip: names that it was told to leave as they are
    :ivar orphan: names of things that it was told to leave behind
    :ivar orphaned: their tokens
    """

    id: str
    action: str
    state: str
    skip: frozenset[str] = frozenset()
    orphan: frozenset[str] = frozenset()
    orphaned: frozenset[str] = frozenset()


@dataclasses.dataclass(slots=True)
class ExpectedState:
    """What a stack has come to.

    :ivar shape: what stands, or ``None`` when nothing complete can be said
    :ivar desired: what was asked for last
    :ivar targets: what each operation was to bring about, rollbacks too
    :ivar snapshots: what was wanted when each snapshot was begun, by its id
    :ivar rests: whether all that stands is at rest, or all of it awake;
        ``None`` when that is not sure
    :ivar skipped: names of which nothing can be said, by request
    :ivar unrested: likewise, as to whether they are at rest
    """

    shape: shapes.Shape | None = dataclasses.field(default_factory=dict)
    desired: shapes.Shape = dataclasses.field(default_factory=dict)
    targets: list[shapes.Shape] = dataclasses.field(default_factory=list)
    snapshots: dict[str, shapes.Shape] = dataclasses.field(
        default_factory=dict
    )
    rests: bool | None = False
    skipped: frozenset[str] = frozenset()
    unrested: frozenset[str] = frozenset()


Request = collections.abc.Callable[[ExpectedState], shapes.Shape] | None
"""What an operation is to bring about, given how things were when it was
accepted; ``None`` for one that changes nothing of what is declared."""


def expected_state(
    ran: collections.abc.Iterable[Ran],
    asked: collections.abc.Iterable[Request],
    rests: bool | None = False,
) -> ExpectedState:
    """Return what a stack has come to.

    :param ran: all operations, the oldest first; rollbacks among them
    :param asked: what each of them but the rollbacks was to bring about, in
        the same order
    :param rests: whether what stood before the first of them is at rest
    """
    history = _History()
    history.now.rests = rests
    wishes = iter(asked)
    for each in ran:
        if each.action == "ROLLBACK":
            history.roll_back(each)
            continue
        wish = next(wishes)
        if wish is None:
            history.act(each)
        else:
            history.bring(each, wish(history.now))
    return history.now


class _History:
    """What has become of a stack so far.

    :ivar now: what stands
    """

    def __init__(self) -> None:
        self.now = ExpectedState()
        # What was last complete; None until anything was.
        self._good: shapes.Shape | None = None
        self._before: shapes.Shape = {}
        self._undone = ""

    def bring(self, each: Ran, target: shapes.Shape) -> None:
        """Take in that something else was wanted."""
        if each.action in _BRINGING:
            self._before, self.now.desired = self.now.desired, target
            self._undone = each.action
        self._arrive(each, target)
        if each.state == "COMPLETE" and each.action in _BRINGING:
            self._good = target

    def roll_back(self, each: Ran) -> None:
        """Take in that what was wanted is undone.

        Before a creation nothing stood: that is what later ones go back to,
        too, until something is complete. What is declared stays then.
        """
        if self._undone == "CREATE":
            self._good = _NOTHING
        target = self._before if self._good is None else self._good
        if target is not _NOTHING:
            self.now.desired = target
        self._arrive(each, target)
        if each.state == "COMPLETE":
            self._good = target

    def act(self, each: Ran) -> None:
        """Take in that something was done with what stood.

        What it left behind is made again by whatever is wanted next.
        """
        self.now.skipped |= each.orphan
        if each.action == "SNAPSHOT":
            self.now.snapshots[each.id] = self.now.desired
        if each.action in _RESTING:
            is_complete = each.state == "COMPLETE"
            self.now.rests = _RESTING[each.action] if is_complete else None
            self.now.unrested = each.skip

    def _arrive(self, each: Ran, target: shapes.Shape) -> None:
        is_complete = each.state == "COMPLETE"
        self.now.targets.append(target)
        self.now.shape = target if is_complete else None
        self.now.skipped = each.skip
        # What is made anew is awake; what is changed stays as it was.
        if self.now.rests and each.action != "ADOPT":
            self.now.rests = None
        if is_complete and not target:
            self.now.rests = False
