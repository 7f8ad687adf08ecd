"""Save the plan of a creation, with a stack that has no resources yet."""

import functools
import typing

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import quota
from orch.engine.plans import saved_plans
from orch.engine.queries import lookup
from orch.engine.stack_inputs import store
from orch.engine.stacks import create
from orch.flow.state import restoration
from orch.model import stack as stack_model
from orch.model import states
from orch.rpc import contract
from orch.template import inputs as template_inputs

_NOTHING: typing.Final = {"heat_template_version": "2021-04-16"}


def create_plan_with_stack(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    inputs: contract.StackInputs,
    options: contract.StackOptions,
    plan_name: str,
    plan_description: str | None,
) -> contract.SavedPlanFacts:
    """Save the plan of a creation, and store its stack if there is none.

    The stack is INIT_COMPLETE and has no resources; it keeps that state if
    the plan is refused for a reason that only the stored stack shows. Its
    first update is its creation.

    :raises orch.db.errors.NameTaken: the project has another stack of that
        name
    :raises orch.errors.LimitExceeded: the project has too many stacks
    :raises orch.errors.OrchError: as
        :func:`orch.engine.plans.saved_plans.create_plan` does
    """
    request: contract.PlanRequest = {
        "action": "update",
        "inputs": inputs,
        "options": options,
        "plan_name": plan_name,
    }
    if plan_description is not None:
        request["plan_description"] = plan_description
    return idempotency.make_once(
        deps,
        ctxt,
        functools.partial(_make, deps, ctxt, name, request),
        functools.partial(_show, deps, ctxt, name),
    )


def _make(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    request: contract.PlanRequest,
) -> contract.SavedPlanFacts:
    found = _find(deps, ctxt, name)
    if found is not None and found.action is not states.Action.INIT:
        raise db_errors.NameTaken(f"The Stack ({name}) already exists.")
    given = template_inputs.Inputs(**request["inputs"])
    create.check_new(deps, ctxt, name, given)
    if found is None:
        found = _store_stack(deps, ctxt, name)
    return saved_plans.save_plan(deps, ctxt, found.id, request)


def _show(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    plan_id: str,
) -> contract.SavedPlanFacts:
    found = _find(deps, ctxt, name)
    if found is None:
        raise lookup.StackNotFound(f"The Stack ({name}) could not be found.")
    return saved_plans.show_plan(deps, ctxt, found.id, plan_id)


def _find(
    deps: dependencies.Dependencies, ctxt: request.RequestContext, name: str
) -> stack_model.Stack | None:
    """Return the live stack of a name, in the state before a denial."""
    project_id = ctxt.project_id or ""

    def work(connection: db_engine.Connection) -> stack_model.Stack | None:
        found = stacks.find_live(connection, project_id, name)
        if found is None:
            return None
        return restoration.stack_in_force(connection, found)

    return deps.database.query(work)


def _store_stack(
    deps: dependencies.Dependencies, ctxt: request.RequestContext, name: str
) -> stack_model.Stack:
    """Store a stack that has neither resources nor an operation."""
    given = template_inputs.Inputs(template=_NOTHING)
    who, parsed_template = create.check_new(deps, ctxt, name, given)
    stack_id = ids.StackId(who.stack_id)
    created_at = deps.clock.now()

    def work(connection: db_engine.Connection) -> stack_model.Stack:
        quota.check_stack_quota(connection, deps, who)
        template_hash, environment_hash = store.store_inputs(
            connection, given, parsed_template
        )
        stack = stack_model.Stack(
            id=stack_id,
            root_id=stack_id,
            project_id=who.project_id,
            name=name,
            action=states.Action.INIT,
            status=states.Status.COMPLETE,
            status_reason="Stack has plans of its creation",
            template_hash=template_hash,
            environment_hash=environment_hash,
            timeout_s=deps.settings.stack_action_timeout,
            user_id=ctxt.user_id,
            username=ctxt.user_name or ctxt.user_id,
            created_at=created_at,
        )
        stacks.insert(connection, stack)
        quota.claim_stack(connection, deps, stack)
        return stack

    return deps.database.run(work)
