"""Accept snapshots and restorations of stacks."""

import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import verification
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import permissions
from orch.engine.acceptance import quota
from orch.engine.acceptance import stack_lock
from orch.engine.execution import planning
from orch.engine.queries import lookup
from orch.engine.snapshots import query
from orch.engine.stack_inputs import restored_template
from orch.engine.stack_inputs import store
from orch.engine.stacks import retry
from orch.engine.stacks import update
from orch.flow.state import restoration
from orch.flow.state import submit as flow_submit
from orch.model import operation
from orch.model import snapshot
from orch.model import stack as stack_model
from orch.model import states
from orch.rpc import contract
from orch.template import inputs
from orch.template import template


def submit_snapshot(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str | None,
    options: contract.StackOptions,
) -> contract.SnapshotBegun:
    """Accept a snapshot; it never interrupts an operation.

    :param name: a name for users; ``None`` for none
    :param options: with ``retry``, the failed one is retried instead, and no
        name may be given
    :raises orch.engine.acceptance.stack_lock.InProgress:
        an action is in progress
    :raises orch.errors.NotFound: this caller has no such stack
    """
    accepted = idempotency.run_once(
        deps, ctxt, accept_snapshot, stack_id, name, options
    )
    begun = query.show_begun(deps, ctxt, stack_id, accepted["operation_id"])
    return contract.SnapshotBegun(snapshot=begun, accepted=accepted)


def accept_snapshot(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str | None,
    options: contract.StackOptions,
) -> contract.Accepted:
    """Accept a new snapshot, or the retry of one, without reading it back.

    :raises orch.errors.OrchError: as :func:`submit_snapshot` does
    """
    action = states.Action.SNAPSHOT
    if options.get("retry"):
        return retry.submit_retry(deps, ctxt, stack_id, options, action)
    lookup.check_exists(deps.database, ctxt, stack_id)
    operation = operation_factory.new_operation(
        deps, ctxt, ids.StackId(stack_id), action, options
    )

    def work(connection: db_engine.Connection) -> contract.Accepted:
        stack = stacks.lock(connection, operation.stack_id)
        lookup.check_live(ctxt, stack)
        stack_lock.check_idle(connection, stack)
        _check_quota(deps, connection, stack)
        begun = flow_submit.stack_operation(operation, stack)
        snapshots.insert(connection, snapshot.new_snapshot(begun, stack, name))
        flow_submit.accept_operation(connection, stack, begun)
        answer = operation_factory.accepted_facts(begun, stack.name)
        return idempotency.save_answer(connection, ctxt, answer)

    return deps.database.run(work)


def _check_quota(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack_model.Stack,
) -> None:
    """Raise LimitExceeded if the stack has as many snapshots as allowed.

    :raises orch.errors.LimitExceeded: the quota of snapshots is used up
    """
    limit = deps.settings.max_snapshots_per_stack
    if 0 <= limit <= snapshots.count(connection, stack.id):
        raise errors.LimitExceeded(
            f"The stack {stack.name} has {limit} snapshots, as many as are"
            " allowed: delete one of them first."
        )


class SnapshotNotComplete(errors.Conflict):
    """Only a complete snapshot can be restored."""

    code = "orch.snapshot.not_complete"


def submit_restore(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    snapshot_id: str,
    options: contract.StackOptions,
) -> contract.Accepted:
    """Accept a restoration; it supersedes an operation in progress.

    It is an update to template and inputs of that time, with the stored values
    of plug-ins put in: that is the template of the stack from now on.
    Resources that are newer are deleted, those that were deleted since are
    created again.

    :param options: with ``retry``, the failed one is retried instead
    :raises SnapshotNotComplete: the snapshot is not complete
    :raises orch.engine.stacks.retry.OtherFailed: the restoration of another
        snapshot has failed
    :raises orch.errors.NotSupported: the stack is being deleted
    :raises orch.errors.NotFound: this caller has no such stack, or the stack
        has no such snapshot
    :raises orch.errors.Invalid: the plug-ins of today refuse the template
    :raises orch.errors.OrchError: data that a plug-in has stored does not
        exist any more
    """
    action = states.Action.RESTORE
    if options.get("retry"):
        _check_same(deps, ctxt, stack_id, snapshot_id)
        return retry.submit_retry(deps, ctxt, stack_id, options, action)
    request = _look(deps, ctxt, stack_id, snapshot_id)
    operation = operation_factory.new_operation(
        deps, ctxt, request.stack.id, action, options, request.parsed_template
    )

    def work(connection: db_engine.Connection) -> contract.Accepted:
        stack = stacks.lock(connection, request.stack.id)
        _check_may_change(ctxt, restoration.stack_in_force(connection, stack))
        current = query.get_snapshot(connection, ctxt, stack, snapshot_id)
        _check_taken(connection, current)
        hashes = store.store_inputs(
            connection, request.given, request.parsed_template
        )
        begun = verification.remember(
            connection, _with_snapshot(operation, snapshot_id, hashes)
        )
        count = len(request.parsed_template.resources)
        quota.count_tree(connection, deps, stack, count - stack.resource_count)
        flow_submit.accept_operation(
            connection,
            stack,
            begun,
            template_hash=hashes[0],
            environment_hash=hashes[1],
            resource_count=count,
            description=str(request.parsed_template.description),
            updated_at=operation.created_at,
        )
        answer = operation_factory.accepted_facts(begun, stack.name)
        return idempotency.save_answer(connection, ctxt, answer)

    return deps.database.run(work)


def _check_same(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    snapshot_id: str,
) -> None:
    """Raise OtherFailed if the restoration of another snapshot has failed.

    :raises orch.engine.stacks.retry.OtherFailed: it was
    """

    def work(connection: db_engine.Connection) -> object:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        if stack.operation_id is None:
            return None
        last = operations.get(connection, stack.operation_id)
        return last.options.get(planning.SNAPSHOT)

    failed = deps.database.query(work)
    if failed not in (None, snapshot_id):
        raise retry.OtherFailed(
            f"What failed is the restoration of the snapshot {failed}, not"
            f" of {snapshot_id}; retry that one."
        )


def _look(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    snapshot_id: str,
) -> update.UpdateRequest:
    """Return the desired inputs of the stack.

    :raises orch.errors.OrchError: as :func:`submit_restore` does
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[
        stack_model.Stack,
        snapshot.Snapshot,
        tuple[inputs.Inputs, template.Template],
    ]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        found = query.get_snapshot(connection, ctxt, stack, snapshot_id)
        _check_taken(connection, found)
        then = restored_template.load_snapshot_inputs(
            connection, stack, found, deps.templates
        )
        return stack, found, then

    stack, found, (given, before) = deps.database.query(work)
    raw = deps.reads.begin().run(
        lambda: restored_template.restored_template(
            before, found, deps.types_of(stack, before, ctxt)
        )
    )
    given = dataclasses.replace(given, template=raw)
    parsed_template = template.Template.load(
        given,
        deps.types,
        inputs.Identity(stack.id, stack.name, stack.project_id),
        deps.limits,
        installed=deps.installed,
    )
    parsed_template.validate(permissions.type_check(deps, ctxt))
    return update.UpdateRequest(stack, given, parsed_template)


def _check_may_change(
    ctxt: request.RequestContext, stack: stack_model.Stack
) -> None:
    lookup.check_live(ctxt, stack)
    if stack.action is states.Action.DELETE:
        raise errors.NotSupported(
            "Restoring a stack when it is deleting is not supported."
        )


def _check_taken(
    connection: db_engine.Connection, found: snapshot.Snapshot
) -> None:
    status, reason = query.state_of(connection, found)
    if status is not states.Status.COMPLETE:
        more = f" ({reason})" if reason else ""
        raise SnapshotNotComplete(
            f"The snapshot {found.id} is {status}{more}; only a COMPLETE one"
            " can be restored."
        )


def _with_snapshot(
    operation: operation.Operation,
    snapshot_id: str,
    hashes: tuple[str, str],
) -> operation.Operation:
    """Return the operation with the hashes of its inputs."""
    return dataclasses.replace(
        operation,
        template_hash=hashes[0],
        environment_hash=hashes[1],
        options={
            **operation.options,
            planning.SNAPSHOT: snapshot_id,
        },
    )
