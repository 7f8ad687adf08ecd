"""Lets a use case accept an operation, looks at that, and undoes it all.

So each plan is that of the very operation which the request would bring,
and there is no second description of what a request means.
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import credentials
from orch.engine import dependencies
from orch.engine.execution import planning
from orch.engine.execution import saved_plan
from orch.engine.stack_inputs import store
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.template import inputs as template_inputs

Answer = typing.TypeVar("Answer")
Ask = collections.abc.Callable[[dependencies.Dependencies], object]


class NothingToDo(errors.Conflict):
    """The request would bring no operation."""

    code = "orch.plan.nothing_to_do"


@dataclasses.dataclass(frozen=True, slots=True)
class StackBefore:
    """A stack before a use case did anything; it is locked."""

    stack: stack_model.Stack
    attempt: int


@dataclasses.dataclass(frozen=True, slots=True)
class DryRun:
    """What a request would bring.

    :ivar basis: the state of the stack before
    :ivar before: the stack before
    :ivar operation: the operation
    :ivar loaded: what it would find
    :ivar given: the inputs beside its template, unless those are what the
        stack has already
    """

    basis: str
    before: stack_model.Stack
    operation: operation_model.Operation
    loaded: planning.Loaded
    given: template_inputs.Inputs | None


class _DryRunDone(Exception):  # noqa: N818 - undoes the transaction, no error
    def __init__(self, found: DryRun) -> None:
        super().__init__()
        self.found = found


class _Undo(Exception):  # noqa: N818 - undoes the transaction, no error
    pass


def dry_run(
    deps: dependencies.Dependencies, stack_id: ids.StackId, ask: Ask
) -> DryRun:
    """Return what a use case would accept; nothing of it stays.

    :param ask: calls the use case with what it is to work with
    :raises NothingToDo: it would accept no new operation
    :raises orch.errors.OrchError: what the use case refuses; not what
        Keystone would, which is not asked
    """

    def enclose(
        connection: db_engine.Connection,
        work: collections.abc.Callable[[db_engine.Connection], Answer],
    ) -> Answer:
        before = lock_before(connection, stack_id)
        basis = saved_plan.state_basis(connection, before.stack)
        done = connection.begin_nested()
        answer = work(connection)
        operation = find_accepted(connection, before)
        if operation is not None:
            raise _DryRunDone(
                _dry_run_of(deps, connection, operation, before, basis)
            )
        # The use case may go on, with another transaction.
        done.rollback()
        return answer

    try:
        ask(with_transactions(without_credentials(deps), enclose))
    except _DryRunDone as seen:
        return seen.found
    raise nothing_to_do()


def roll_back(
    database: db_engine.Database,
    work: collections.abc.Callable[[db_engine.Connection], Answer],
) -> Answer:
    """Return what a transaction answers; nothing that it writes stays."""
    answers: list[Answer] = []

    def undo(connection: db_engine.Connection) -> typing.NoReturn:
        answers.append(work(connection))
        raise _Undo

    try:
        database.run(undo)
    except _Undo:
        return answers[-1]


def nothing_to_do() -> NothingToDo:
    """Return the refusal of a request that would bring no operation."""
    return NothingToDo("There is nothing to do: no operation would begin.")


def with_transactions(
    deps: dependencies.Dependencies, enclose: db_engine.Enclose
) -> dependencies.Dependencies:
    """Return the same parts, with something around each transaction."""
    return dataclasses.replace(deps, database=deps.database.enclosing(enclose))


def without_credentials(
    deps: dependencies.Dependencies,
) -> dependencies.Dependencies:
    """Return the same parts, for what is only looked at.

    Whoever asks leaves no credential: no stack would get it.
    """
    return dataclasses.replace(
        deps, credential_store=credentials.NoCredentialStore()
    )


def lock_before(
    connection: db_engine.Connection, stack_id: ids.StackId
) -> StackBefore:
    """Return a stack as it is, and keep it so.

    :raises orch.errors.NotFound: there is none of that id
    """
    stack = stacks.lock(connection, stack_id)
    attempt = 0
    if stack.operation_id is not None:
        attempt = operations.get(connection, stack.operation_id).attempt
    return StackBefore(stack, attempt)


def find_accepted(
    connection: db_engine.Connection, before: StackBefore
) -> operation_model.Operation | None:
    """Return the operation, or the attempt, that a use case accepted."""
    after = lock_before(connection, before.stack.id)
    previous_operation = before.stack.operation_id, before.attempt
    if after.stack.operation_id is None:
        return None
    if (after.stack.operation_id, after.attempt) == previous_operation:
        return None
    return operations.get(connection, after.stack.operation_id)


def _dry_run_of(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    operation: operation_model.Operation,
    before: StackBefore,
    basis: str,
) -> DryRun:
    return DryRun(
        basis,
        before.stack,
        operation,
        planning.load_operation(connection, operation, deps.templates.load),
        _find_given(connection, operation, before.stack),
    )


def _find_given(
    connection: db_engine.Connection,
    operation: operation_model.Operation,
    before: stack_model.Stack,
) -> template_inputs.Inputs | None:
    """Return inputs that go with the transaction, which brought them."""
    if operation.template_hash is None or operation.environment_hash is None:
        return None
    wanted = dataclasses.replace(
        before,
        template_hash=operation.template_hash,
        environment_hash=operation.environment_hash,
    )
    if store.key_of(wanted) == store.key_of(before):
        return None
    return store.read_inputs(connection, wanted)
