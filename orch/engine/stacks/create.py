"""Accept the creation of a stack."""

import dataclasses

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine import external_ids
from orch.engine import releases
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import permissions
from orch.engine.acceptance import precheck
from orch.engine.acceptance import quota
from orch.engine.stack_inputs import store
from orch.engine.stacks import retry
from orch.flow.state import submit as flow_submit
from orch.model import operation as operation_model
from orch.model import stack
from orch.model import states
from orch.rpc import contract
from orch.template import inputs as template_inputs
from orch.template import template


def submit_create(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    inputs: contract.StackInputs,
    options: contract.StackOptions,
) -> contract.Accepted:
    """Accept a stack durably; none of its resources exists yet.

    With ``retry`` among the options the failed creation is retried.

    :raises orch.db.errors.NameTaken: the project has that name already
    :raises orch.errors.LimitExceeded: the project has too many stacks
    :raises orch.errors.Invalid: the template, its inputs or ids are wrong
    :raises orch.flow.state.claims.AlreadyOwned: another stack owns a physical
        resource that it adopts
    """
    if options.get("retry"):
        action = states.Action.CREATE
        return retry.submit_named_retry(
            deps, ctxt, name, options, action, inputs
        )
    given = template_inputs.Inputs(**inputs)
    who, parsed_template = check_new(deps, ctxt, name, given)
    stack_id = ids.StackId(who.stack_id)
    operation = operation_factory.new_operation(
        deps, ctxt, stack_id, states.Action.CREATE, options, parsed_template
    )

    answer = operation_factory.accepted_facts(operation, name)

    def work(connection: db_engine.Connection) -> stack.Stack:
        quota.check_stack_quota(connection, deps, who)
        stack, begun = accept_create(
            deps,
            ctxt,
            connection,
            operation,
            name,
            given,
            parsed_template,
            options,
        )
        released.check(connection, begun)
        idempotency.save_answer(connection, ctxt, answer)
        quota.claim_stack(connection, deps, stack)
        return stack

    wanted = options.get("adoption", {})
    with releases.JudgedReleases(deps, ctxt, wanted) as released:
        deps.templates.add(released.run(work), parsed_template)
    return answer


def check_new(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    given: template_inputs.Inputs,
) -> tuple[template_inputs.Identity, template.Template]:
    """Return the identity and the checked template of a new stack.

    :raises orch.errors.Invalid: the template or its inputs are wrong
    """
    who = template_inputs.Identity(
        stack_id=ids.new(),
        stack_name=name,
        project_id=ctxt.project_id or "",
    )
    parsed_template = template.Template.load(
        given, deps.types, who, deps.limits, installed=deps.installed
    )
    parsed_template.validate(permissions.type_check(deps, ctxt))
    precheck.check_stack(deps, ctxt, who, parsed_template)
    return who, parsed_template


def accept_create(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    connection: db_engine.Connection,
    wanted: operation_model.Operation,
    name: str,
    given: template_inputs.Inputs,
    parsed_template: template.Template,
    options: contract.StackOptions,
) -> tuple[stack.Stack, operation_model.Operation]:
    """Store a new stack, what it adopts and its first operation.

    :raises orch.errors.OrchError: an error that only the rows show; see
        :func:`submit_create`
    """
    permissions.check_adopt_owned(deps, ctxt, options.get("adoption", {}))
    begun = external_ids.store(
        connection,
        store_inputs(connection, wanted, given, parsed_template),
        parsed_template,
        options,
        deps.types,
        permissions.type_check(deps, ctxt),
    )
    stack = new_stack(deps, ctxt, begun, name, parsed_template, options)
    flow_submit.accept_new_stack(connection, stack, begun)
    return stack, begun


def store_inputs(
    connection: db_engine.Connection,
    operation: operation_model.Operation,
    given: template_inputs.Inputs,
    parsed_template: template.Template,
) -> operation_model.Operation:
    """Store the inputs of a new stack, and return its operation with them."""
    template_hash, environment_hash = store.store_inputs(
        connection, given, parsed_template
    )
    return dataclasses.replace(
        operation,
        template_hash=template_hash,
        environment_hash=environment_hash,
    )


def new_stack(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    first: operation_model.Operation,
    name: str,
    parsed_template: template.Template,
    options: contract.StackOptions,
) -> stack.Stack:
    """Return a new root stack, as its first operation starts."""
    assert first.template_hash is not None
    assert first.environment_hash is not None
    return stack.Stack(
        id=first.stack_id,
        root_id=first.stack_id,
        project_id=first.project_id,
        name=name,
        action=first.action,
        status=states.Status.IN_PROGRESS,
        status_reason="",
        template_hash=first.template_hash,
        environment_hash=first.environment_hash,
        description=str(parsed_template.description),
        tags=tuple(options.get("tags") or ()),
        disable_rollback=options.get("disable_rollback", True),
        timeout_s=operation_factory.timeout_of(deps, options),
        user_id=ctxt.user_id,
        username=ctxt.user_name or ctxt.user_id,
        resource_count=len(parsed_template.resources),
        tree_count=len(parsed_template.resources),
        operation_id=first.id,
        created_at=first.created_at,
    )
