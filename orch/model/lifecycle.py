"""How far the lifecycle plug-ins of an operation have been called."""

import dataclasses
import enum
import typing

from orch import clock
from orch import ids

PRE: typing.Final = "pre"
POST: typing.Final = "post"

CANCEL: typing.Final = "cancel"
MOVE: typing.Final = "move"
RELEASE: typing.Final = "release"
BESIDE: typing.Final = frozenset({CANCEL, MOVE})
"""Requests whose calls come beside those of another operation.

The pre-ops of a move are called before there is an operation.
"""

UNDECIDED: typing.Final = "undecided"
"""Option of an operation: nothing is decided in the tree of its stack.

It is true of the first worker that runs it; others look.
"""

APPROVED: typing.Final = "approved"
REJECTED: typing.Final = "rejected"
EXPIRED: typing.Final = "expired"


ADVISORY: typing.Final = "advisory"
SOFT_MANDATORY: typing.Final = "soft-mandatory"
MANDATORY: typing.Final = "mandatory"
"""Enforcement levels of plug-ins."""


class Stage(enum.StrEnum):
    """Where an attempt of an operation is, as its plug-ins see it.

    ``OPENING``: pre-ops are called; nothing was touched. ``IN_PROGRESS``: all
    of them let it pass. ``CLOSING``: it is known what became of it, and
    post-ops are called. ``CLOSED``: all of them were.
    """

    OPENING = "opening"
    IN_PROGRESS = "under way"
    CLOSING = "closing"
    CLOSED = "closed"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a plug-in that has ended.

    :ivar phase: ``PRE`` or ``POST``
    :ivar ruling: of a pre-op; ``None`` where it gave no answer
    :ivar text: what the plug-in says
    :ivar error: why there was no answer
    :ivar is_repeat: it may have been made before, by a worker that was lost
    :ivar outcome: what a post-op was told
    :ivar is_passed_over: a plug-in that fails open gave no verdict
    :ivar enforcement: level of the plug-in's verdicts; of a pre-op
    :ivar overridden_by: who has overridden the denial; ``None`` where it was
        not
    :ivar override_reason: why
    """

    plugin: str
    phase: str
    outcome: str = ""
    ruling: str | None = None
    text: str = ""
    error: str | None = None
    began_at: clock.Timestamp
    seconds: float = 0.0
    is_repeat: bool = False
    is_passed_over: bool = False
    enforcement: str = MANDATORY
    overridden_by: str | None = None
    override_reason: str = ""

    @property
    def shown_ruling(self) -> str:
        """Return the ruling that counts: an advisory plug-in only warns.

        A pre-op that gave no verdict denies the operation, unless its plug-in
        fails open: then it warns.
        """
        is_advisory = self.enforcement == ADVISORY and self.ruling != "allow"
        if is_advisory or self.is_passed_over:
            return "warn"
        return self.ruling or "deny"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A hold: an operation waits until it is approved or rejected.

    :ivar plugin: who wants that
    :ivar text: what the plug-in says
    :ivar deadline_at: when it counts as rejected
    :ivar left_s: seconds that the operation has when it goes on; ``None``
        for no limit
    :ivar answer: ``APPROVED``, ``REJECTED`` or ``EXPIRED``; ``None`` while
        it waits
    :ivar answered_by: who answered, as people know them
    :ivar answer_text: what they had to say
    :ivar needs_other: who requested the operation may not approve it
    :ivar is_separate: neither does its approval count for other holds, nor
        that of others for it
    """

    plugin: str
    text: str
    requested_at: clock.Timestamp
    deadline_at: clock.Timestamp
    left_s: float | None = None
    answer: str | None = None
    answered_by: str | None = None
    answered_at: clock.Timestamp | None = None
    answer_text: str = ""
    needs_other: bool = False
    is_separate: bool = False

    @property
    def is_open(self) -> bool:
        """Answer whether it has no answer yet."""
        return self.answer is None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The calls around one attempt of an operation.

    :ivar verb: the request whose plug-ins these are
    :ivar chain: names of the plug-ins, in order
    :ivar ahead: how many of the pre-ops may have been called
    :ivar maybe: how many of them a worker before this one may have called;
        it is not stored
    :ivar passed: how many of them have let the operation pass
    :ivar calls: those that have ended, in their order
    :ivar hold: the newest one, answered or not
    :ivar outcome: what the post-ops are told; empty before it is known
    :ivar reason: what they are told beside
    :ivar is_refused: one of the pre-ops has denied it, or given no answer
    :ivar has_before: the stacks before the operation are stored for post-ops
    :ivar for_operation: of a release that is allowed: the operation of another
        stack that takes the physical resources
    :ivar released_paths: of a release: the resources whose physical resources
        were taken, by path in the tree
    """

    operation_id: ids.OperationId
    attempt: int
    verb: str
    stack_id: ids.StackId
    project_id: str
    chain: tuple[str, ...]
    stage: Stage = Stage.OPENING
    ahead: int = 0
    maybe: int = 0
    passed: int = 0
    calls: tuple[Call, ...] = ()
    hold: Hold | None = None
    outcome: str = ""
    reason: str = ""
    is_refused: bool = False
    has_before: bool = False
    for_operation: ids.OperationId | None = None
    released_paths: tuple[str, ...] = ()
    began_at: clock.Timestamp

    @property
    def may_repeat(self) -> bool:
        """Whether the next pre-op may have been called before."""
        return self.passed < self.maybe

    @property
    def is_rejected(self) -> bool:
        """Whether a hold of the operation was not approved."""
        return (
            self.is_refused
            and self.hold is not None
            and self.passed < len(self.chain)
            and self.hold.plugin == self.chain[self.passed]
        )

    @property
    def verdicts(self) -> tuple[Call, ...]:
        """Return the calls that people should know of."""
        return tuple(
            each
            for each in self.calls
            if each.error is not None or each.ruling not in (None, "allow")
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A value that a plug-in keeps beside a resource.

    :ivar root_id: the outermost stack
    :ivar path: of the resource in its tree; empty for the root
    :ivar stack_id: the stack whose operation has brought it
    :ivar is_proven: that operation, or a later one, was complete
    :ivar earlier: what stood there before, since the stack was complete
        last: ``value``, ``operation_id``, ``attempt``, ``stack_id``,
        ``is_proven`` and ``earlier``; empty for nothing
    """

    root_id: ids.StackId
    path: str
    plugin: str
    stack_id: ids.StackId
    value: object
    operation_id: ids.OperationId
    attempt: int
    is_proven: bool = False
    earlier: dict[str, object] = dataclasses.field(default_factory=dict)

    @property
    def before(self) -> "Decision | None":
        """Return the decision that holds again without this one."""
        if not self.earlier:
            return None
        values = typing.cast("dict[str, typing.Any]", self.earlier)
        return Decision(
            root_id=self.root_id, path=self.path, plugin=self.plugin, **values
        )

    @property
    def earlier_values(self) -> tuple[object, ...]:
        """Return the values that may hold again, the newest first."""
        found: object = self.earlier
        values = []
        while isinstance(found, dict) and found:
            values.append(found.get("value"))
            found = found.get("earlier")
        return tuple(values)
