"""Resolve the outputs of a stack to their current values."""

from orch.context import request
from orch.engine import dependencies
from orch.engine import resource_values
from orch.model import stack
from orch.rpc import contract
from orch.template import outputs
from orch.template import template
from orch.template import world


def resolve_outputs(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack.Stack,
    parsed_template: template.Template,
    only: str | None = None,
) -> list[contract.OutputFacts]:
    """Return the outputs; one that cannot be resolved says why.

    The value of an output whose resources do not exist yet is null. Call it
    outside of a transaction: plug-ins may be called.

    :param only: this output alone; the list is empty when it does not exist
    """
    values = resource_values.StoredValues(
        stack,
        resource_values.StackRows(deps.database, stack.id),
        deps.types_of(stack, parsed_template, ctxt),
        ctxt,
        deps.reads.begin(),
    )
    return [
        _facts(output)
        for output in parsed_template.resolve_outputs(values, only=only)
    ]


def _facts(output: outputs.Output) -> contract.OutputFacts:
    facts = contract.OutputFacts(
        key=output.key,
        description=str(output.description),
        value=world.visible_value(output.value),
    )
    if output.error:
        facts["error"] = output.error
    return facts
