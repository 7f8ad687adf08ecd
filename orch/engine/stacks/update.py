"""Accept the update of a stack."""

import collections.abc
import dataclasses
import functools

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import external_ids
from orch.engine import releases
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import merged_inputs
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import permissions
from orch.engine.acceptance import precheck
from orch.engine.acceptance import quota
from orch.engine.queries import lookup
from orch.engine.stack_inputs import store
from orch.engine.stacks import retry
from orch.flow.state import restoration
from orch.flow.state import submit as flow_submit
from orch.model import stack as stack_model
from orch.model import states
from orch.rpc import contract
from orch.template import errors as template_errors
from orch.template import inputs as template_inputs
from orch.template import template
from orch.template.environment import form


class ImmutableChanged(errors.Invalid):
    """A parameter that the template declares immutable has a new value."""

    code = "orch.template.immutable_changed"


@dataclasses.dataclass(frozen=True, slots=True)
class UpdateRequest:
    """The request of an update, checked against the current stack.

    :ivar stack: the stack as it was read, with the inputs in force
    :ivar given: template, environment and parameters, stored ones included
    :ivar parsed_template: the template of these inputs
    """

    stack: stack_model.Stack
    given: template_inputs.Inputs
    parsed_template: template.Template


def submit_update(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    inputs: contract.StackInputs,
    options: contract.StackOptions,
) -> contract.Accepted:
    """Accept an update; it supersedes an operation in progress.

    :param inputs: the desired inputs; with ``existing`` among the options only
        those that differ; with ``retry`` none, then the failed update is
        retried instead
    :raises orch.errors.NotFound: this caller has no such stack
    :raises orch.errors.NotSupported: it is suspended or being deleted
    :raises ImmutableChanged: a parameter may not change
    :raises orch.errors.Invalid: the template or its inputs are wrong
    """
    if options.get("retry"):
        action = states.Action.UPDATE
        return retry.submit_retry(
            deps, ctxt, stack_id, options, action, inputs
        )
    while True:
        request = read_request(deps, ctxt, stack_id, inputs, options)
        done = accept_update(deps, ctxt, request, options)
        if done is not None:
            return done


def read_request(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    inputs: contract.StackInputs,
    options: contract.StackOptions,
) -> UpdateRequest:
    """Read and check the request of an update.

    :raises orch.errors.OrchError: as :func:`submit_update` does
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[stack_model.Stack, template_inputs.Inputs, template.Template]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        _check_may_change(restoration.stack_in_force(connection, stack))
        stack = restoration.inputs_in_force(connection, stack)
        return (
            stack,
            store.read_inputs(connection, stack),
            deps.templates.load(connection, stack),
        )

    stack, before, old = deps.database.query(work)
    who = template_inputs.Identity(stack.id, stack.name, stack.project_id)
    load = functools.partial(
        template.Template.load,
        types=deps.types,
        identity=who,
        limits=deps.limits,
        installed=deps.installed,
    )

    def keep(given: template_inputs.Inputs) -> template_inputs.Inputs:
        return form.with_stored_sinks(given, old.event_sinks, deps.limits)

    if options.get("existing"):
        cleared = set(options.get("clear_parameters") or ())
        given = merged_inputs.merge_inputs(
            before, old, inputs, cleared, lambda given: load(keep(given))
        )
    else:
        given = keep(template_inputs.Inputs(**inputs))
    given = dataclasses.replace(given, around=before.around)
    parsed_template = load(given)
    parsed_template.validate(permissions.type_check(deps, ctxt))
    _check_immutable(old, parsed_template)
    quota.check_stated_size(deps, ctxt, stack, parsed_template)
    precheck.check_offered(deps, ctxt, parsed_template, old)
    precheck.check_values(deps, ctxt, parsed_template)
    precheck.check_external(deps, ctxt, who, parsed_template, old)
    return UpdateRequest(stack, given, parsed_template)


def _check_may_change(stack: stack_model.Stack) -> None:
    """Raise an error if the stack is deleted or suspended.

    :raises orch.errors.NotSupported: it is suspended or being deleted
    """
    if stack.deleted_at is not None:
        raise lookup.StackNotFound(
            f"The Stack ({stack.name}) could not be found."
        )
    if stack.action is states.Action.SUSPEND:
        raise errors.NotSupported(
            "Updating a stack when it is suspended is not supported: resume"
            " it first."
        )
    if stack.action is states.Action.DELETE:
        raise errors.NotSupported(
            "Updating a stack when it is deleting is not supported."
        )


def _check_immutable(
    old: template.Template, parsed_template: template.Template
) -> None:
    """Raise ImmutableChanged if an immutable parameter has a new value.

    :raises ImmutableChanged: with all their names
    """
    before, after = old.parameters, parsed_template.parameters
    changed = [
        name
        for name, declared in before.schemas.items()
        if declared.is_immutable
        and name in after.schemas
        and before.value(name) != after.value(name)
    ]
    if changed:
        raise ImmutableChanged(
            "The following parameters are immutable and may not be updated:"
            f" {', '.join(changed)}"
        )


def accept_update(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    request: UpdateRequest,
    options: contract.StackOptions,
    more: collections.abc.Mapping[str, object] | None = None,
) -> contract.Accepted | None:
    """Accept the request; ``None`` when the stack has changed meanwhile.

    The first update of a stack that has only plans is its creation.

    :param more: options of the operation that no request can have
    """
    adoption = options.get("adoption", {})
    permissions.check_adopt_owned(deps, ctxt, adoption)
    before = request.stack
    operation = operation_factory.new_operation(
        deps,
        ctxt,
        before.id,
        states.Action.UPDATE,
        options,
        request.parsed_template,
    )
    operation = dataclasses.replace(
        operation, options={**operation.options, **(more or {})}
    )

    def work(
        connection: db_engine.Connection, *, is_within_quota: bool = False
    ) -> stack_model.Stack | None:
        stack = stacks.lock(connection, before.id)
        last_state = restoration.stack_in_force(connection, stack)
        _check_may_change(last_state)
        is_creation = last_state.action is states.Action.INIT
        lookup.check_unchanged(ctxt, stack)
        in_force = restoration.inputs_in_force(connection, stack)
        if store.key_of(in_force) != store.key_of(before):
            return None
        template_hash, environment_hash = store.store_inputs(
            connection, request.given, request.parsed_template
        )
        count = len(request.parsed_template.resources)
        quota.count_tree(
            connection,
            deps,
            stack,
            count - stack.resource_count,
            is_within_quota=is_within_quota,
        )
        changed = {
            **_columns(deps, request, options),
            "resource_count": count,
            "template_hash": template_hash,
            "environment_hash": environment_hash,
            "updated_at": None if is_creation else operation.created_at,
        }
        begun = external_ids.store(
            connection,
            dataclasses.replace(
                operation,
                action=states.Action.CREATE
                if is_creation
                else operation.action,
                template_hash=template_hash,
                environment_hash=environment_hash,
            ),
            request.parsed_template,
            options,
            deps.types,
            permissions.type_check(deps, ctxt),
        )
        released.check(connection, begun)
        flow_submit.accept_operation(connection, stack, begun, **changed)
        idempotency.save_answer(
            connection,
            ctxt,
            operation_factory.accepted_facts(begun, stack.name),
        )
        return dataclasses.replace(
            stack,
            template_hash=template_hash,
            environment_hash=environment_hash,
        )

    with releases.JudgedReleases(deps, ctxt, adoption) as released:
        try:
            stack = released.run(work)
        except template_errors.TooLarge:
            if not quota.has_tree_quota(
                deps, ctxt, before, request.parsed_template
            ):
                raise
            stack = released.run(functools.partial(work, is_within_quota=True))
    if stack is None:
        return None
    deps.templates.add(stack, request.parsed_template)
    return operation_factory.accepted_facts(operation, stack.name)


def _columns(
    deps: dependencies.Dependencies,
    request: UpdateRequest,
    options: contract.StackOptions,
) -> dict[str, object]:
    """Return the columns of the stack that change.

    Values that the request does not name stay; tags that it does not name are
    removed, unless ``existing`` is among the options.
    """
    changed: dict[str, object] = {
        "description": str(request.parsed_template.description)
    }
    if "disable_rollback" in options:
        changed["disable_rollback"] = options["disable_rollback"]
    if options.get("timeout_mins"):
        changed["timeout_s"] = operation_factory.timeout_of(deps, options)
    if "tags" in options or not options.get("existing"):
        changed["tags"] = tuple(options.get("tags") or ())
    return changed
