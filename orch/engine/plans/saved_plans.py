"""Plans that are kept: made, looked at, run, forgotten."""

import collections.abc
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
from orch.engine.queries import text
from orch.engine.queries import visibility
from orch.engine.secrets import stack_masks
from orch.engine.stack_inputs import store
from orch.model import saved_plan as saved_plan_model
from orch.rpc import contract

Answer = typing.TypeVar("Answer")


class Applied(errors.Conflict):
    """The plan was run already; a plan is run once."""

    code = "orch.plan.applied"


def create(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    wish: contract.PlanWish,
) -> contract.KeptPlanFacts:
    """Return the plan of an operation that nobody has asked for yet.

    It is kept; nothing else of the stack changes.

    :raises orch.engine.acceptance.dry_run.NothingToDo: there would be no
        operation
    :raises orch.errors.Invalid: there is no such action
    :raises orch.errors.OrchError: what the request itself is refused with
    """
    if ctxt.repeat is None:
        return _make(deps, ctxt, stack_id, wish)
    plan_id = idempotency.once(
        deps, ctxt, lambda: _make(deps, ctxt, stack_id, wish)["id"]
    )
    return show(deps, ctxt, stack_id, plan_id)


def _make(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    wish: contract.PlanWish,
) -> contract.KeptPlanFacts:
    found = dry_run.rehearse(
        deps, ids.StackId(stack_id), requests.ask(ctxt, stack_id, wish)
    )
    loaded = nested.surveyed(deps, ctxt, found.loaded, found.asked)
    types = deps.types_of(loaded.subject, loaded.bound, ctxt, loaded.rows)
    planned = planning.build(loaded, found.asked, types, shows_all=True)
    kept = saved_plan_model.KeptPlan(
        id=ids.new(),
        stack_id=found.asked.stack_id,
        action=found.asked.action,
        options=requests.without_inputs(wish),
        template_hash=found.asked.template_hash,
        environment_hash=found.asked.environment_hash,
        basis=found.basis,
        changes={
            saved_plan.SIGNATURE: saved_plan.signature(
                planned, found.loaded.rows
            ),
            saved_plan.SHOWN: verdicts.shown(
                deps,
                ctxt,
                nested.outlook(
                    deps,
                    ctxt,
                    planned,
                    loaded,
                    found.asked,
                    stack_masks.of(deps, found.before, found.loaded.bound),
                ),
            ),
        },
        context=ctxt.to_stored(),
        created_at=deps.clock.now(),
    )

    def work(connection: db_engine.Connection) -> None:
        _keep(connection, kept, found)
        idempotency.keep(connection, ctxt, kept.id)

    deps.database.run(work)
    return _facts(kept, found.basis, with_plan=True)


def list_(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> list[contract.KeptPlanFacts]:
    """Return the plans of a stack, the newest first.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[list[saved_plan_model.KeptPlan], str]:
        subject = lookup.get(connection, ctxt, stack_id)
        basis = saved_plan.basis(connection, subject)
        return plans.list_(connection, subject.id), basis

    found, basis = deps.database.query(work)
    return [_facts(each, basis) for each in reversed(found)]


def show(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    plan_id: str,
) -> contract.KeptPlanFacts:
    """Return one plan of a stack.

    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such plan
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[saved_plan_model.KeptPlan, str]:
        subject = lookup.get(connection, ctxt, stack_id)
        found = _get(connection, subject.id, plan_id)
        return found, saved_plan.basis(connection, subject)

    found, basis = deps.database.query(work)
    return _facts(found, basis, with_plan=True)


def delete(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    plan_id: str,
) -> None:
    """Forget a plan; an operation that runs it goes on.

    :raises orch.errors.NotFound: as :func:`show` does
    """

    def work(connection: db_engine.Connection) -> None:
        subject = lookup.get(connection, ctxt, stack_id)
        visibility.check_unchanged(ctxt, stacks.lock(connection, subject.id))
        plans.delete(connection, _get(connection, subject.id, plan_id).id)

    deps.database.run(work)


def apply(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    plan_id: str,
) -> contract.Accepted:
    """Accept the operation of a plan, which does exactly what it says.

    :raises orch.engine.execution.saved_plan.Stale: the stack has moved on
    :raises Applied: it was run already
    :raises orch.errors.NotFound: as :func:`show` does
    :raises orch.errors.OrchError: what the request itself is refused with
    """

    def read(connection: db_engine.Connection) -> saved_plan_model.KeptPlan:
        subject = lookup.get(connection, ctxt, stack_id)
        return _get(connection, subject.id, plan_id)

    kept = deps.database.query(read)
    if kept.operation_id is not None:
        raise _applied(kept)

    def enclose(
        connection: db_engine.Connection,
        work: collections.abc.Callable[[db_engine.Connection], Answer],
    ) -> Answer:
        before = dry_run.look(connection, kept.stack_id)
        visibility.check_unchanged(ctxt, before.subject)
        saved_plan.check_basis(connection, before.subject, kept)
        answer = work(connection)
        _bind(connection, before, kept)
        return answer

    ask = requests.ask_again(ctxt, kept)
    accepted = ask(dry_run.around(deps, enclose))
    return typing.cast(contract.Accepted, accepted)


def _bind(
    connection: db_engine.Connection,
    before: dry_run.Before,
    kept: saved_plan_model.KeptPlan,
) -> None:
    """Let the operation that was just accepted keep to the plan."""
    asked = dry_run.find_accepted(connection, before)
    if asked is None:
        raise dry_run.nothing_to_do()
    if not plans.apply(connection, kept.id, asked.id):
        raise _applied(kept)
    bound = saved_plan.bound_to(kept.id, asked.attempt, before.subject)
    operations.set_options(connection, asked.id, {**asked.options, **bound})


def _keep(
    connection: db_engine.Connection,
    kept: saved_plan_model.KeptPlan,
    found: dry_run.Rehearsed,
) -> None:
    if found.given is not None and found.loaded.bound is not None:
        store.store_inputs(connection, found.given, found.loaded.bound)
    plans.insert(connection, kept)


def _get(
    connection: db_engine.Connection, stack_id: ids.StackId, plan_id: str
) -> saved_plan_model.KeptPlan:
    missing = engine_errors.PlanNotFound(
        f"The Plan ({plan_id[:255]}) could not be found."
    )
    if not text.is_id(plan_id):
        raise missing
    try:
        found = plans.get(connection, plan_id)
    except errors.NotFound:
        raise missing from None
    if found.stack_id != stack_id:
        raise missing
    return found


def _applied(kept: saved_plan_model.KeptPlan) -> Applied:
    return Applied(
        f"The plan {kept.id} was run already, by the operation"
        f" {kept.operation_id}; make a new one."
    )


def _facts(
    kept: saved_plan_model.KeptPlan, basis: str, *, with_plan: bool = False
) -> contract.KeptPlanFacts:
    asked_by = kept.context.get("user_name") or kept.context.get("user_id")
    facts = contract.KeptPlanFacts(
        id=kept.id,
        request=requests.wish_of(kept)["action"],
        action=kept.action.value,
        basis=kept.basis,
        is_current=kept.basis == basis,
        asked_by=str(asked_by) if asked_by else None,
        operation_id=kept.operation_id,
        created_at=kept.created_at,
    )
    if with_plan:
        shown = kept.changes[saved_plan.SHOWN]
        facts["plan"] = typing.cast(contract.PlanFacts, shown)
    return facts
