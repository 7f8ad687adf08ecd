"""Shows the stack that a request would make; nothing is stored."""

import dataclasses

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine import planning
from orch.engine import rehearsal
from orch.engine.operations import adopt
from orch.engine.operations import asked
from orch.engine.operations import foreseen
from orch.engine.operations import inner_plans
from orch.engine.operations import masks
from orch.engine.operations import room
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.rpc import contract
from orch.template import identity
from orch.template import inputs as template_inputs
from orch.template import template
from orch.template import world

_NO_ID = "None"
"""What Heat shows where an id will stand."""


class _Foreseen(world.EmptyWorld):
    """The world before anything was made, as a preview shows it.

    A resource without an id is referred to by its name.
    """

    def reference_id(self, name: str) -> object:
        """Return the name."""
        return name


def preview(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    inputs: contract.StackInputs,
    options: contract.StackOptions,
) -> contract.StackFacts:
    """Return the stack as ``create`` would make it, with its resources.

    What comes into being only with a resource is null in the properties of
    others. All that ``create`` refuses is refused.

    :raises orch.db.errors.NameTaken: the project has that name already
    :raises orch.errors.LimitExceeded: the project has too many stacks
    :raises orch.errors.Invalid: the template or its inputs are wrong
    """
    who = identity.Identity(_NO_ID, name, ctxt.project_id or "")
    bound = template.Template.load(
        template_inputs.Inputs(**inputs),
        deps.types,
        who,
        deps.limits,
        installed=deps.installed,
    )
    bound.validate()
    deps.database.query(lambda connection: room.check(connection, deps, who))
    return _shown(
        deps,
        ctxt,
        who,
        bound,
        options,
        states.Action.CREATE,
        _plan(deps, ctxt, name, bound),
    )


def preview_adoption(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    data: object,
    inputs: contract.StackInputs,
    options: contract.StackOptions,
    wish: contract.AdoptionWish,
) -> contract.StackFacts:
    """Return the stack as ``adopt`` would make it; nothing is stored.

    The things are looked at, and their plan tells what differs.

    :raises orch.errors.OrchError: what the adoption would be refused with
    """
    found = adopt.read(deps, ctxt, name, data, inputs, options, wish)

    def work(
        connection: db_engine.Connection,
    ) -> tuple[operation.Operation, planning.Loaded]:
        _, begun = adopt.accept(deps, ctxt, connection, found)
        return begun, planning.load(connection, begun, deps.templates.load)

    begun, loaded = rehearsal.undone(deps.database, work)
    loaded = dataclasses.replace(loaded, bound=found.bound)
    types = deps.types_of(loaded.subject, found.bound, ctxt, loaded.rows)
    planned = planning.build(loaded, begun, types, shows_all=True)
    shown = inner_plans.shown(
        deps, ctxt, planned, loaded, begun, masks.Masks([found.bound])
    )
    who = identity.Identity(_NO_ID, name, ctxt.project_id or "")
    return _shown(
        deps, ctxt, who, found.bound, found.options, begun.action, shown
    )


def _shown(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: identity.Identity,
    bound: template.Template,
    options: contract.StackOptions,
    action: states.Action,
    plan: contract.PlanFacts,
) -> contract.StackFacts:
    return contract.StackFacts(
        id=_NO_ID,
        name=who.stack_name,
        project_id=who.project_id,
        action=action.value,
        status=states.Status.IN_PROGRESS.value,
        status_reason="",
        description=str(bound.description),
        template_description=str(bound.description),
        created_at=deps.clock.now(),
        updated_at=None,
        deleted_at=None,
        disable_rollback=options.get("disable_rollback", True),
        timeout_mins=asked.timeout_s(deps, options) // 60 or None,
        username=ctxt.user_name or ctxt.user_id,
        user_id=ctxt.user_id,
        parent_id=None,
        root_id=_NO_ID,
        tags=list(options.get("tags") or ()),
        parameters=bound.shown_parameters(),
        resources=_resources(deps, who, bound),
        plan=plan,
    )


def _plan(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    bound: template.Template,
) -> contract.PlanFacts:
    """Return what the creation would do, which finds nothing."""
    wanted = asked.new(
        deps, ctxt, ids.StackId(_NO_ID), states.Action.CREATE, {}
    )
    subject = stack.Stack(
        id=wanted.stack_id,
        root_id=wanted.stack_id,
        project_id=wanted.project_id,
        name=name,
        action=wanted.action,
        status=states.Status.IN_PROGRESS,
        status_reason="",
        template_hash="",
        environment_hash="",
        created_at=wanted.created_at,
    )
    loaded = planning.Loaded(subject, (), None, bound)
    types = deps.types_of(subject, bound, ctxt)
    planned = planning.build(loaded, wanted, types, shows_all=True)
    return inner_plans.shown(
        deps, ctxt, planned, loaded, wanted, masks.Masks([bound])
    )


def _resources(
    deps: dependencies.Dependencies,
    who: identity.Identity,
    bound: template.Template,
) -> list[contract.ResourceFacts]:
    nothing = _Foreseen()
    identity_ = contract.StackIdentity(
        project_id=who.project_id,
        stack_name=who.stack_name,
        stack_id=who.stack_id,
    )
    required_by = foreseen.requiring(bound)
    now = deps.clock.now()
    shown: list[contract.ResourceFacts] = []
    for name in bound.resources:
        each = foreseen.facts(bound, name, identity_, required_by)
        each["created_at"] = each["updated_at"] = now
        each["properties"] = foreseen.visible(
            bound.resolve_properties(name, nothing, marks_unknown=True)
        )
        each["attributes"] = {}
        shown.append(each)
    return shown
