"""Operations of stacks: their state, progress and failures."""

import collections.abc
import dataclasses
import typing

from orchclient import models
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport
from orchclient import verdicts

Json = response_parser.Json

_ENDS: typing.Final = ("COMPLETE", "FAILED", "SUPERSEDED")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt of an operation; ``number`` counts from 1."""

    number: int
    state: str
    reason: str = ""
    requested_by: str | None = None
    started_at: models.Moment | None = None
    finished_at: models.Moment | None = None

    @classmethod
    def of(cls, body: Json) -> "Attempt":
        """Return the attempt that a body describes."""
        return cls(
            number=response_parser.get_integer(body, "number"),
            state=response_parser.get_text(body, "state"),
            reason=response_parser.get_text(body, "reason"),
            requested_by=response_parser.find_text(body, "requested_by"),
            started_at=response_parser.find_time(body, "started_at"),
            finished_at=response_parser.find_time(body, "finished_at"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The latest progress of an operation on one resource."""

    name: str
    type: str
    status: models.Status
    reason: str = ""
    started_at: models.Moment | None = None
    finished_at: models.Moment | None = None

    @classmethod
    def of(cls, body: Json) -> "Progress":
        """Return the progress that a body describes."""
        return cls(
            name=response_parser.required_text(body, "resource_name"),
            type=response_parser.get_text(body, "resource_type"),
            status=models.Status.of(
                response_parser.get_text(body, "resource_status")
            ),
            reason=response_parser.get_text(body, "resource_status_reason"),
            started_at=response_parser.find_time(body, "started_at"),
            finished_at=response_parser.find_time(body, "finished_at"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of an operation's plan.

    :ivar state: WAITING, IN_PROGRESS, COMPLETE, FAILED or UNNEEDED
    """

    kind: str
    resource_name: str
    state: str

    @classmethod
    def of(cls, body: Json) -> "Step":
        """Return the step that a body describes."""
        return cls(
            kind=response_parser.get_text(body, "kind"),
            resource_name=response_parser.get_text(body, "resource_name"),
            state=response_parser.get_text(body, "state"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
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
    """

    path: tuple[str, ...]
    stack: models.StackIdentity
    reason: str
    type: str = ""
    action: str = ""
    physical_id: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    hint: str = ""

    @classmethod
    def of(cls, body: Json) -> "Failure":
        """Return the failure that a body describes."""
        return cls(
            path=response_parser.get_texts(body, "path"),
            stack=models.stack_of(body),
            reason=response_parser.get_text(body, "reason"),
            type=response_parser.get_text(body, "resource_type"),
            action=response_parser.get_text(body, "resource_action"),
            physical_id=response_parser.get_text(body, "physical_resource_id"),
            file=response_parser.get_text(body, "file"),
            line=response_parser.get_integer(body, "line"),
            column=response_parser.get_integer(body, "column"),
            hint=response_parser.get_text(body, "hint"),
        )

    @property
    def text(self) -> str:
        """Return where it failed and why, in a line."""
        where = "/".join(self.path) or self.stack.name
        if self.line:
            where += f" ({self.file or 'template'}:{self.line})"
        return f"{where}: {self.reason}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OpenHold:
    """A hold of a stack that is not answered yet.

    :ivar path: names of resources from the stack whose operation it is down
        to the stack that waits; empty for itself
    :ivar stack: that waits
    """

    path: tuple[str, ...]
    stack: models.StackIdentity
    hold: verdicts.Hold

    @classmethod
    def of(cls, body: Json) -> "OpenHold":
        """Return the hold that a body describes."""
        return cls(
            path=response_parser.get_texts(body, "path"),
            stack=models.stack_of(body),
            hold=verdicts.Hold.of(response_parser.get_map(body, "hold")),
        )

    @property
    def which(self) -> str:
        """Return the name of the stack; for child stacks the id."""
        return self.stack.id if self.path else self.stack.name


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One requested change of one stack.

    :ivar state: WAITING, RUNNING, BLOCKED, COMPLETE, FAILED or SUPERSEDED
    :ivar failures: what failed, down to the deepest child stacks, the root
        cause first; ``None`` in lists
    :ivar total: number of its resources; ``done`` are as desired
    :ivar superseded_by: the operation that ended it
    :ivar steps: its plan; ``None`` in lists, and until it is planned
    :ivar resources: what it did; ``None`` in lists
    :ivar calls: of lifecycle plug-ins, those of earlier attempts too
    :ivar hold: that held the last attempt, answered or not
    :ivar child_holds: of child stacks, not answered; empty in lists
    """

    id: str
    stack: models.StackIdentity
    action: str
    state: str
    created_at: models.Moment
    reason: str = ""
    attempt: int = 1
    attempts: tuple[Attempt, ...] = ()
    inputs_hash: str | None = None
    total: int = 0
    done: int = 0
    failures: tuple[Failure, ...] | None = None
    skip: tuple[str, ...] = ()
    orphan: tuple[str, ...] = ()
    keep_going: bool = False
    plan_id: str | None = None
    superseded_by: str | None = None
    requested_by: str | None = None
    worker: str | None = None
    next_try_at: models.Moment | None = None
    expected_at: models.Moment | None = None
    started_at: models.Moment | None = None
    finished_at: models.Moment | None = None
    resources: tuple[Progress, ...] | None = None
    steps: tuple[Step, ...] | None = None
    calls: tuple[verdicts.Call, ...] = ()
    hold: verdicts.Hold | None = None
    child_holds: tuple[OpenHold, ...] = ()

    @classmethod
    def of(cls, body: Json, stack: models.StackIdentity) -> "Operation":
        """Return the operation that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            stack=stack,
            action=response_parser.required_text(body, "action"),
            state=response_parser.required_text(body, "state"),
            created_at=response_parser.required_time(body, "created_at"),
            reason=response_parser.get_text(body, "reason"),
            attempt=response_parser.find_integer(body, "attempt") or 1,
            attempts=tuple(
                map(Attempt.of, response_parser.get_maps(body, "attempts"))
            ),
            inputs_hash=response_parser.find_text(body, "inputs_hash"),
            total=response_parser.get_integer(body, "total"),
            done=response_parser.get_integer(body, "done"),
            failures=_many(body, "failed_resources", Failure.of),
            skip=response_parser.get_texts(body, "skip"),
            orphan=response_parser.get_texts(body, "orphan"),
            keep_going=response_parser.get_boolean(body, "keep_going"),
            plan_id=response_parser.find_text(body, "plan_id"),
            superseded_by=response_parser.find_text(body, "superseded_by"),
            requested_by=response_parser.find_text(body, "requested_by"),
            worker=response_parser.find_text(body, "worker"),
            next_try_at=response_parser.find_time(body, "next_try_at"),
            expected_at=response_parser.find_time(body, "expected_at"),
            started_at=response_parser.find_time(body, "started_at"),
            finished_at=response_parser.find_time(body, "finished_at"),
            resources=_many(body, "resources", Progress.of),
            steps=_many(body, "steps", Step.of),
            calls=tuple(
                map(
                    verdicts.Call.of,
                    response_parser.get_maps(body, "lifecycle"),
                )
            ),
            hold=verdicts.find_hold(body),
            child_holds=tuple(
                map(OpenHold.of, response_parser.get_maps(body, "child_holds"))
            ),
        )

    @property
    def is_over(self) -> bool:
        """Whether the operation has ended; one that failed can be retried."""
        return self.state in _ENDS

    @property
    def open_holds(self) -> tuple[OpenHold, ...]:
        """Return the holds to approve before the operation goes on."""
        if self.is_over:
            return ()
        if self.hold is None or not self.hold.is_open:
            return self.child_holds
        return (OpenHold(path=(), stack=self.stack, hold=self.hold),)

    @property
    def is_held(self) -> bool:
        """Whether the operation waits for an approval or a rejection."""
        return bool(self.open_holds)

    @property
    def is_complete(self) -> bool:
        """Whether the operation is complete, and no child stack waits."""
        return self.state == "COMPLETE"


class Operations:
    """The operations of stacks; that of a retry is the one that failed."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def list(self, stack: models.Which) -> tuple[Operation, ...]:
        """Return the operations of a stack, the newest first."""
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.get(f"{found.path}/operations")
        return tuple(
            Operation.of(each, found)
            for each in response_parser.get_maps(answer, "operations")
        )

    def find_latest(self, stack: models.Which) -> Operation | None:
        """Return the newest operation of a stack."""
        return next(iter(self.list(stack)), None)

    def find_last_requested(self, stack: models.Which) -> Operation | None:
        """Return the operation of a stack that was requested last.

        That is the newest, unless it is the rollback of one that has failed:
        that is not requested, it follows by itself.
        """
        found = self.list(stack)
        if not found:
            return None
        newest, before = found[0], found[1:2]
        is_consequence = newest.action == "ROLLBACK" and newest.attempt == 1
        if is_consequence and before and before[0].state == "FAILED":
            return before[0]
        return newest

    def show(self, stack: models.Which, operation_id: str) -> Operation:
        """Return an operation with its steps and what each resource did."""
        found = stack_lookup.identify_stack(self._sender, stack)
        part = transport.quote_part(operation_id)
        answer = self._sender.get(f"{found.path}/operations/{part}")
        return Operation.of(
            response_parser.get_map(answer, "operation"), found
        )


Value = typing.TypeVar("Value")


def _many(
    body: Json, key: str, of: collections.abc.Callable[[Json], Value]
) -> tuple[Value, ...] | None:
    if body.get(key) is None:
        return None
    return tuple(map(of, response_parser.get_maps(body, key)))
