# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: operations."""

import dataclasses
import datetime

from orchclient import response_parser
from orchclient import stack_identity
from orchclient import status as status_
from orchclient.values import lifecycle
from orchclient.values import methods
from orchclient.values import operation_methods


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt of an operation; ``number`` counts from 1."""

    number: int = 0
    requested_by: str | None = None
    state: str = ""
    reason: str = ""
    started_at: datetime.datetime | None = None
    finished_at: datetime.datetime | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "Attempt":
        """Return the value that a body describes."""
        return cls(
            number=response_parser.get_integer(body, "number"),
            requested_by=response_parser.find_text(body, "requested_by"),
            state=response_parser.get_text(body, "state"),
            reason=response_parser.get_text(body, "reason"),
            started_at=response_parser.find_time(body, "started_at"),
            finished_at=response_parser.find_time(body, "finished_at"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of an operation's plan.

    :ivar state: WAITING, IN_PROGRESS, COMPLETE, FAILED or UNNEEDED
    """

    kind: str = ""
    resource_name: str = ""
    state: str = ""

    @classmethod
    def of(cls, body: response_parser.Json) -> "Step":
        """Return the value that a body describes."""
        return cls(
            kind=response_parser.get_text(body, "kind"),
            resource_name=response_parser.get_text(body, "resource_name"),
            state=response_parser.get_text(body, "state"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The latest progress of an operation on one resource."""

    name: str
    type: str = ""
    reason: str = ""
    started_at: datetime.datetime | None = None
    finished_at: datetime.datetime | None = None
    status: status_.Status

    @classmethod
    def of(cls, body: response_parser.Json) -> "Progress":
        """Return the value that a body describes."""
        return cls(
            name=response_parser.required_text(body, "resource_name"),
            type=response_parser.get_text(body, "resource_type"),
            reason=response_parser.get_text(body, "resource_status_reason"),
            started_at=response_parser.find_time(body, "started_at"),
            finished_at=response_parser.find_time(body, "finished_at"),
            status=status_.Status.of(
                response_parser.get_text(body, "resource_status")
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Failure(methods.FailureMethods):
    """A failure of an operation, or of one resource.

    :ivar path: names of resources from the root stack down to the one that
        failed; empty when the operation itself did
    :ivar stack: that the resource is of
    :ivar file: that declares it, or what comes nearest around it; empty for
        the template of the stack
    :ivar line: in that file, from 1; 0 when not known: a template that was
        sent as an object has no lines
    :ivar column: in that line, from 1; 0 when not known
    :ivar hint: what to do next; may be empty
    :ivar is_outcome_unknown: a caller has to answer what a creation has made
    """

    path: tuple[str, ...] = ()
    stack: stack_identity.StackIdentity
    type: str = ""
    action: str = ""
    physical_id: str = ""
    reason: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    hint: str = ""
    is_outcome_unknown: bool = False

    @classmethod
    def of(cls, body: response_parser.Json) -> "Failure":
        """Return the value that a body describes."""
        return cls(
            path=response_parser.get_texts(body, "path"),
            stack=stack_identity.get_stack(body, "stack"),
            type=response_parser.get_text(body, "resource_type"),
            action=response_parser.get_text(body, "resource_action"),
            physical_id=response_parser.get_text(body, "physical_resource_id"),
            reason=response_parser.get_text(body, "reason"),
            file=response_parser.get_text(body, "file"),
            line=response_parser.get_integer(body, "line"),
            column=response_parser.get_integer(body, "column"),
            hint=response_parser.get_text(body, "hint"),
            is_outcome_unknown=response_parser.get_boolean(
                body, "is_outcome_unknown"
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Operation(operation_methods.OperationMethods):
    """One requested change of one stack.

    :ivar inputs_hash: of template, environment, parameters and files; ``None``
        when nothing is to be left
    :ivar plan_id: the saved plan that it runs
    :ivar next_try_at: when a blocked one goes on by itself
    :ivar expected_at: when it should have ended, by what earlier ones took;
        ``None`` when not known
    :ivar steps: its plan, that of the last run; ``None`` in lists, and until
        it is planned
    :ivar resources: what it did; ``None`` in lists
    :ivar state: WAITING, RUNNING, BLOCKED, COMPLETE, FAILED or SUPERSEDED
    :ivar total: number of its resources; ``done`` are as desired
    :ivar failures: what failed, down to the deepest child stacks, the root
        cause first; ``None`` in lists
    :ivar calls: calls of lifecycle plug-ins, those of earlier attempts too
    :ivar hold: that held the last attempt, answered or not
    :ivar child_holds: of child stacks, not answered; empty in lists
    :ivar superseded_by: the operation that ended it
    :ivar cause: ``request``, ``signal`` or ``repair``
    :ivar requested_by: ``None`` where no user has asked
    :ivar policy_set_by: who set the drift policy that a repair follows;
        ``None`` where that is not known
    """

    id: str
    inputs_hash: str | None = None
    attempts: tuple[Attempt, ...] = ()
    skip: tuple[str, ...] = ()
    orphan: tuple[str, ...] = ()
    replace: tuple[str, ...] = ()
    keep_going: bool = False
    plan_id: str | None = None
    next_try_at: datetime.datetime | None = None
    expected_at: datetime.datetime | None = None
    steps: tuple[Step, ...] | None = None
    resources: tuple[Progress, ...] | None = None
    action: str
    state: str
    attempt: int = 1
    reason: str = ""
    total: int = 0
    done: int = 0
    failures: tuple[Failure, ...] | None = None
    calls: tuple[lifecycle.Call, ...] = ()
    hold: lifecycle.Hold | None = None
    child_holds: tuple[lifecycle.OpenHold, ...] = ()
    superseded_by: str | None = None
    cause: str = "request"
    requested_by: str | None = None
    policy_set_by: str | None = None
    worker: str | None = None
    created_at: datetime.datetime
    started_at: datetime.datetime | None = None
    finished_at: datetime.datetime | None = None
    stack: stack_identity.StackIdentity

    @classmethod
    def of(
        cls, body: response_parser.Json, stack: stack_identity.StackIdentity
    ) -> "Operation":
        """Return the value that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            inputs_hash=response_parser.find_text(body, "inputs_hash"),
            attempts=response_parser.get_values(body, "attempts", Attempt.of),
            skip=response_parser.get_texts(body, "skip"),
            orphan=response_parser.get_texts(body, "orphan"),
            replace=response_parser.get_texts(body, "replace"),
            keep_going=response_parser.get_boolean(body, "keep_going"),
            plan_id=response_parser.find_text(body, "plan_id"),
            next_try_at=response_parser.find_time(body, "next_try_at"),
            expected_at=response_parser.find_time(body, "expected_at"),
            steps=response_parser.find_values(body, "steps", Step.of),
            resources=response_parser.find_values(
                body, "resources", Progress.of
            ),
            action=response_parser.required_text(body, "action"),
            state=response_parser.required_text(body, "state"),
            attempt=response_parser.get_integer(body, "attempt", 1),
            reason=response_parser.get_text(body, "reason"),
            total=response_parser.get_integer(body, "total"),
            done=response_parser.get_integer(body, "done"),
            failures=response_parser.find_values(
                body, "failed_resources", Failure.of
            ),
            calls=response_parser.get_values(
                body, "lifecycle", lifecycle.Call.of
            ),
            hold=response_parser.find_value(body, "hold", lifecycle.Hold.of),
            child_holds=response_parser.get_values(
                body, "child_holds", lifecycle.OpenHold.of
            ),
            superseded_by=response_parser.find_text(body, "superseded_by"),
            cause=response_parser.get_text(body, "cause", "request"),
            requested_by=response_parser.find_text(body, "requested_by"),
            policy_set_by=response_parser.find_text(body, "policy_set_by"),
            worker=response_parser.find_text(body, "worker"),
            created_at=response_parser.required_time(body, "created_at"),
            started_at=response_parser.find_time(body, "started_at"),
            finished_at=response_parser.find_time(body, "finished_at"),
            stack=stack,
        )
