"""Facts of operations."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import lifecycle
from orch.rpc.contract import methods


class AttemptFacts(typing.TypedDict):
    """One attempt of an operation; ``number`` counts from 1."""

    number: int
    requested_by: str | None
    state: str
    reason: str
    started_at: float | None
    finished_at: float | None


class StepFacts(typing.TypedDict):
    """One step of an operation's plan; ``state``: WAITING until it began."""

    kind: str
    resource_name: str
    state: str


class ProgressFacts(typing.TypedDict):
    """What an operation has done to one resource so far, last of all."""

    name: str
    type_name: str
    action: str
    status: str
    reason: str
    started_at: float | None
    finished_at: float | None


class FailureFacts(typing.TypedDict):
    """Something that failed, perhaps in a stack in the stack.

    ``path``: names of resources from the stack that was asked about down to
    what failed; empty when no resource did. ``stack``: that the last of them
    is of. ``line``, ``column``: where it is declared, or what comes nearest
    around it, from 1; 0 when that is not known: the template of a stack was
    sent as an object, not as a text. ``file``: in which file; empty for the
    template of the stack that was asked about. ``hint``: what to do next;
    empty for nothing.
    """

    path: list[str]
    stack: identity.StackIdentity
    type_name: str
    action: str
    physical_id: str | None
    reason: str
    file: str
    line: int
    column: int
    hint: str


class OperationFacts(typing.TypedDict, total=False):
    """One operation of a stack.

    ``inputs_hash``: of template, environment, parameters and files; null
    when nothing is to be left. ``next_try_at``: when a blocked one goes on by
    itself; ``expected_at``: when it should have ended, by what earlier ones
    took; null when nobody knows. ``plan_id``: the kept plan that it runs.
    ``steps``, ``resources``, ``failed_resources`` and ``child_holds`` come
    with show only, ``steps`` once it was planned: those of its last run.
    ``failures``: of this stack alone; ``failed_resources``: down to the
    innermost stacks, the root cause first. ``lifecycle``: the calls of
    lifecycle plug-ins, those of earlier attempts too; ``hold``: the newest
    hold of the newest attempt, null when nobody held it. ``child_holds``:
    those in stacks in the stack that nobody has answered, while it is under
    way.
    """

    id: str
    inputs_hash: str | None
    attempts: list[AttemptFacts]
    skip: list[str]
    orphan: list[str]
    keep_going: bool
    plan_id: str | None
    next_try_at: float | None
    expected_at: float | None
    steps: list[StepFacts] | None
    resources: list[ProgressFacts]
    action: str
    state: str
    attempt: int
    reason: str
    total: int
    done: int
    failures: list[dict[str, object]]
    failed_resources: list[FailureFacts]
    lifecycle: list[lifecycle.CallFacts]
    hold: lifecycle.HoldFacts | None
    child_holds: list[lifecycle.ChildHoldFacts]
    superseded_by: str | None
    requested_by: str | None
    worker: str | None
    created_at: float
    started_at: float | None
    finished_at: float | None


@methods.namespace("operation")
class Operations(typing.Protocol):
    """Operations, and hints that one waits.

    Hints may be lost: workers find operations themselves, only later.
    """

    @methods.changes(sent="cast")
    def run(self, ctxt: request.RequestContext, operation_id: str) -> None:
        """Hint to one worker that an operation waits."""

    @methods.changes(sent="cast")
    def run_some(
        self,
        ctxt: request.RequestContext,
        operation_ids: collections.abc.Sequence[str],
    ) -> None:
        """Hint to one worker that several operations wait."""

    @methods.changes(sent="broadcast")
    def child_ended(
        self, ctxt: request.RequestContext, stack_id: str, child_id: str
    ) -> None:
        """Hint to all workers that the operation of a child stack ended.

        :param stack_id: its parent
        """

    @methods.reads()
    def list(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> list[OperationFacts]:
        """Return the operations of a stack, the newest first."""

    @methods.reads()
    def show(
        self, ctxt: request.RequestContext, stack_id: str, operation_id: str
    ) -> OperationFacts:
        """Return one operation of a stack.

        It has ``steps``, ``resources``, ``failed_resources`` and
        ``child_holds``.

        :raises orch.errors.NotFound: the stack has no such operation
        """
