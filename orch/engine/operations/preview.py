"""Shows the stack that a request would make; nothing is stored."""

from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.engine import planning
from orch.engine.operations import asked
from orch.engine.operations import masks
from orch.engine.operations import plan_facts
from orch.engine.operations import resource_facts
from orch.engine.operations import room
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
    return contract.StackFacts(
        id=_NO_ID,
        name=name,
        project_id=who.project_id,
        action=states.Action.CREATE.value,
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
        plan=_plan(deps, ctxt, name, bound),
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
    return plan_facts.facts(
        planning.build(loaded, wanted, deps.types, shows_all=True),
        loaded,
        wanted.action.value,
        masks.Masks([bound]),
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
    required_by = resource_facts.requiring(
        (name, declared.requires) for name, declared in bound.resources.items()
    )
    now = deps.clock.now()
    return [
        contract.ResourceFacts(
            id="",
            name=name,
            type_name=declared.declared_type,
            physical_id=None,
            action=states.Action.INIT.value,
            status=states.Status.COMPLETE.value,
            status_reason="",
            created_at=now,
            updated_at=now,
            required_by=required_by.get(name, []),
            description=declared.description,
            properties=_visible(
                bound.resolve_properties(name, nothing, marks_unknown=True)
            ),
            metadata=metadata_of(bound, name),
            attributes={},
            stack=identity_,
            nested_stack=None,
        )
        for name, declared in bound.resources.items()
    ]


def metadata_of(bound: template.Template, name: str) -> dict[str, object]:
    """Return the metadata; nothing of it while a part is not known yet."""
    try:
        return _visible(bound.resolve_metadata(name, world.EmptyWorld()))
    except world.NotYetKnown:
        return {}


def _visible(values: dict[str, object]) -> dict[str, object]:
    return {name: world.visible(value) for name, value in values.items()}
