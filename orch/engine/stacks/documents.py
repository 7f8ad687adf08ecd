"""Read the documents of a stack: template, environment, files, outputs."""

from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.queries import outputs
from orch.engine.secrets import stack_documents
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
        lambda connection: stack_documents.read_template(
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
    found = deps.database.query(
        lambda connection: stack_documents.child_redaction(
            connection, deps.templates.find, stack
        )
    )
    return stack_documents.redact_environment(parsed_template, found)


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
    stack, parsed_template = _load(deps, ctxt, stack_id)
    return [
        contract.OutputFacts(
            key=each.key,
            description=str(each.description),
            # What is not stored may be anything.
            sensitive=each.error is not None or outputs.is_sensitive(each),
        )
        for each in outputs.resolve_stored(deps, ctxt, stack, parsed_template)
    ]


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
    stack, parsed_template = _load(deps, ctxt, stack_id)
    found = outputs.resolve_outputs(deps, ctxt, stack, parsed_template, key)
    if not found:
        raise errors.OutputNotFound(f"Specified output key {key} not found.")
    return outputs.output_facts(found[0])


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
