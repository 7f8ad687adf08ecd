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
    """One step of an operation's plan.

    :ivar state: WAITING, IN_PROGRESS, COMPLETE, FAILED or UNNEEDED
    """

    kind: str
    resource_name: str
    state: str


class ProgressFacts(typing.TypedDict):
    """The latest progress of an operation on one resource."""

    name: rest.ResourceName
    type_name: rest.ResourceType
    action: typing.Annotated[str, rest.HIDDEN]
    status: typing.Annotated[str, rest.HIDDEN]
    reason: typing.Annotated[str, rest.Name("resource_status_reason")]
    started_at: rest.Time | None
    finished_at: rest.Time | None


class FailureFacts(typing.TypedDict):
    """A failure of an operation, or of one resource.

    :ivar path: names of resources from the root stack down to the one
        that failed; empty when the operation itself did
    :ivar stack: that the resource is of
    :ivar file: that declares it, or what comes nearest around it; empty for
        the template of the stack
    :ivar line: in that file, from 1; 0 when not known: a template that was
        sent as an object has no lines
    :ivar column: in that line, from 1; 0 when not known
    :ivar hint: what to do next; may be empty
    :ivar is_outcome_unknown: a caller has to answer what a creation has made
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
    is_outcome_unknown: typing.NotRequired[
        typing.Annotated[bool, rest.Default(False)]
    ]


class OperationFacts(typing.TypedDict):
    """One requested change of one stack.

    :ivar inputs_hash: of template, environment, parameters and files; null
        when nothing is to be left
    :ivar plan_id: the saved plan that it runs
    :ivar next_try_at: when a blocked one goes on by itself
    :ivar expected_at: when it should have ended, by what earlier ones took;
        null when not known
    :ivar steps: its plan, that of the last run; null in lists, and until it
        is planned
    :ivar resources: what it did; null in lists
    :ivar state: WAITING, RUNNING, BLOCKED, COMPLETE, FAILED or SUPERSEDED
    :ivar total: number of its resources; ``done`` are as desired
    :ivar failures: of this stack alone
    :ivar failed_resources: what failed, down to the deepest child stacks, the
        root cause first; null in lists
    :ivar lifecycle: calls of lifecycle plug-ins, those of earlier attempts too
    :ivar hold: that held the last attempt, answered or not
    :ivar child_holds: of child stacks, not answered; empty in lists
    :ivar superseded_by: the operation that ended it
    :ivar cause: ``request``, ``signal`` or ``repair``
    :ivar requested_by: null where no user has asked
    :ivar policy_set_by: who set the drift policy that a repair follows; null
        where that is not known
    """

    id: str
    inputs_hash: typing.NotRequired[rest.OptionalText]
    attempts: typing.NotRequired[
        typing.Annotated[list[AttemptFacts], rest.Default([])]
    ]
    skip: typing.NotRequired[typing.Annotated[list[str], rest.Default([])]]
    orphan: typing.NotRequired[typing.Annotated[list[str], rest.Default([])]]
    replace: typing.NotRequired[typing.Annotated[list[str], rest.Default([])]]
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
    cause: typing.NotRequired[
        typing.Annotated[lifecycle.Cause, rest.Default("request")]
    ]
    requested_by: typing.NotRequired[rest.OptionalText]
    policy_set_by: typing.NotRequired[rest.OptionalText]
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
