"""Resolve the outputs of a stack to their current values, and mark them."""

import collections.abc

from orch.context import request
from orch.engine import dependencies
from orch.engine import resource_values
from orch.engine.secrets import masks as secret_masks
from orch.engine.secrets import output_marks
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


def mark_outputs(
    found: collections.abc.Iterable[contract.OutputFacts],
    masks: secret_masks.Masks,
    parsed_template: template.Template,
) -> list[contract.OutputFacts]:
    """Return outputs with ``sensitive``; their values stay plain.

    One without a value is sensitive where its template may make it so.

    :param masks: of :func:`output_marks.load_masks`
    """
    return [
        {
            **each,
            "sensitive": output_marks.is_sensitive(
                masks, parsed_template, each["key"], each["value"]
            )
            if "value" in each
            else output_marks.may_be_sensitive(
                masks, parsed_template, each["key"]
            ),
        }
        for each in found
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
