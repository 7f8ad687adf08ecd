"""Facts of operations."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import lifecycle
from orch.rpc.contract import methods
from orch.rpc.contract import rest


class AttemptFacts(typing.TypedDict):
    """One attempt of an operation; ``number`` counts from 1."""

    number: rest.Count
    requested_by: str | None
    state: str
    reason: str
    started_at: rest.Time | None
    finished_at: rest.Time | None


class StepFacts(typing.TypedDict):
    """One step of an operation's plan; ``state``: WAITING until it began."""

    kind: str
    resource_name: str
    state: str


class ProgressFacts(typing.TypedDict):
    """What an operation has done to one resource so far, last of all."""

    name: rest.ResourceName
    type_name: rest.ResourceType
    action: typing.Annotated[str, rest.HIDDEN]
    status: typing.Annotated[str, rest.HIDDEN]
    reason: typing.Annotated[str, rest.Name("resource_status_reason")]
    started_at: rest.Time | None
    finished_at: rest.Time | None


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
    stack: typing.Annotated[identity.StackIdentity, rest.Stack(rel="stack")]
    type_name: rest.ResourceType
    action: typing.Annotated[str, rest.Name("resource_action")]
    physical_id: rest.PhysicalId
    reason: str
    file: str
    line: rest.Count
    column: typing.NotRequired[typing.Annotated[rest.Count, rest.Default(0)]]
    hint: str


class OperationFacts(typing.TypedDict):
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
    inputs_hash: typing.NotRequired[rest.OptionalText]
    attempts: typing.NotRequired[
        typing.Annotated[list[AttemptFacts], rest.Default([])]
    ]
    skip: typing.NotRequired[typing.Annotated[list[str], rest.Default([])]]
    orphan: typing.NotRequired[typing.Annotated[list[str], rest.Default([])]]
    keep_going: typing.NotRequired[typing.Annotated[bool, rest.Default(False)]]
    plan_id: typing.NotRequired[rest.OptionalText]
    next_try_at: typing.NotRequired[rest.OptionalTime]
    expected_at: typing.NotRequired[rest.OptionalTime]
    steps: typing.NotRequired[list[StepFacts] | None]
    resources: typing.NotRequired[list[ProgressFacts]]
    action: str
    state: str
    attempt: rest.Count
    reason: typing.NotRequired[typing.Annotated[str, rest.Default("")]]
    total: typing.NotRequired[typing.Annotated[rest.Count, rest.Default(0)]]
    done: typing.NotRequired[typing.Annotated[rest.Count, rest.Default(0)]]
    failures: typing.NotRequired[
        typing.Annotated[list[dict[str, object]], rest.Default([])]
    ]
    failed_resources: typing.NotRequired[list[FailureFacts]]
    lifecycle: typing.NotRequired[
        typing.Annotated[list[lifecycle.CallFacts], rest.Default([])]
    ]
    hold: typing.NotRequired[
        typing.Annotated[lifecycle.HoldFacts | None, rest.Default(None)]
    ]
    child_holds: typing.NotRequired[list[lifecycle.ChildHoldFacts]]
    superseded_by: typing.NotRequired[rest.OptionalText]
    requested_by: typing.NotRequired[rest.OptionalText]
    worker: typing.NotRequired[rest.OptionalText]
    created_at: rest.Time
    started_at: typing.NotRequired[rest.OptionalTime]
    finished_at: typing.NotRequired[rest.OptionalTime]


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
