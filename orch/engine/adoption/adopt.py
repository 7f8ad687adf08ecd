"""Accept a stack that is made of existing physical resources."""

import dataclasses
import json
import typing

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import claims
from orch.engine import dependencies
from orch.engine import document_leftovers
from orch.engine import external_ids
from orch.engine import misfits
from orch.engine import ownership
from orch.engine import releases
from orch.engine import sources
from orch.engine import verification
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import merged_inputs
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import permissions
from orch.engine.acceptance import precheck
from orch.engine.acceptance import quota
from orch.engine.adoption import compact
from orch.engine.adoption import forms
from orch.engine.adoption import offers
from orch.engine.forwarding import announcement
from orch.engine.stacks import create
from orch.flow.state import submit as flow_submit
from orch.model import adoption
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.rpc import contract
from orch.template import inputs as template_inputs
from orch.template import template
from orch.template.resources import declaration
from orch.template.text import document as documents
from orch.template.text import yaml_reader

_MAX_YAML: typing.Final = 1_048_576
"""In characters; YAML of this size is read in seconds."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AdoptRequest:
    """The parsed request to adopt a stack from a document.

    :ivar entries: the resources of the document
    :ivar given: the inputs of the stack
    :ivar parsed_template: its template
    :ivar operation: the operation that adopts it
    :ivar request: how it is to be adopted
    :ivar document: the document itself
    :ivar hand_over: the abandoned stack whose document it is, where another
        project has handed it over
    """

    who: template_inputs.Identity
    entries: ownership.Entries
    given: template_inputs.Inputs
    parsed_template: template.Template
    options: contract.StackOptions
    operation: operation.Operation
    request: contract.AdoptionOptions
    document: adoption.Document
    hand_over: str | None = None


def submit_adopt(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    **wanted: typing.Unpack[contract.AdoptionRequest],
) -> contract.Accepted:
    """Accept the adoption of a stack; it is durable, and nothing has run.

    :param wanted: its document is that of ``orch.model.adoption``
    :raises orch.errors.OrchError: see :func:`orch.engine.claims.claim`
    :raises orch.db.errors.NameTaken: the project has that name already
    :raises orch.engine.adoption.sealing.BrokenSeal: the document was altered,
        or is sealed for another installation
    :raises orch.errors.NotSupported: the operator has switched it off
    :raises orch.errors.Invalid: the document, its template or the inputs are
        wrong
    """
    return submit_request(deps, ctxt, read_request(deps, ctxt, wanted))


def submit_request(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: AdoptRequest,
) -> contract.Accepted:
    """Accept the adoption of a request that was parsed.

    :raises orch.errors.OrchError: an error that only the rows show; see
        :func:`submit_adopt`
    """
    answer = operation_factory.accepted_facts(
        found.operation, found.who.stack_name
    )

    def work(connection: db_engine.Connection) -> stack.Stack:
        stack, begun = accept_adopt(deps, ctxt, connection, found)
        released.check(connection, begun)
        idempotency.save_answer(connection, ctxt, answer)
        quota.claim_stack(connection, deps, stack)
        return stack

    with releases.JudgedReleases(deps, ctxt, found.request) as released:
        deps.templates.add(released.run(work), found.parsed_template)
    return answer


def read_request(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    wanted: contract.AdoptionRequest,
    *,
    hand_over: str | None = None,
) -> AdoptRequest:
    """Parse and check a request to adopt, without reading any row.

    Arguments and errors are those of :func:`submit_adopt`.

    :param hand_over: the abandoned stack whose document it is, where another
        project has handed it over
    """
    permissions.check_adopt(deps)
    request, options = wanted["request"], wanted["options"]
    permissions.check_adopt_owned(deps, ctxt, request)
    found = adoption.parse_document(_parsed(deps, wanted["data"]))
    who = template_inputs.Identity(
        stack_id=ids.new(),
        stack_name=wanted["name"],
        project_id=ctxt.project_id or "",
    )
    check_type = permissions.type_check(deps, ctxt)
    given, parsed_template = _load(
        deps, who, found, wanted["inputs"], check_type
    )
    new_stack = precheck.placeholder_stack(deps.clock, who)
    quota.check_stated_size(deps, ctxt, new_stack, parsed_template)
    precheck.check_external(deps, ctxt, who, parsed_template)
    if not options.get("tags") and found.tags:
        options = {**options, "tags": list(found.tags)}
    entries = _entries(found, parsed_template, options)
    claims.check_document(deps.types, entries)
    operation = _operation(deps, ctxt, who, options, request, parsed_template)
    if hand_over is not None:
        operation = ownership.with_options(
            operation, {adoption.HAND_OVER: hand_over}
        )
    unfit = misfits.find_misfits(
        parsed_template.resources, entries, operation.options
    )
    return AdoptRequest(
        who=who,
        entries=entries,
        given=given,
        parsed_template=parsed_template,
        options=options,
        operation=ownership.with_options(operation, unfit.to_options()),
        request=request,
        document=found,
        hand_over=hand_over,
    )


def accept_adopt(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    connection: db_engine.Connection,
    found: AdoptRequest,
) -> tuple[stack.Stack, operation.Operation]:
    """Store the stack, its resources and the operation that adopts it.

    :raises orch.errors.OrchError: an error that only the rows show; see
        :func:`submit_adopt`
    """
    parsed_template, wanted = found.parsed_template, found.operation
    if found.hand_over is not None:
        transferred = offers.take_offer(
            deps, ctxt, connection, found.hand_over, wanted.stack_id
        )
        wanted = ownership.with_options(
            wanted, {adoption.TRANSFERRED: transferred}
        )
    quota.check_stack_quota(connection, deps, found.who)
    begun = ownership.with_options(
        create.store_inputs(connection, wanted, found.given, parsed_template),
        ownership.child_documents(
            connection, parsed_template.resources, found.entries
        ),
    )
    check_type = permissions.type_check(deps, ctxt)
    rows = ownership.rows_of(
        wanted, parsed_template.resources, found.entries, check_type
    )
    claimant = claims.claimant_of(
        connection,
        wanted,
        parsed_template,
        deps.types,
    )
    ownership.store_rows(connection, claimant, rows)
    document_leftovers.store_leftovers(
        connection, claimant, found.document.leftovers, rows, check_type
    )
    begun = sources.with_sources(connection, claimant, begun)
    stack = create.new_stack(
        deps, ctxt, begun, found.who.stack_name, parsed_template, found.options
    )
    announcement.save_origin(connection, stack, found.document)
    flow_submit.accept_new_stack(connection, stack, begun)
    return stack, begun


def _entries(
    found: adoption.Document,
    parsed_template: template.Template,
    options: contract.StackOptions,
) -> ownership.Entries:
    """Return the entries of a document; ids beside it take precedence."""
    given = external_ids.entries_of(parsed_template, options)
    return {
        **found.entries,
        **{
            name: entry
            for name, entry in given.items()
            if entry.document is None or name not in found.entries
        },
    }


def _operation(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    who: template_inputs.Identity,
    options: contract.StackOptions,
    request: contract.AdoptionOptions,
    parsed_template: template.Template,
) -> operation.Operation:
    stack_id = ids.StackId(who.stack_id)
    wanted = operation_factory.new_operation(
        deps, ctxt, stack_id, states.Action.ADOPT, options, parsed_template
    )
    return ownership.with_options(
        wanted,
        verification.options_of(request),
        {
            adoption.NEEDS_IDS: not request.get("creates_missing"),
            adoption.CHECKS: deps.settings.checks_adopted,
        },
    )


def _parsed(deps: dependencies.Dependencies, data: object) -> object:
    """Return the document as a map; JSON is read faster than YAML.

    :raises orch.model.adoption.BadDocument: it is neither
    :raises orch.engine.adoption.sealing.BrokenSeal: its seal cannot be opened
    :raises orch.engine.adoption.compact.TooLargeDocument: it is too large
    :raises orch.template.errors.TooLarge: it is nested too deep
    """
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError):
            data = _read_yaml(deps, str(data))
    if not isinstance(data, dict):
        raise adoption.BadDocument(
            "The adoption data must be the document of a stack, a map."
        )
    documents.check_object(data, deps.limits)
    data = forms.read_document(deps, data)
    documents.check_object(data, deps.limits)
    return data


def _read_yaml(deps: dependencies.Dependencies, text: str) -> object:
    if len(text) > _MAX_YAML:
        raise compact.TooLargeDocument(
            f"Adoption data of more than {_MAX_YAML} characters is taken as"
            " JSON only, which is read faster than YAML."
        )
    try:
        return yaml_reader.read_yaml(text, deps.limits)
    except yaml_reader.Unreadable as error:
        raise adoption.BadDocument(
            f"The adoption data is neither JSON nor YAML: {error}"
        ) from None


def _load(
    deps: dependencies.Dependencies,
    who: template_inputs.Identity,
    found: adoption.Document,
    inputs: contract.StackInputs,
    check_type: declaration.CheckType,
) -> tuple[template_inputs.Inputs, template.Template]:
    """Return the inputs of the stack and its validated template.

    :raises orch.errors.Forbidden: the caller may not have a type of it
    :raises orch.errors.Invalid: the template or its inputs are wrong
    """

    def load(given: template_inputs.Inputs) -> template.Template:
        return template.Template.load(
            given, deps.types, who, deps.limits, installed=deps.installed
        )

    given = template_inputs.Inputs(
        template=found.template,
        environment=dict(found.environment),
        parameters=inputs.get("parameters", {}),
        files={**found.files, **inputs.get("files", {})},
    )
    if inputs.get("environment") or inputs.get("environment_files"):
        asked_for = dataclasses.replace(
            given,
            environment=inputs.get("environment"),
            environment_files=inputs.get("environment_files", ()),
        )
        fresh = {
            key: value
            for key, value in load(asked_for).environment.items()
            if value
        }
        given = dataclasses.replace(
            given,
            environment=merged_inputs.merge_maps(
                dict(found.environment), fresh
            ),
        )
    parsed_template = load(given)
    parsed_template.validate(check_type)
    return given, parsed_template
