"""Check the desired resources of a stack with services before accepting it."""

import dataclasses

from oslo_log import log

from orch import clock
from orch import errors
from orch import ids
from orch import redacted
from orch.context import outside
from orch.context import request
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.engine.acceptance import quota
from orch.flow.state import contexts
from orch.model import resource as resource_model
from orch.model import stack
from orch.model import states
from orch.plugin import call_context
from orch.plugin import logged_errors
from orch.plugin import reality
from orch.plugin import resource
from orch.template import errors as template_errors
from orch.template import inputs as template_inputs
from orch.template import template
from orch.template import world

LOG = log.getLogger(__name__)


class PlaceholderWorld(world.EmptyWorld):
    """Template world of a preview, in which no resource exists.

    A resource without an id is referred to by its name.
    """

    def reference_id(self, name: str) -> object:
        """Return the name."""
        return name


def placeholder_stack(
    clock_: clock.Clock, who: template_inputs.Identity
) -> stack.Stack:
    """Return a stack for plug-in calls before the real one exists."""
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
        created_at=clock_.now(),
    )


def placeholder_context(
    ctxt: request.RequestContext,
    stack: stack.Stack,
    parsed_template: template.Template,
    name: str,
    values: dict[str, object],
) -> call_context.Context:
    """Return the call context of a resource of a placeholder stack.

    :param values: the resource's properties
    """
    row = resource_model.Resource(
        id=ids.ResourceId(ids.new()),
        stack_id=stack.id,
        name=name,
        type_name=parsed_template.resources[name].type_name,
        created_at=stack.created_at,
        updated_at=stack.created_at,
    )
    return dataclasses.replace(
        contexts.build_context(stack, row, ctxt), properties=values
    )


def check_stack(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: template_inputs.Identity,
    parsed_template: template.Template,
) -> None:
    """Raise Invalid if a new stack cannot have the template.

    It states more resources than are allowed, or a service would refuse
    some. Values that depend on other resources, or on a service that gives no
    answer now, are left to the creation.

    :raises orch.errors.Invalid: what is wrong and what to do
    """
    stack = placeholder_stack(deps.clock, who)
    quota.check_stated_size(deps, ctxt, stack, parsed_template)
    check_offered(deps, ctxt, parsed_template)
    check_values(deps, ctxt, parsed_template)
    check_external(deps, ctxt, who, parsed_template)
    budget = deps.reads.begin()
    for name, declared in parsed_template.resources.items():
        plugin = deps.types.find(declared.type_name)
        if plugin is None or not plugin.examines:
            continue
        context = _context(ctxt, stack, parsed_template, name)
        if context is not None:
            _check_resource(budget, plugin, context)


def check_external(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: template_inputs.Identity,
    parsed_template: template.Template,
    before: template.Template | None = None,
) -> None:
    """Raise Invalid if an ``external_id`` names nothing that exists.

    A service that does not answer now is no reason to refuse: the run looks
    again.

    :param before: the template until now, whose ids are not checked again
    :raises orch.errors.Invalid: has a problem for each
    """
    known = {} if before is None else before.resources
    stack = placeholder_stack(deps.clock, who)
    budget = deps.reads.begin()
    found: list[errors.Problem] = []
    for name, declared in parsed_template.resources.items():
        plugin = deps.types.find(declared.type_name)
        is_new = name not in known or (
            known[name].external_id != declared.external_id
        )
        if declared.external_id is None or plugin is None or not is_new:
            continue
        context = _external_context(ctxt, stack, parsed_template, name)
        if plugin.has_reality and _is_missing(budget, plugin, context):
            found.append(
                errors.Problem(
                    f"resources.{name}.external_id: no"
                    f" {declared.declared_type} is known as"
                    f" {declared.external_id[:255]}.",
                    f"resources.{name}.external_id",
                )
            )
    if found:
        raise template_errors.TemplateInvalid(
            " ".join(each.message for each in found), found
        )


def _external_context(
    ctxt: request.RequestContext,
    stack: stack.Stack,
    parsed_template: template.Template,
    name: str,
) -> call_context.Context:
    """Return the call context of an external resource, for its reading."""
    context = placeholder_context(
        ctxt,
        stack,
        parsed_template,
        name,
        parsed_template.resolve_properties(name, world.EmptyWorld()),
    )
    return dataclasses.replace(
        context,
        stack_id="",
        physical_id=parsed_template.resources[name].external_id,
    )


def _is_missing(
    budget: plugin_reads.ReadBudget,
    plugin: resource.Resource,
    context: call_context.Context,
) -> bool:
    """Whether the service says that a physical resource does not exist."""
    try:
        budget.run(lambda: plugin.get_reality(context))
    except reality.Vanished:
        return True
    except outside.REFUSALS:
        raise
    except errors.OrchError:
        return False
    except Exception as error:
        LOG.error(
            "%s is taken unchecked",
            plugin.type_name,
            exc_info=redacted.redact_trace(
                error, logged_errors.redact_error(error, [context])
            ),
        )
    return False


def check_offered(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    parsed_template: template.Template,
    before: template.Template | None = None,
) -> None:
    """Raise TypeUnavailable if the cloud has no service for some resources.

    :param before: the template until now, whose services are not checked
    :raises orch.template.errors.TypeUnavailable: names all of them
    """
    checks = deps.checks
    if checks is not None:
        parsed_template.check_offered(
            lambda services: checks.find_missing(ctxt, services), before
        )


def check_values(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    parsed_template: template.Template,
) -> None:
    """Raise Invalid if services do not know values (``custom_constraint``).

    :raises orch.errors.Invalid: lists all values that are wrong
    """
    checks = deps.checks
    if checks is not None:
        parsed_template.check_services(
            lambda questions: checks.find_problems(ctxt, questions)
        )


def _check_resource(
    budget: plugin_reads.ReadBudget,
    plugin: resource.Resource,
    context: call_context.Context,
) -> None:
    try:
        budget.run(lambda: plugin.examine(context))
    except (errors.Invalid, *outside.REFUSALS):
        raise
    except errors.OrchError:
        # The creation fails with it, and can be retried.
        return


def _context(
    ctxt: request.RequestContext,
    stack: stack.Stack,
    parsed_template: template.Template,
    name: str,
) -> call_context.Context | None:
    """Return the call context; ``None`` while some properties are unknown."""
    values = parsed_template.resolve_properties(
        name, world.EmptyWorld(), marks_unknown=True
    )
    if world.has_unknown(values):
        return None
    context = placeholder_context(ctxt, stack, parsed_template, name, values)
    given = parsed_template.nested_inputs(name, {}, {}, template="")
    assert isinstance(given.environment, dict)
    inputs = call_context.ChildInputs(
        files=given.files, environment=given.environment
    )
    return dataclasses.replace(context, inputs=inputs)
