"""Remove a left-over physical resource, or forget it.

A sweep is the deletion of a stack that has nothing but the left-over physical
resource: so it goes on after a crash, is retried, waits for services that are
away and is shown as every other deletion.
"""

import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import leftovers
from orch.db.repositories import operations
from orch.db.repositories import ownership
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import operation_factory
from orch.engine.leftovers import query
from orch.engine.stack_inputs import store
from orch.flow.state import claims as run_claims
from orch.flow.state import new_rows
from orch.flow.state import submit as flow_submit
from orch.model import adoption
from orch.model import leftover
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.model import states
from orch.rpc import contract
from orch.template import inputs
from orch.template import template


class Owned(errors.Conflict):
    """A stack owns the physical resource by now."""

    code = "orch.leftover.owned"


class BeingSwept(errors.Conflict):
    """The physical resource is being removed."""

    code = "orch.leftover.being_swept"


def submit_sweep(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    leftover_id: str,
) -> contract.Swept:
    """Accept the removal of a left-over physical resource.

    One that is in progress is the answer to a second request; one that has
    failed is tried again.

    :raises orch.engine.leftovers.query.LeftoverNotFound: this caller has none
        such
    :raises Owned: a stack owns it by now
    """
    found, sweeping = deps.database.query(
        lambda connection: _find(connection, ctxt, leftover_id)
    )
    operation = _new_operation(deps, ctxt, sweeping)
    prepared = _load_template(deps, operation, found)

    def work(connection: db_engine.Connection) -> contract.Swept:
        left = query.get_leftover(connection, ctxt, leftover_id, locks=True)
        stack = _find_stack(connection, left)
        if stack is None:
            _check_free(deps, connection, left)
            stack = _new_stack(
                deps, connection, ctxt, operation, left, prepared
            )
            flow_submit.accept_new_stack(
                connection, stack, operation, is_named=False
            )
            resources.save_many(
                connection, [new_rows.row_to_sweep(left, stack)]
            )
            begun = operation
        else:
            stack = stacks.lock(connection, stack.id)
            begun = _go_on(connection, stack, operation)
        leftovers.update(connection, left.id, sweep_id=stack.id)
        left = dataclasses.replace(left, sweep_id=stack.id)
        answer = contract.Swept(
            leftover=query.leftover_facts(connection, left),
            accepted=operation_factory.accepted_facts(begun, stack.name),
        )
        return idempotency.save_answer(connection, ctxt, answer)

    return deps.database.run(work)


def forget_leftover(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    leftover_id: str,
) -> contract.Accepted | None:
    """Forget a left-over physical resource; nothing is removed.

    The stack of a sweep that has failed is abandoned.

    :returns: the operation that abandons it, if one does
    :raises orch.engine.leftovers.query.LeftoverNotFound: this caller has none
        such
    :raises BeingSwept: it is being swept
    """
    _, sweeping = deps.database.query(
        lambda connection: _find(connection, ctxt, leftover_id)
    )
    operation = dataclasses.replace(
        _new_operation(deps, ctxt, sweeping), options={adoption.ABANDONS: True}
    )

    def work(connection: db_engine.Connection) -> contract.Accepted | None:
        left = query.get_leftover(connection, ctxt, leftover_id, locks=True)
        stack = None
        if left.sweep_id is not None:
            stack = stacks.lock(connection, left.sweep_id)
            _check_idle(left, stack)
        leftovers.delete(connection, left.id)
        if stack is None:
            return None
        is_child = stack.id == ids.StackId(left.id)
        if is_child or stack.deleted_at is not None:
            return None
        begun = dataclasses.replace(operation, stack_id=stack.id)
        flow_submit.accept_operation(connection, stack, begun)
        return operation_factory.accepted_facts(begun, stack.name)

    return deps.database.run(work)


def _check_idle(left: leftover.Leftover, stack: stack_model.Stack) -> None:
    """Raise BeingSwept while the stack of a sweep removes it."""
    if stack.status is states.Status.IN_PROGRESS:
        raise BeingSwept(
            f"{left.path} of stack {left.stack_name} is being removed: wait"
            f" for stack {stack.id}, or cancel its deletion."
        )


def _find(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    leftover_id: str,
) -> tuple[leftover.Leftover, stack_model.Stack | None]:
    """Return it with the stack that goes with it, if there is one."""
    found = query.get_leftover(connection, ctxt, leftover_id)
    return found, _find_stack(connection, found)


def _find_stack(
    connection: db_engine.Connection, found: leftover.Leftover
) -> stack_model.Stack | None:
    """Return the stack whose deletion removes it, if there is one already.

    That of a sweep, or the child stack that it is.
    """
    for each in (found.sweep_id, ids.StackId(found.id)):
        stack = None if each is None else stacks.find(connection, each)
        if stack is not None and stack.deleted_at is None:
            return stack
    return None


def _new_operation(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack_model.Stack | None,
) -> operation_model.Operation:
    """Return a deletion, with the credential of the caller."""
    stack_id = ids.StackId(ids.new()) if stack is None else stack.id
    action = states.Action.DELETE
    operation = operation_factory.new_operation(
        deps, ctxt, stack_id, action, {}, has_credential=stack is not None
    )
    if stack is not None:
        return operation
    # Its credential is that of a new tree.
    context = operation_factory.context_of_caller(
        deps, ctxt, stack_id, states.Action.CREATE
    )
    return dataclasses.replace(operation, context=context)


def _go_on(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    operation: operation_model.Operation,
) -> operation_model.Operation:
    """Return the deletion in progress, or begin one once more."""
    for each in operations.find_open(connection, stack.id):
        if each.action is operation.action and each.stop_reason is None:
            return each
    begun = dataclasses.replace(operation, stack_id=stack.id)
    flow_submit.accept_operation(connection, stack, begun)
    return begun


def _check_free(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    left: leftover.Leftover,
) -> None:
    """Raise Owned if a stack has it; none can take it until this ends.

    :raises Owned: a stack has it
    """
    ownership.decide_alone(connection)
    if left.physical_id is None:
        return
    key = ownership.PhysicalKey(
        left.plugin_type, left.physical_id, left.id_scope
    )
    owners = run_claims.find_owners(connection, deps.types, [key])
    if any(each.is_in(left.project_id) for each in owners.get(key, ())):
        raise Owned(
            f"A stack owns {left.physical_id} by now: delete it there, or"
            " forget it here."
        )


def _load_template(
    deps: dependencies.Dependencies,
    operation: operation_model.Operation,
    left: leftover.Leftover,
) -> tuple[inputs.Inputs, template.Template]:
    """Return the template of the stack of a sweep: it declares nothing."""
    given = inputs.Inputs(
        template={
            "heat_template_version": "2021-04-16",
            "description": f"Removes {left.path}, which stack"
            f" {left.stack_name} ({left.stack_id}) has left.",
        }
    )
    who = inputs.Identity(
        stack_id=operation.stack_id,
        stack_name=left.holder_name,
        project_id=left.project_id,
    )
    return given, template.Template.load(
        given, deps.types, who, deps.limits, installed=deps.installed
    )


def _new_stack(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    operation: operation_model.Operation,
    left: leftover.Leftover,
    prepared: tuple[inputs.Inputs, template.Template],
) -> stack_model.Stack:
    """Return the stack of a sweep.

    It has the name of the stack that left the physical resource, as services
    may know it by that.
    """
    given, parsed_template = prepared
    template_hash, environment_hash = store.store_inputs(
        connection, given, parsed_template
    )
    return stack_model.Stack(
        id=operation.stack_id,
        root_id=operation.stack_id,
        project_id=left.project_id,
        name=left.holder_name,
        action=operation.action,
        status=states.Status.IN_PROGRESS,
        status_reason="",
        template_hash=template_hash,
        environment_hash=environment_hash,
        description=str(parsed_template.description),
        timeout_s=operation_factory.timeout_of(deps, {}),
        user_id=ctxt.user_id,
        username=ctxt.user_name or ctxt.user_id,
        operation_id=operation.id,
        created_at=operation.created_at,
    )
