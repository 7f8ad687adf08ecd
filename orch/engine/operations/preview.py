"""Shows the stack that a request would make; nothing is stored."""

import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine import planning
from orch.engine import rehearsal
from orch.engine.nested import stack_type
from orch.engine.operations import adopt
from orch.engine.operations import asked
from orch.engine.operations import foreseen
from orch.engine.operations import inner_plans
from orch.engine.operations import masks
from orch.engine.operations import room
from orch.flow import contexts
from orch.model import operation
from orch.model import resource
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
        resources=_resources(deps, ctxt, who, bound),
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
    subject = _pretended(
        deps, identity.Identity(_NO_ID, name, wanted.project_id)
    )
    loaded = planning.Loaded(subject, (), None, bound)
    types = deps.types_of(subject, bound, ctxt)
    planned = planning.build(loaded, wanted, types, shows_all=True)
    return inner_plans.shown(
        deps, ctxt, planned, loaded, wanted, masks.Masks([bound])
    )


def _resources(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: identity.Identity,
    bound: template.Template,
) -> list[contract.Previewed]:
    """Return resources; lists stand for those that are stacks.

    A stack whose values come into being only with the run is one resource.
    """
    nothing = _Foreseen()
    types = deps.types_of(_pretended(deps, who), bound, ctxt)
    identity_ = contract.StackIdentity(
        project_id=who.project_id,
        stack_name=who.stack_name,
        stack_id=who.stack_id,
    )
    required_by = foreseen.requiring(bound)
    now = deps.clock.now()
    shown: list[contract.Previewed] = []
    for name, declared in bound.resources.items():
        values = bound.resolve_properties(name, nothing, marks_unknown=True)
        plugin = types.find(declared.type_name)
        if isinstance(plugin, stack_type.StackType):
            inner = _inner(deps, ctxt, who, plugin, bound, name, values)
            if inner is not None:
                shown.append(inner)
                continue
        each = foreseen.facts(bound, name, identity_, required_by)
        each["created_at"] = each["updated_at"] = now
        each["properties"] = foreseen.visible(values)
        each["attributes"] = {}
        shown.append(each)
    return shown


def _pretended(
    deps: dependencies.Dependencies, who: identity.Identity
) -> stack.Stack:
    """Return a stack that nobody has made."""
    return stack.Stack(
        id=ids.StackId(who.stack_id),
        root_id=ids.StackId(who.stack_id),
        project_id=who.project_id,
        name=who.stack_name,
        action=states.Action.CREATE,
        status=states.Status.IN_PROGRESS,
        status_reason="",
        template_hash="",
        environment_hash="",
        created_at=deps.clock.now(),
    )


def _inner(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: identity.Identity,
    plugin: stack_type.StackType,
    bound: template.Template,
    name: str,
    values: dict[str, object],
) -> list[contract.Previewed] | None:
    """Return the resources of the stack that a resource is to be.

    :returns: ``None`` when they are not known yet, or cannot be
    """
    if world.has_unknown(values):
        return None
    subject = _pretended(deps, who)
    row = resource.Resource(
        id=ids.ResourceId(ids.new()),
        stack_id=subject.id,
        name=name,
        type_name=bound.resources[name].type_name,
        created_at=subject.created_at,
        updated_at=subject.created_at,
    )
    context = dataclasses.replace(
        contexts.context_of(subject, row, ctxt), properties=values
    )
    try:
        inner = plugin.foresee(context)
    except errors.Invalid:
        return None
    below = identity.Identity(
        _NO_ID, context.physical_name, subject.project_id
    )
    found = _resources(deps, ctxt, below, inner)
    for each in found:
        if not isinstance(each, list):
            each["parent_resource"] = name
    return found
