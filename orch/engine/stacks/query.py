"""List and show stacks and their documents."""

import collections.abc

from oslo_log import log

from orch import errors as base_errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db import queries
from orch.db.repositories import stack_lists
from orch.engine import dependencies
from orch.engine.drift import query as drift_query
from orch.engine.lifecycle import query as lifecycle_query
from orch.engine.operations import failures
from orch.engine.operations import omissions
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.queries import outputs
from orch.engine.queries import stack_user_access
from orch.engine.secrets import redaction
from orch.engine.secrets import stack_documents
from orch.engine.stack_inputs import store
from orch.model import blocked
from orch.model import stack as stack_model
from orch.model import states
from orch.rpc import contract
from orch.template import template


def stack_summary(stack: stack_model.Stack) -> contract.StackFacts:
    """Return the facts of a stack in lists, without the description."""
    facts = contract.StackFacts(
        id=stack.id,
        name=stack.name,
        project_id=stack.project_id,
        action=stack.action.value,
        status=stack.status.value,
        status_reason=stack.status_reason,
        created_at=stack.created_at,
        updated_at=stack.updated_at,
        deleted_at=stack.deleted_at,
        disable_rollback=stack.disable_rollback,
        timeout_mins=stack.timeout_s // 60 or None,
        username=stack.username,
        user_id=stack.user_id,
        parent_id=stack.parent_id,
        root_id=stack.root_id,
        tags=list(stack.tags),
    )
    waits = blocked.Blocked.of(stack.blocked)
    if waits and stack.status is states.Status.IN_PROGRESS:
        facts["blocked"] = _blocked_facts(waits)
    return facts


def _blocked_facts(found: blocked.Blocked) -> contract.BlockedFacts:
    return contract.BlockedFacts(
        reason=found.reason,
        next_try_at=found.next_try_at,
        resources=[
            contract.WaitFacts(
                kind=each.kind.value,
                path=each.path,
                reason=each.reason,
                next_try_at=each.next_try_at,
            )
            for each in found.waits
        ],
        others=sum(found.others.values()),
    )


def stack_details(stack: stack_model.Stack) -> contract.StackFacts:
    """Return the facts of a stack from its row."""
    return {
        **stack_summary(stack),
        "revision": stack.revision,
        "description": stack.description,
        "template_description": stack.description,
    }


LOG = log.getLogger(__name__)

_MAX_LIMIT = 2**31 - 1
_MAX_DIGITS = 7
_NO_TAG = ","


def identify_stack(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    name_or_id: str,
) -> contract.StackIdentity:
    """Return the identity of the stack of a name or id.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(connection: db_engine.Connection) -> stack_model.Stack:
        try:
            return lookup.get_named_stack(connection, ctxt, name_or_id)
        except lookup.StackNotFound:
            found = stack_user_access.find_named(
                deps, connection, ctxt, name_or_id
            )
            if found is None:
                raise
            return found

    return lookup.identity_of(deps.database.query(work))


def list_stacks(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    query: contract.StackQuery,
) -> list[contract.StackFacts]:
    """Return the stacks that match the query, in its order; one SELECT."""
    stack_query = _translated(ctxt, query)
    found = deps.database.query(
        lambda connection: stack_lists.list_(connection, stack_query)
    )
    return [stack_summary(each) for each in found]


def count_stacks(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    query: contract.StackQuery,
) -> int:
    """Return how many stacks match the query, whatever its limit."""
    stack_query = _translated(ctxt, query)
    return deps.database.query(
        lambda connection: stack_lists.count(connection, stack_query)
    )


def show_stack(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    resolve_outputs: bool,
) -> contract.StackFacts:
    """Return all facts of a stack, also of a deleted one.

    A stack whose plug-ins are gone is shown without its template's parts.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(
        connection: db_engine.Connection,
    ) -> tuple[
        stack_model.Stack,
        contract.StackFacts,
        template.Template | None,
        redaction.Redaction,
    ]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        facts: contract.StackFacts = {
            **stack_details(stack),
            "verdicts": lifecycle_query.verdicts_of_newest(connection, stack),
            "drift": drift_query.drift_summary(connection, stack),
            "omitted": omissions.list_omitted(connection, stack),
            "parameters": {},
        }
        if stack.status is states.Status.FAILED:
            facts["failed_resources"] = failures.list_of_last(
                deps, connection, stack
            )
        return (
            stack,
            facts,
            _find_template(deps, connection, stack),
            stack_documents.child_redaction(
                connection, deps.templates.find, stack
            ),
        )

    stack, facts, parsed_template, redacts = deps.database.query(work)
    has_outputs = resolve_outputs and not _is_gone(stack)
    if has_outputs:
        facts["outputs"] = []
    if parsed_template is None:
        return facts
    facts["description"] = facts["template_description"] = (
        parsed_template.description
    )
    try:
        facts["parameters"] = stack_documents.redact_parameters(
            parsed_template, redacts
        )
        if has_outputs:
            facts["outputs"] = [
                outputs.output_facts(each)
                for each in outputs.resolve_outputs(
                    deps, ctxt, stack, parsed_template
                )
            ]
    except base_errors.Invalid as error:
        _warn(stack, error)
    return facts


def _is_gone(stack: stack_model.Stack) -> bool:
    return (
        stack.action is states.Action.DELETE
        and stack.status is states.Status.COMPLETE
    )


def _find_template(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack_model.Stack,
) -> template.Template | None:
    try:
        return deps.templates.load(connection, stack)
    except base_errors.Invalid as error:
        _warn(stack, error)
        return None


def _warn(stack: stack_model.Stack, error: base_errors.Invalid) -> None:
    LOG.warning("the template of stack %s: %s", stack.id, error)


def _translated(
    ctxt: request.RequestContext, query: contract.StackQuery
) -> queries.StackQuery:
    """Return the query in the terms of the database.

    The API has decided whether this caller may see all projects.
    """
    limit = query.get("limit")
    marker = query.get("marker")
    return queries.StackQuery(
        project_id=ctxt.project_id or "",
        limit=None if limit is None else min(limit, _MAX_LIMIT),
        marker=marker if marker and lookup.is_id(marker) else None,
        sort_keys=tuple(query.get("sort_keys") or ()),
        sort_dir=query.get("sort_dir"),
        filters={
            column: _allowed(column, texts)
            for column, texts in (query.get("filters") or {}).items()
        },
        tags=_tags(query.get("tags")),
        tags_any=_tags(query.get("tags_any")),
        not_tags=_tags(query.get("not_tags")),
        not_tags_any=_tags(query.get("not_tags_any")),
        show_deleted=bool(query.get("show_deleted")),
        show_nested=bool(query.get("show_nested")),
        all_projects=bool(query.get("all_projects")),
    )


def _allowed(
    column: str, texts: collections.abc.Iterable[str]
) -> collections.abc.Sequence[str]:
    """Return the values that a column can have."""
    if column == "timeout_mins":
        return [text for text in texts if len(text) <= _MAX_DIGITS]
    return lookup.storable_texts(texts)


def _tags(
    texts: collections.abc.Iterable[str] | None,
) -> tuple[str, ...]:
    """Return the tags, each impossible one replaced by one no stack has."""
    return tuple(
        text if lookup.is_storable(text) else _NO_TAG for text in texts or ()
    )


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
) -> tuple[stack_model.Stack, template.Template]:
    def work(
        connection: db_engine.Connection,
    ) -> tuple[stack_model.Stack, template.Template]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        return stack, deps.templates.load(connection, stack)

    return deps.database.query(work)
