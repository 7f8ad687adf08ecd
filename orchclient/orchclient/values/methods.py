"""Methods of values that need no other value.

A class here says which attributes it reads; ``tools/client_values/classes.py``
says which value inherits it.
"""

import collections
import collections.abc

from orchclient import stack_identity


class StackMethods:
    """Methods of what is about a stack."""

    __slots__ = ()
    stack: stack_identity.StackIdentity

    @property
    def id(self) -> str:
        """Return the id of the stack."""
        return self.stack.id

    @property
    def name(self) -> str:
        """Return the name of the stack."""
        return self.stack.name


class WaitingMethods:
    """Methods of a stack that waits for an answer."""

    __slots__ = ()
    path: tuple[str, ...]
    stack: stack_identity.StackIdentity

    @property
    def which(self) -> str:
        """Return the name of the stack; for child stacks the id."""
        return self.stack.id if self.path else self.stack.name


class HeldMethods(WaitingMethods):
    """Methods of an operation on hold."""

    __slots__ = ()
    root: stack_identity.StackIdentity

    @property
    def root_name(self) -> str:
        """Return the name of the root stack."""
        return self.root.name


class VerdictMethods:
    """Methods of a verdict."""

    __slots__ = ()
    plugin: str
    ruling: str
    text: str
    enforcement: str
    overridden_by: str | None
    override_reason: str

    @property
    def note(self) -> str:
        """Return what is to be known of the level, in brackets, or nothing."""
        if self.overridden_by is not None:
            why = f"{self.overridden_by}: {self.override_reason}"
            return f" (overridden by {why})"
        if self.enforcement == "advisory":
            return " (advisory)"
        if self.enforcement == "soft-mandatory" and self.ruling == "deny":
            return " (can be overridden: --override REASON)"
        return ""

    @property
    def line(self) -> str:
        """Return the verdict in a line."""
        text = " ".join(self.text.split())
        return f"{self.plugin}: {self.ruling}{self.note}: {text}"


class HoldMethods:
    """Methods of a hold."""

    __slots__ = ()
    answer: str | None

    @property
    def is_open(self) -> bool:
        """Whether the hold is not answered yet."""
        return self.answer is None


class FailureMethods:
    """Methods of a failure."""

    __slots__ = ()
    path: tuple[str, ...]
    stack: stack_identity.StackIdentity
    reason: str
    file: str
    line: int

    @property
    def text(self) -> str:
        """Return where it failed and why, in a line."""
        where = "/".join(self.path) or self.stack.name
        if self.line:
            where += f" ({self.file or 'template'}:{self.line})"
        return f"{where}: {self.reason}"


class ChangeMethods:
    """The attributes of a change that :class:`PlanMethods` reads."""

    __slots__ = ()
    kind: str
    name: str
    replaces: str | None
    child_plan: "PlanMethods | None"


class PlanMethods:
    """Methods of a plan."""

    __slots__ = ()
    changes: collections.abc.Sequence[ChangeMethods]
    verdicts: collections.abc.Sequence[VerdictMethods]
    warnings: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the plan changes no resource."""
        return not any(each.name for each in self.changes)

    @property
    def is_denied(self) -> bool:
        """Whether a lifecycle plug-in would deny the plan."""
        return any(each.ruling == "deny" for each in self.verdicts)

    def all_warnings(self) -> tuple[str, ...]:
        """Return the warnings of the plan and of its child plans."""
        children = (
            each.child_plan for each in self.changes if each.child_plan
        )
        return (
            *self.warnings,
            *(warning for plan in children for warning in plan.all_warnings()),
        )

    def counts(self) -> dict[str, int]:
        """Count the changes of each kind, those of child plans included.

        What replaces another physical resource counts as ``replace``; what is
        of no resource does not count.
        """
        found: collections.Counter[str] = collections.Counter()
        for each in self.changes:
            if each.name:
                found["replace" if each.replaces else each.kind] += 1
            if each.child_plan is not None:
                found.update(each.child_plan.counts())
        return dict(found)
