"""Preview the stack that a request would create; nothing is stored."""

import dataclasses
import typing

from orch import errors
from orch import ids
from orch.context import deadline
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine import external_ids
from orch.engine.acceptance import dry_run
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import permissions
from orch.engine.acceptance import precheck
from orch.engine.acceptance import quota
from orch.engine.adoption import adopt
from orch.engine.adoption import hand_overs
from orch.engine.execution import planning
from orch.engine.nested import stack_type
from orch.engine.plan_tree import nested
from orch.engine.plans import placeholders
from orch.engine.plans import verdicts
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.engine.stacks import create
from orch.model import marked
from orch.model import operation
from orch.model import states
from orch.plugin import nested_stack
from orch.rpc import contract
from orch.template import inputs as template_inputs
from orch.template import resource_count
from orch.template import template
from orch.template import world

_NO_ID = "None"
"""What Heat shows in place of an id that does not exist yet."""


def preview_create(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name: str,
    inputs: contract.StackInputs,
    options: contract.StackOptions,
) -> contract.StackFacts:
    """Return the stack as ``create`` would create it, with its resources.

    Values that exist only with a resource are null in the properties of
    others. All that ``create`` refuses is refused.

    :raises orch.db.errors.NameTaken: the project has that name already
    :raises orch.errors.LimitExceeded: the project has too many stacks
    :raises orch.errors.Invalid: the template or its inputs are wrong
    """
    who = template_inputs.Identity(_NO_ID, name, ctxt.project_id or "")
    given = template_inputs.Inputs(**inputs)
    parsed_template = template.Template.load(
        given,
        deps.types,
        who,
        deps.limits,
        installed=deps.installed,
    )
    parsed_template.validate(permissions.type_check(deps, ctxt))
    precheck.check_stack(deps, ctxt, who, parsed_template)
    deps.database.query(
        lambda connection: quota.check_stack_quota(connection, deps, who)
    )
    return _preview_facts(
        deps,
        ctxt,
        who,
        parsed_template,
        options,
        states.Action.CREATE,
        _plan(deps, ctxt, who, given, parsed_template, options),
    )


def preview_adoption(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    **wanted: typing.Unpack[contract.AdoptionRequest],
) -> contract.StackFacts:
    """Return the stack as ``adopt`` would create it; nothing is stored.

    The physical resources are read, and the plan shows what differs.

    :raises orch.errors.OrchError: what the adoption would be refused with
    """
    found = adopt.read_request(dry_run.without_credentials(deps), ctxt, wanted)
    return _preview_request(deps, ctxt, found)


def preview_take_over(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    **wanted: typing.Unpack[contract.TakeOverRequest],
) -> contract.StackFacts:
    """Return the stack as ``take_over`` would create it; nothing is stored.

    :raises orch.errors.OrchError: what it would be refused with
    """
    found = hand_overs.read_take_over(
        dry_run.without_credentials(deps), ctxt, wanted
    )
    return _preview_request(deps, ctxt, found)


def _preview_request(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: adopt.AdoptRequest,
) -> contract.StackFacts:
    def work(
        connection: db_engine.Connection,
    ) -> tuple[operation.Operation, planning.Loaded]:
        _, begun = adopt.accept_adopt(deps, ctxt, connection, found)
        return begun, planning.load_operation(
            connection, begun, deps.templates.load
        )

    begun, loaded = dry_run.roll_back(deps.database, work)
    loaded = dataclasses.replace(loaded, parsed_template=found.parsed_template)
    shown = _shown(deps, ctxt, loaded, begun, found.parsed_template)
    who = dataclasses.replace(found.who, stack_id=_NO_ID)
    return _preview_facts(
        deps,
        ctxt,
        who,
        found.parsed_template,
        found.options,
        begun.action,
        shown,
    )


def _preview_facts(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: template_inputs.Identity,
    parsed_template: template.Template,
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
        description=str(parsed_template.description),
        template_description=str(parsed_template.description),
        created_at=deps.clock.now(),
        updated_at=None,
        deleted_at=None,
        disable_rollback=options.get("disable_rollback", True),
        timeout_mins=operation_factory.timeout_of(deps, options) // 60 or None,
        username=ctxt.user_name or ctxt.user_id,
        user_id=ctxt.user_id,
        parent_id=None,
        root_id=_NO_ID,
        tags=list(options.get("tags") or ()),
        parameters=parsed_template.shown_parameters(),
        resources=_resources(
            deps,
            ctxt,
            who,
            parsed_template,
            tree_secrets.redaction_of_new(parsed_template),
            resource_count.ResourceCount(deps.limits.resources),
        ),
        plan=plan,
    )


def _plan(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: template_inputs.Identity,
    given: template_inputs.Inputs,
    parsed_template: template.Template,
    options: contract.StackOptions,
) -> contract.PlanFacts:
    """Return the plan of a creation."""
    adopts = bool(external_ids.entries_of(parsed_template, options))
    wanted = operation_factory.new_operation(
        deps,
        ctxt,
        ids.StackId(ids.new() if adopts else _NO_ID),
        states.Action.CREATE,
        {},
        has_credential=False,
    )

    def work(
        connection: db_engine.Connection,
    ) -> tuple[operation.Operation, planning.Loaded]:
        _, begun = create.accept_create(
            deps,
            ctxt,
            connection,
            wanted,
            who.stack_name,
            given,
            parsed_template,
            options,
        )
        return begun, planning.load_operation(
            connection, begun, deps.templates.load
        )

    if adopts:
        wanted, loaded = dry_run.roll_back(deps.database, work)
        loaded = dataclasses.replace(loaded, parsed_template=parsed_template)
    else:
        stack = precheck.placeholder_stack(deps.clock, who)
        loaded = planning.Loaded(stack, (), None, parsed_template)
    return _shown(deps, ctxt, loaded, wanted, parsed_template)


def _shown(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    loaded: planning.Loaded,
    wanted: operation.Operation,
    parsed_template: template.Template,
) -> contract.PlanFacts:
    """Return the plan of a new stack, with what it adopts as it is."""
    return verdicts.with_verdicts(
        deps,
        ctxt,
        nested.plan_tree(
            deps,
            ctxt,
            loaded,
            wanted,
            tree_secrets.redaction_of_new(parsed_template),
        ),
    )


def _resources(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: template_inputs.Identity,
    parsed_template: template.Template,
    redacts: redaction.Redaction,
    count: resource_count.ResourceCount,
) -> list[contract.Previewed]:
    """Return the resources; child stacks are lists of theirs.

    A child stack whose values are not known before the run is one resource.

    :param redacts: redacts the stack and its parents
    :param count: of the resources of all levels
    :raises orch.template.errors.TooLarge: with those of all levels they are
        too many
    """
    count.add(len(parsed_template.resources))
    nothing = precheck.PlaceholderWorld()
    types = deps.types_of(
        precheck.placeholder_stack(deps.clock, who), parsed_template, ctxt
    )
    identity_ = contract.StackIdentity(
        project_id=who.project_id,
        stack_name=who.stack_name,
        stack_id=who.stack_id,
    )
    required_by = placeholders.requiring_in_template(parsed_template)
    shown: list[contract.Previewed] = []
    for name, declared in parsed_template.resources.items():
        deadline.check()
        values = parsed_template.resolve_properties(
            name, nothing, marks_unknown=True
        )
        plugin = types.find(declared.type_name)
        if isinstance(plugin, stack_type.StackType):
            child = _child_resources(
                deps,
                ctxt,
                who,
                plugin,
                parsed_template,
                redacts,
                count,
                name,
                values,
            )
            if child is not None:
                shown.append(child)
                continue
        each = placeholders.placeholder_facts(
            parsed_template, name, identity_, required_by, redacts
        )
        each["properties"] = {
            key: redacts.part(values, key, world.visible_value(value))
            for key, value in values.items()
        }
        each["attributes"] = dict.fromkeys(
            placeholders.attribute_names(types, declared.type_name)
        )
        shown.append(each)
    return shown


def _child_resources(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: template_inputs.Identity,
    plugin: stack_type.StackType,
    parsed_template: template.Template,
    redacts: redaction.Redaction,
    count: resource_count.ResourceCount,
    name: str,
    values: marked.Marked,
) -> list[contract.Previewed] | None:
    """Return the resources of the child stack of a resource.

    :returns: ``None`` when they are not known yet, or not possible
    """
    if world.has_unknown(values):
        return None
    stack = precheck.placeholder_stack(deps.clock, who)
    context = precheck.placeholder_context(
        ctxt, stack, parsed_template, name, values
    )
    try:
        child = plugin.foresee(context)
    except (nested_stack.PausesTooLong, errors.LimitExceeded):
        raise
    except errors.Invalid:
        return None
    below = template_inputs.Identity(
        _NO_ID, f"{who.stack_name}-{name}", stack.project_id
    )
    found = _resources(
        deps,
        ctxt,
        below,
        child,
        redacts.extended(tree_secrets.of_parameters(child)),
        count,
    )
    for each in found:
        if not isinstance(each, list):
            each["parent_resource"] = name
    return found
