"""Read the documents of a stack: template, environment, files, outputs."""

from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.queries import outputs
from orch.engine.secrets import masks
from orch.engine.secrets import output_marks
from orch.engine.secrets import stack_masks
from orch.engine.stack_inputs import store
from orch.model import stack
from orch.rpc import contract
from orch.template import template


def read_template(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> dict[str, object]:
    """Return the template in force, as an object.

    That of a child stack is redacted.

    :raises orch.errors.NotFound: this caller has no such stack
    """
    return deps.database.query(
        lambda connection: stack_masks.shown_template(
            connection,
            deps.templates.find,
            lookup.get_stack(connection, ctxt, stack_id),
        )
    )


def read_environment(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> dict[str, object]:
    """Return the merged environment, with hidden parameters redacted.

    Those of parent stacks are redacted too, under whatever name they came.

    :raises orch.errors.NotFound: this caller has no such stack
    """
    stack, parsed_template = _load(deps, ctxt, stack_id)
    parent = deps.database.query(
        lambda connection: stack_masks.find_outer(connection, deps, stack)
    )
    return stack_masks.shown_environment(parsed_template, parent)


def read_files(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> dict[str, str]:
    """Return the files of the template, name to text.

    :raises orch.errors.NotFound: this caller has no such stack
    """
    return deps.database.query(
        lambda connection: store.read_files(
            connection, lookup.get_stack(connection, ctxt, stack_id)
        )
    )


def list_outputs(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> list[contract.OutputFacts]:
    """Return the outputs that the template declares, without values.

    :raises orch.errors.NotFound: this caller has no such stack
    """
    _, parsed_template, output_masks = _load_with_masks(deps, ctxt, stack_id)
    found = [
        contract.OutputFacts(key=key, description=str(description))
        for key, description in parsed_template.output_names()
    ]
    return outputs.mark_outputs(found, output_masks, parsed_template)


def show_output(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    key: str,
) -> contract.OutputFacts:
    """Return one output with its value, or the reason why it has none.

    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such output
    """
    stack, parsed_template, output_masks = _load_with_masks(
        deps, ctxt, stack_id
    )
    found = outputs.resolve_outputs(deps, ctxt, stack, parsed_template, key)
    if not found:
        raise errors.OutputNotFound(f"Specified output key {key} not found.")
    return outputs.mark_outputs(found, output_masks, parsed_template)[0]


def _load(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> tuple[stack.Stack, template.Template]:
    def work(
        connection: db_engine.Connection,
    ) -> tuple[stack.Stack, template.Template]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        return stack, deps.templates.load(connection, stack)

    return deps.database.query(work)


def _load_with_masks(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> tuple[stack.Stack, template.Template, masks.Masks]:
    """Return also the masks that decide which outputs are sensitive."""

    def work(
        connection: db_engine.Connection,
    ) -> tuple[stack.Stack, template.Template, masks.Masks]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        parsed_template = deps.templates.load(connection, stack)
        output_masks = output_marks.load_masks(
            connection, deps.templates.find, stack, parsed_template
        )
        return stack, parsed_template, output_masks

    return deps.database.query(work)
