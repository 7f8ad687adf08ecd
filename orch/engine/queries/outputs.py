"""Resolve the outputs of a stack to their current values."""

import collections.abc
import dataclasses

from orch.context import request
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.engine import resource_values
from orch.engine.secrets import redaction
from orch.model import flat_fields
from orch.model import marked
from orch.model import stack
from orch.rpc import contract
from orch.template import outputs
from orch.template import template
from orch.template import world

Outputs = collections.abc.Iterable[outputs.Output]


def resolve_outputs(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack.Stack,
    parsed_template: template.Template,
    only: str | None = None,
) -> list[outputs.Output]:
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
    return parsed_template.resolve_outputs(values, only=only)


def resolve_stored(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack.Stack,
    parsed_template: template.Template,
) -> list[outputs.Output]:
    """Return the outputs as far as they are stored; no service is called."""
    return resolve_outputs(
        dataclasses.replace(deps, reads=plugin_reads.StoredReads()),
        ctxt,
        stack,
        parsed_template,
    )


def output_facts(output: outputs.Output) -> contract.OutputFacts:
    """Return an output with its value, in plain."""
    facts = contract.OutputFacts(
        key=output.key,
        description=str(output.description),
        value=world.visible_value(output.value),
        sensitive=is_sensitive(output),
    )
    if output.error:
        facts["error"] = output.error
    return facts


def is_sensitive(output: outputs.Output) -> bool:
    """Whether an output, or a part of its value, is sensitive."""
    return (
        bool(output.sensitive)
        or flat_fields.is_secret(output.key)
        or any(marked.find_named(output.value))
    )


def redact_outputs(
    found: Outputs, redacts: redaction.Redaction
) -> dict[str, object]:
    """Return the values of outputs by key, redacted."""
    return {
        each.key: redacts.value(
            world.visible_value(each.value),
            marked.WHOLE
            if flat_fields.is_secret(each.key)
            else each.sensitive,
        )
        for each in found
    }
