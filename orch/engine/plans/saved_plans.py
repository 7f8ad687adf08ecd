"""Saved plans: create, list, show, apply and delete."""

import collections.abc
import functools
import typing

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import plans
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import dry_run
from orch.engine.acceptance import idempotency
from orch.engine.execution import planning
from orch.engine.execution import saved_plan
from orch.engine.plan_tree import nested
from orch.engine.plans import requests
from orch.engine.plans import verdicts
from orch.engine.queries import errors as engine_errors
from orch.engine.queries import lookup
from orch.engine.secrets import tree_secrets
from orch.engine.stack_inputs import store
from orch.model import saved_plan as saved_plan_model
from orch.model import states
from orch.planner import plan
from orch.rpc import contract

Answer = typing.TypeVar("Answer")


_EMPTY: typing.Final = "is_empty"
"""Key of whether nothing would change, in a saved plan."""


class PlanApplied(errors.Conflict):
    """The plan was applied already; a plan is applied once."""

    code = "orch.plan.applied"


class PlanNameTaken(errors.Conflict):
    """The stack has a saved plan of that name already."""

    code = "orch.plan.name_taken"


def create_plan(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    request: contract.PlanRequest,
) -> contract.SavedPlanFacts:
    """Save the plan of a request, without accepting its operation.

    Nothing else of the stack changes.

    :raises orch.engine.acceptance.dry_run.NothingToDo: there would be no
        operation
    :raises PlanNameTaken: the stack has another plan of that name
    :raises orch.errors.Invalid: the action is unknown
    :raises orch.errors.LimitExceeded: the stack has as many as are allowed
    :raises orch.errors.OrchError: what the request itself is refused with
    """
    return idempotency.make_once(
        deps,
        ctxt,
        functools.partial(save_plan, deps, ctxt, stack_id, request),
        functools.partial(show_plan, deps, ctxt, stack_id),
    )


def save_plan(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    request: contract.PlanRequest,
) -> contract.SavedPlanFacts:
    """Save a plan as :func:`create_plan` does, also one that exists already.

    It stores the answer to an idempotency key, and looks for none.
    """
    found = dry_run.dry_run(
        deps,
        ids.StackId(stack_id),
        requests.find_use_case(ctxt, stack_id, request),
    )
    loaded = nested.with_survey(deps, ctxt, found.loaded, found.operation)
    types = deps.types_of(
        loaded.stack, loaded.parsed_template, ctxt, loaded.rows
    )
    planned = planning.build_plan(
        loaded, found.operation, types, shows_all=True
    )
    saved = saved_plan_model.SavedPlan(
        id=ids.new(),
        stack_id=found.operation.stack_id,
        action=found.operation.action,
        options=requests.without_inputs(request),
        template_hash=found.operation.template_hash,
        environment_hash=found.operation.environment_hash,
        basis=found.basis,
        changes={
            saved_plan.SIGNATURE: saved_plan.plan_signature(
                planned, found.loaded.rows
            ),
            _EMPTY: _is_empty(deps, found, request, planned),
            saved_plan.SHOWN: verdicts.with_verdicts(
                deps,
                ctxt,
                nested.plan_tree(
                    deps,
                    ctxt,
                    loaded,
                    found.operation,
                    tree_secrets.find_redaction(
                        deps, found.before, found.loaded.parsed_template
                    ),
                    planned=planned,
                ),
            ),
        },
        context=ctxt.to_stored(),
        created_at=deps.clock.now(),
    )

    def work(connection: db_engine.Connection) -> None:
        _free_place(deps, connection, saved.stack_id)
        _check_name(connection, saved)
        _save_plan(connection, saved, found)
        idempotency.save_answer(connection, ctxt, saved.id)

    deps.database.run(work)
    return _facts(saved, found.basis, with_plan=True)


def list_plans(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> list[contract.SavedPlanFacts]:
    """Return the plans of a stack, the newest first.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[list[saved_plan_model.SavedPlan], str]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        basis = saved_plan.state_basis(connection, stack)
        return plans.list_(connection, stack.id), basis

    found, basis = deps.database.query(work)
    return [_facts(each, basis) for each in reversed(found)]


def show_plan(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    plan_id: str,
) -> contract.SavedPlanFacts:
    """Return one plan of a stack.

    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such plan
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[saved_plan_model.SavedPlan, str]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        found = _get(connection, stack.id, plan_id)
        return found, saved_plan.state_basis(connection, stack)

    found, basis = deps.database.query(work)
    return _facts(found, basis, with_plan=True)


def delete_plan(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    plan_id: str,
) -> None:
    """Delete a plan; an operation that runs it goes on.

    :raises orch.errors.NotFound: as :func:`show_plan` does
    """

    def work(connection: db_engine.Connection) -> None:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        lookup.check_unchanged(ctxt, stacks.lock(connection, stack.id))
        plans.delete(connection, _get(connection, stack.id, plan_id).id)

    deps.database.run(work)


def apply_plan(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    plan_id: str,
    options: contract.StackOptions = contract.NO_OPTIONS,
) -> contract.Accepted:
    """Accept the operation of a plan, which makes exactly its changes.

    :param options: ``disable_rollback`` instead of that of the request
    :raises orch.engine.execution.saved_plan.Stale: the stack has changed since
    :raises PlanApplied: it was applied already
    :raises orch.errors.NotFound: as :func:`show_plan` does
    :raises orch.errors.OrchError: what the request itself is refused with
    """

    def read(connection: db_engine.Connection) -> saved_plan_model.SavedPlan:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        return _get(connection, stack.id, plan_id)

    saved = deps.database.query(read)
    if saved.operation_id is not None:
        raise _plan_applied(saved)

    def enclose(
        connection: db_engine.Connection,
        work: collections.abc.Callable[[db_engine.Connection], Answer],
    ) -> Answer:
        before = dry_run.lock_before(connection, saved.stack_id)
        lookup.check_unchanged(ctxt, before.stack)
        saved_plan.check_basis(connection, before.stack, saved)
        answer = work(connection)
        _attach_plan(connection, before, saved)
        return answer

    ask = requests.use_case_of_plan(ctxt, saved, options)
    accepted = ask(dry_run.with_transactions(deps, enclose))
    return typing.cast(contract.Accepted, accepted)


def _attach_plan(
    connection: db_engine.Connection,
    before: dry_run.StackBefore,
    saved: saved_plan_model.SavedPlan,
) -> None:
    """Bind the operation that was just accepted to the plan."""
    operation = dry_run.find_accepted(connection, before)
    if operation is None:
        raise dry_run.nothing_to_do()
    if not plans.apply(connection, saved.id, operation.id):
        raise _plan_applied(saved)
    parsed_template = saved_plan.plan_options(
        saved.id, operation.attempt, before.stack
    )
    operations.set_options(
        connection, operation.id, {**operation.options, **parsed_template}
    )


def _free_place(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack_id: ids.StackId,
) -> None:
    """Make sure that the stack may have one plan more.

    Plans that cannot be applied any more are deleted for it, the oldest
    first, but for the one of the last operation, which may still need it.

    :raises orch.errors.LimitExceeded: there are as many as are allowed
    """
    limit = deps.settings.max_plans_per_stack
    if limit < 0:
        return
    stack = stacks.lock(connection, stack_id)
    found = plans.list_bases(connection, stack_id)
    surplus = len(found) + 1 - limit
    if surplus <= 0:
        return
    current = saved_plan.state_basis(connection, stack)
    outdated = [
        plan_id
        for plan_id, basis, operation_id in found
        if basis != current
        and (operation_id is None or operation_id != stack.operation_id)
    ]
    if len(outdated) < surplus:
        raise errors.LimitExceeded(
            f"The stack {stack.name} has {limit} plans that can be applied, as"
            " many as are allowed: delete one of them first."
        )
    for plan_id in outdated[:surplus]:
        plans.delete(connection, plan_id)


def _check_name(
    connection: db_engine.Connection, saved: saved_plan_model.SavedPlan
) -> None:
    """Raise PlanNameTaken if another plan of the stack has the name.

    The stack is locked.

    :raises PlanNameTaken: one has it
    """
    name = requests.request_of_plan(saved).get("plan_name")
    if name is not None and any(
        requests.request_of_plan(each).get("plan_name") == name
        for each in plans.list_(connection, saved.stack_id)
        if each.id != saved.id
    ):
        raise PlanNameTaken(
            f"The stack has a plan {name} already: delete it first, or take"
            " another name."
        )


def _is_empty(
    deps: dependencies.Dependencies,
    found: dry_run.DryRun,
    request: contract.PlanRequest,
    planned: plan.Plan,
) -> bool:
    """Whether an update would change no resource, template, value or tag."""
    wanted = found.loaded.parsed_template
    if (
        found.operation.action is not states.Action.UPDATE
        or wanted is None
        or planned.changes
    ):
        return False
    options = request.get("options", {})
    keeps_tags = "tags" not in options and options.get("existing")
    if not keeps_tags and {*(options.get("tags") or ())} != {
        *found.before.tags
    }:
        return False
    old = deps.database.query(
        lambda connection: deps.templates.load(connection, found.before)
    )
    return (old.raw, old.environment, old.files) == (
        wanted.raw,
        wanted.environment,
        wanted.files,
    )


def _save_plan(
    connection: db_engine.Connection,
    saved: saved_plan_model.SavedPlan,
    found: dry_run.DryRun,
) -> None:
    if found.given is not None and found.loaded.parsed_template is not None:
        store.store_inputs(
            connection, found.given, found.loaded.parsed_template
        )
    plans.insert(connection, saved)


def _get(
    connection: db_engine.Connection, stack_id: ids.StackId, plan_id: str
) -> saved_plan_model.SavedPlan:
    missing = engine_errors.PlanNotFound(
        f"The Plan ({plan_id[:255]}) could not be found."
    )
    if not lookup.is_id(plan_id):
        raise missing
    try:
        found = plans.get(connection, plan_id)
    except errors.NotFound:
        raise missing from None
    if found.stack_id != stack_id:
        raise missing
    return found


def _plan_applied(saved: saved_plan_model.SavedPlan) -> PlanApplied:
    return PlanApplied(
        f"The plan {saved.id} was run already, by the operation"
        f" {saved.operation_id}; make a new one."
    )


def _facts(
    saved: saved_plan_model.SavedPlan, basis: str, *, with_plan: bool = False
) -> contract.SavedPlanFacts:
    requested_by = saved.context.get("user_name") or saved.context.get(
        "user_id"
    )
    request = requests.request_of_plan(saved)
    facts = contract.SavedPlanFacts(
        id=saved.id,
        name=request.get("plan_name"),
        description=request.get("plan_description"),
        request=request["action"],
        action=saved.action.value,
        basis=saved.basis,
        is_current=saved.basis == basis,
        is_empty=bool(saved.changes.get(_EMPTY)),
        requested_by=str(requested_by) if requested_by else None,
        operation_id=saved.operation_id,
        created_at=saved.created_at,
    )
    if with_plan:
        shown = saved.changes[saved_plan.SHOWN]
        facts["plan"] = typing.cast(contract.PlanFacts, shown)
    return facts
