"""Lifecycle plug-ins: called before and after every operation.

A class is found by an entry point in ``orch.lifecycle``; its name there is
the plug-in's. All of them are called in one order before an operation, in
the reverse one after it, whatever its outcome. Each pre-op that was called
is followed by its post-op, except where it denied or raised itself. After a
crash a call may be made again, for the same operation id and attempt; a
post-op may then come for a pre-op whose answer was lost.
"""

import collections.abc
import dataclasses
import enum
import types
import typing

from orch.plugin import lifecycle_operation

NAMESPACE: typing.Final = "orch.lifecycle"

Decisions = collections.abc.Mapping[str, object]
"""JSON values by path of the resource that each is for; ``""`` is the stack.

Resource plug-ins find those for their resource in ``Context.decisions``.
"""

_NO_DECISIONS: typing.Final[Decisions] = types.MappingProxyType({})


class Scope(enum.Enum):
    """What of a tree a plug-in is called for.

    ``ROOTS``: each request of a user, wherever in the tree it begins; the
    plug-in sees the root stack. ``EVERY_STACK``: each operation of each stack;
    it sees that stack.
    """

    ROOTS = "roots"
    EVERY_STACK = "every stack"


class Ruling(enum.StrEnum):
    """A plug-in's ruling on an operation."""

    ALLOW = "allow"
    WARN = "warn"
    DENY = "deny"
    HOLD = "hold"


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a pre-op; built by the functions below.

    :ivar text: why, a sentence for users
    :ivar decisions: stored with the stack from now on
    :ivar deadline_s: after so many seconds a held operation counts as
        rejected; ``None`` for what the options say
    :ivar needs_other: who requested a held operation may not approve it
    :ivar is_separate: a hold needs an approval of its own
    """

    ruling: Ruling
    text: str = ""
    decisions: Decisions = dataclasses.field(
        default_factory=lambda: _NO_DECISIONS
    )
    deadline_s: float | None = None
    needs_other: bool = False
    is_separate: bool = False


def allow(decisions: Decisions = _NO_DECISIONS) -> Verdict:
    """Return a verdict that allows the operation."""
    return Verdict(Ruling.ALLOW, decisions=decisions)


def warn(text: str, decisions: Decisions = _NO_DECISIONS) -> Verdict:
    """Return a verdict that allows the operation with a warning."""
    return Verdict(Ruling.WARN, text, decisions)


def deny(text: str) -> Verdict:
    """Return a verdict that fails the operation before it starts."""
    return Verdict(Ruling.DENY, text)


def hold(
    text: str,
    deadline_s: float | None = None,
    decisions: Decisions = _NO_DECISIONS,
    *,
    needs_other: bool = False,
    is_separate: bool = False,
) -> Verdict:
    """Return a verdict that holds the operation until it is approved.

    It waits without a worker until a user approves or rejects it. The
    approval counts for the holds that the plug-in requests for child stacks
    during the same operation of the root, too.

    :param deadline_s: after which it counts as rejected
    :param needs_other: who requested the operation may not approve it; for a
        repair, who set the drift policy. An approval for another stack counts
        only if it needed the same
    :param is_separate: it needs an approval of its own, which counts for no
        other hold
    """
    return Verdict(
        Ruling.HOLD, text, decisions, deadline_s, needs_other, is_separate
    )


class Outcome(enum.StrEnum):
    """The outcome of an operation."""

    COMPLETE = "complete"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    DENIED = "denied"
    REJECTED = "rejected"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OperationResult:
    """The outcome of an operation, its reason and its failures.

    :ivar reason: the status reason that the stack will have
    :ivar failures: one map a failed resource: ``name``, ``type``,
        ``physical_id``, ``reason``; frozen
    :ivar corrects: the outcome that the post-ops were told before, where one
        of them has changed it
    """

    outcome: Outcome
    reason: str
    failures: tuple[collections.abc.Mapping[str, object], ...] = ()
    corrects: Outcome | None = None

    @property
    def is_failure(self) -> bool:
        """Whether the operation did not complete."""
        return self.outcome is not Outcome.COMPLETE


class LifecyclePlugin:
    """Base of all lifecycle plug-ins; one instance in a worker.

    It may be called from several threads at once, for different operations.
    The attributes of a class may depend on the settings: all but
    ``needs_settings`` may be set by the constructor.

    :cvar ordinal: lower ones come first; among equals the name decides
    :cvar before: names of plug-ins that this one comes before, whatever
        their ordinals; those that are not installed do not matter
    :cvar after: names of plug-ins that it comes after
    :cvar scope: which stacks of a tree it is called for
    :cvar verbs: requests that it is called for, of
        ``lifecycle_operation.VERBS``; ``None`` for all
    :cvar supports_preview: :meth:`pre_operation` may be called in previews
        too: it then has no side effect
    :cvar pre_has_effects: :meth:`pre_operation` may change something outside,
        which :meth:`post_operation` has to know of. Where it is false, a call
        whose worker was lost is made again, and gets no post-op of its own;
        that saves a write to the database before each call
    :cvar needs_settings: it is off unless the settings have a section for it
    :cvar time_limit_s: seconds that one call may take; ``None`` for what the
        options say
    """

    ordinal: int = 100
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    scope: Scope = Scope.ROOTS
    verbs: frozenset[str] | None = None
    supports_preview: bool = False
    pre_has_effects: bool = True
    needs_settings: typing.ClassVar[bool] = False
    time_limit_s: float | None = None

    def __init__(self, name: str, settings: typing.Any) -> None:
        """Store name and settings.

        :param name: of the entry point
        :param settings: the plug-in's section of the settings file, as YAML
            gives it; ``None`` where there is none
        :raises orch.errors.Invalid: they are wrong; the text says where
        """
        self.name = name
        self.settings = settings

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> Verdict | None:
        """Return the verdict on an operation, before it starts.

        An error that it raises denies the operation, with its text as reason.

        :returns: the verdict; ``None`` allows
        """
        return None

    def post_operation(
        self,
        operation: lifecycle_operation.LifecycleOperation,
        ended: OperationResult,
    ) -> None:
        """Handle the end of an operation.

        An error that it raises makes the operation a failed one; the
        plug-ins before this one are called all the same, and then all of them
        once more, with the outcome that this makes.
        """
