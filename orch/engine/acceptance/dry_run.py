"""Run a use case in a transaction, read its operation, and roll back.

So each plan is that of the very operation which the request would create, and
no second code describes what a request means.
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import active_plugins
from orch.engine import credentials
from orch.engine import dependencies
from orch.engine.execution import planning
from orch.engine.execution import saved_plan
from orch.engine.stack_inputs import store
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.template import inputs

Answer = typing.TypeVar("Answer")
Ask = collections.abc.Callable[[dependencies.Dependencies], object]


class NothingToDo(errors.Conflict):
    """The request would create no operation."""

    code = "orch.plan.nothing_to_do"


@dataclasses.dataclass(frozen=True, slots=True)
class StackBefore:
    """The state of a locked stack before a use case changes it."""

    stack: stack_model.Stack
    attempt: int


@dataclasses.dataclass(frozen=True, slots=True)
class DryRun:
    """The operation that a request would create, and what its plan needs.

    :ivar basis: the state of the stack before
    :ivar before: the stack before
    :ivar operation: the operation that would run
    :ivar loaded: what its plan depends on
    :ivar given: the new inputs; ``None`` where the stack has the same already
    """

    basis: str
    before: stack_model.Stack
    operation: operation_model.Operation
    loaded: planning.Loaded
    given: inputs.Inputs | None


class _DryRunDone(Exception):  # noqa: N818 - undoes the transaction, no error
    def __init__(self, found: DryRun) -> None:
        super().__init__()
        self.found = found


class _Undo(Exception):  # noqa: N818 - undoes the transaction, no error
    pass


def dry_run(
    deps: dependencies.Dependencies, stack_id: ids.StackId, ask: Ask
) -> DryRun:
    """Return the operation that a use case would accept; nothing is stored.

    :param ask: calls the use case with the dependencies that it gets
    :raises NothingToDo: it would accept no new operation
    :raises orch.errors.OrchError: the use case refuses; Keystone is not asked
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
        # The use case may continue with another transaction.
        done.rollback()
        return answer

    # Nothing is done that a lifecycle plug-in might judge.
    unjudged = dataclasses.replace(
        without_credentials(deps), plugins=active_plugins.FixedPlugins()
    )
    try:
        ask(with_transactions(unjudged, enclose))
    except _DryRunDone as seen:
        return seen.found
    raise nothing_to_do()


def roll_back(
    database: db_engine.Database,
    work: collections.abc.Callable[[db_engine.Connection], Answer],
) -> Answer:
    """Return the result of a transaction, which is rolled back."""
    answers: list[Answer] = []

    def undo(connection: db_engine.Connection) -> typing.NoReturn:
        answers.append(work(connection))
        raise _Undo

    try:
        database.run(undo)
    except _Undo:
        return answers[-1]


def nothing_to_do() -> NothingToDo:
    """Return the error for a request that would create no operation."""
    return NothingToDo("There is nothing to do: no operation would begin.")


def with_transactions(
    deps: dependencies.Dependencies, enclose: db_engine.Enclose
) -> dependencies.Dependencies:
    """Return the same dependencies, with each transaction enclosed."""
    return dataclasses.replace(deps, database=deps.database.enclosing(enclose))


def without_credentials(
    deps: dependencies.Dependencies,
) -> dependencies.Dependencies:
    """Return the same dependencies, with no credential store.

    In a dry run the caller leaves no credential: no stack would get it.
    """
    return dataclasses.replace(
        deps, credential_store=credentials.CredentialStore()
    )


def lock_before(
    connection: db_engine.Connection, stack_id: ids.StackId
) -> StackBefore:
    """Lock a stack and return its state before a use case runs.

    :raises orch.errors.NotFound: there is no stack of that id
    """
    stack = stacks.lock(connection, stack_id)
    attempt = 0
    if stack.operation_id is not None:
        attempt = operations.get(connection, stack.operation_id).attempt
    return StackBefore(stack, attempt)


def find_accepted(
    connection: db_engine.Connection, before: StackBefore
) -> operation_model.Operation | None:
    """Return the operation or retry that a use case accepted, if any."""
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
) -> inputs.Inputs | None:
    """Return the inputs that this transaction stored, if they are new."""
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
