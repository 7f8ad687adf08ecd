"""Asks services about what a stack wants, before that is accepted."""

import dataclasses

from orch import errors
from orch.context import request
from orch.engine import dependencies
from orch.engine import live
from orch.engine.operations import pretended
from orch.plugin import acts
from orch.plugin import resource
from orch.template import identity
from orch.template import template
from orch.template import world


def check(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: identity.Identity,
    bound: template.Template,
) -> None:
    """Refuse what a service says that it will refuse.

    What depends on other resources, or on a service that gives no answer
    now, is left to the creation.

    :raises orch.errors.Invalid: what is wrong and what to do
    """
    check_values(deps, ctxt, bound)
    budget = deps.reads.begin()
    for name, declared in bound.resources.items():
        plugin = deps.types.find(declared.type_name)
        if plugin is None or not plugin.examines:
            continue
        context = _context(deps, ctxt, who, bound, name)
        if context is not None:
            _examine(budget, plugin, context)


def check_values(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    bound: template.Template,
) -> None:
    """Refuse values that the services do not know (``custom_constraint``).

    :raises orch.errors.Invalid: all values that are wrong
    """
    checks = deps.checks
    if checks is not None:
        bound.check_services(lambda asked: checks.judge(ctxt, asked))


def _examine(
    budget: live.Budget, plugin: resource.Resource, context: acts.Context
) -> None:
    try:
        budget.run(lambda: plugin.examine(context))
    except errors.Invalid:
        raise
    except errors.OrchError:
        # The creation will say it, and can be tried again.
        return


def _context(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: identity.Identity,
    bound: template.Template,
    name: str,
) -> acts.Context | None:
    """Return what the plug-in may know; ``None`` while some is not known."""
    values = bound.resolve_properties(
        name, world.EmptyWorld(), marks_unknown=True
    )
    if world.has_unknown(values):
        return None
    context = pretended.context_of(
        ctxt, pretended.stack_of(deps.clock, who), bound, name, values
    )
    given = bound.nested_inputs(name, {}, {}, template="")
    assert isinstance(given.environment, dict)
    inputs = acts.Inputs(files=given.files, environment=given.environment)
    return dataclasses.replace(context, inputs=inputs)
