"""Accept the abandonment of a stack; its physical resources are left in place.

Running operations are stopped first, so that all that they created is in the
document. The document is stored in the transaction that accepts the
abandonment: a request whose answer got lost can be repeated.
"""

import dataclasses
import hashlib
import json

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import abandonments
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.db.repositories import signals
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import permissions
from orch.engine.adoption import derivation
from orch.engine.adoption import document
from orch.engine.adoption import document_secrets
from orch.engine.adoption import forms
from orch.engine.adoption import offers
from orch.engine.execution import saved_plan
from orch.engine.forwarding import addresses
from orch.engine.judged_requests import judged_request
from orch.engine.queries import lookup
from orch.flow.state import parking
from orch.flow.state import submit as flow_submit
from orch.model import abandonment as model
from orch.model import adoption
from orch.model import operation
from orch.model import stack
from orch.model import states
from orch.rpc import contract


class StaleAbandonment(errors.Conflict):
    """The stack has changed since its document was prepared."""

    code = "orch.abandonment.stale"


def prepare_abandon(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    secrets: contract.SecretsRequest | None = None,
) -> contract.AbandonFacts:
    """Stop open operations and store the document of the stack.

    While an operation is still open the answer says so: call it again.

    :param secrets: how secrets are written in the document
    :raises orch.engine.adoption.offers.HandOverOffered: it is abandoned, and
        another project may take it over
    :raises orch.engine.adoption.offers.HandOverTaken: it is taken over
    :raises orch.engine.adoption.sealing.BadKey: it cannot be sealed for that
        key
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it; no document is returned
    :raises orch.errors.NotSupported: the operator has switched it off
    :raises orch.errors.NotFound: this caller has no such stack
    """
    return _abandon(deps, ctxt, stack_id, commits=False, secrets=secrets)


def submit_abandon(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    token: str | None = None,
    secrets: contract.SecretsRequest | None = None,
    *,
    receiver_id: str | None = None,
) -> contract.AbandonFacts:
    """Accept the abandonment of a stack; a second call returns it again.

    A second call also retries an abandonment that failed. While an operation
    is still open the answer says so: call it again.

    :param token: of the prepared document; ``None`` to do both at once
    :param secrets: how secrets are written in the document
    :param receiver_id: the project that it is offered to
    :raises orch.engine.adoption.offers.HandOverTaken: it is taken over
    :raises orch.engine.adoption.sealing.BadKey: it cannot be sealed for that
        key
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it; no document is returned
    :raises StaleAbandonment: the stack has changed since
    :raises orch.engine.queries.lookup.AbandonmentNotFound: no document was
        prepared under that token, or too long ago
    :raises orch.errors.NotSupported: the operator has switched it off
    :raises orch.errors.NotFound: this caller has no such stack
    """
    try:
        return _abandon(
            deps,
            ctxt,
            stack_id,
            commits=True,
            token=token,
            secrets=secrets,
            receiver_id=receiver_id,
        )
    finally:
        deps.credential_store.withdraw(ctxt)


def show_abandoned(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    secrets: contract.SecretsRequest | None = None,
) -> dict[str, object]:
    """Return the document of an abandoned stack.

    :param secrets: how secrets are written in it
    :raises orch.engine.adoption.sealing.BadKey: it cannot be sealed for that
        key
    :raises orch.engine.queries.lookup.AbandonmentNotFound: it was not
        abandoned, or too long ago, or is not the caller's
    """
    permissions.check_abandon(deps)
    form = document_secrets.form_of(deps, secrets, None)

    def work(connection: db_engine.Connection) -> model.Abandonment:
        addresses.forget_old(connection, deps)
        return lookup.get_abandonment(connection, ctxt, stack_id)

    saved = deps.database.run(work)
    return forms.write_document(deps, dict(saved.document), form).document


def _abandon(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    *,
    commits: bool,
    token: str | None = None,
    secrets: contract.SecretsRequest | None,
    receiver_id: str | None = None,
) -> contract.AbandonFacts:
    lookup.check_exists(deps.database, ctxt, stack_id)
    permissions.check_abandon(deps)
    # Who prepares reads in the answer which form it has.
    is_at_once = commits and token is None and receiver_id is None
    form = document_secrets.form_of(
        deps, secrets, forms.PLAIN if is_at_once else None
    )
    operation = dataclasses.replace(
        operation_factory.new_operation(
            deps,
            ctxt,
            ids.StackId(stack_id),
            states.Action.DELETE,
            {},
            has_credential=commits,
        ),
        options={adoption.ABANDONS: True, **_receiver_option(receiver_id)},
    )
    judged = judged_request.JudgedRequest(
        deps, ctxt, "abandon", operation if commits else None
    )
    asked_for = (secrets or {}).get("layout")
    new_token = ids.new()
    derived = derivation.find_derived(deps, ctxt, ids.StackId(stack_id))

    def work(connection: db_engine.Connection) -> contract.AbandonFacts:
        stack = stacks.lock(connection, operation.stack_id)
        lookup.check_visible(ctxt, stack)
        addresses.forget_old(connection, deps)
        saved = _find_committed(connection, stack)
        if saved is not None:
            if receiver_id is not None:
                offers.save_offer(connection, stack, saved, receiver_id)
            elif not commits:
                offers.check_not_offered(connection, stack.id)
            if commits:
                _go_on(deps, connection, stack, operation)
            again = dataclasses.replace(form, name=asked_for)
            return _abandonment_facts(deps, connection, stack, saved, again)
        lookup.check_live(ctxt, stack)
        _check_root(stack)
        if not _is_stopping(connection, stack):
            judged.check(stack)
        if _stop(connection, stack):
            return contract.AbandonFacts(is_stopping=True)
        if commits:
            _hold_signals(deps, connection, stack)
        if token is None:
            saved = _save_document(deps, connection, stack, new_token, derived)
        else:
            saved = _prepared(connection, stack, token)
        # A document that is too large is refused before anything is let go.
        facts = _abandonment_facts(deps, connection, stack, saved, form)
        judged.allow(connection, is_done=not commits)
        if commits:
            abandonments.commit(connection, saved.id, operation.id)
            if receiver_id is not None:
                offers.save_offer(connection, stack, saved, receiver_id)
            addresses.register_addresses(deps, connection, stack)
            flow_submit.accept_operation(
                connection, stack, judged.followed_by(operation)
            )
            facts["accepted"] = operation_factory.accepted_facts(
                operation, stack.name
            )
        return facts

    with judged:
        facts = judged.run(work)
    if facts["is_stopping"]:
        # Otherwise the operations would be stopped later.
        deps.conductor.wake(None)
    return facts


def _receiver_option(receiver_id: str | None) -> dict[str, object]:
    return {} if receiver_id is None else {adoption.RECEIVER: receiver_id}


def _find_committed(
    connection: db_engine.Connection, stack: stack.Stack
) -> model.Abandonment | None:
    """Return the committed abandonment of a stack, if it still counts.

    One that has failed counts no more once the stack was changed.
    """
    if stack.deleted_at is None and stack.operation_id is not None:
        last = operations.get(connection, stack.operation_id)
        if not last.options.get(adoption.ABANDONS):
            return None
    return abandonments.find_committed(connection, stack.id)


def _go_on(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    operation: operation.Operation,
) -> None:
    """Retry an abandonment that failed, from where it stopped.

    :param operation: with the context of the new caller
    """
    if stack.status is not states.Status.FAILED or stack.operation_id is None:
        return
    last = operations.get(connection, stack.operation_id)
    if last.options.get(adoption.ABANDONS):
        again = dataclasses.replace(
            last,
            context=operation.context,
            options={
                **parking.reset_blocked_count(last.options),
                **operation.options,
            },
        )
        flow_submit.accept_retry(connection, stack, again, deps.clock.now())


def _check_root(stack: stack.Stack) -> None:
    """Raise NotSupported if the stack is a child stack.

    Its parent would create it again.

    :raises orch.errors.NotSupported: it has a parent
    """
    if stack.parent_id is not None:
        raise errors.NotSupported(
            f"Stack {stack.name} is a child stack, and cannot be abandoned"
            " alone: abandon its root."
        )


def _is_stopping(connection: db_engine.Connection, stack: stack.Stack) -> bool:
    """Whether an earlier request has cancelled what is still open."""
    return any(
        each.stop_reason is not None
        for each in operations.find_open(connection, stack.id)
    )


def _stop(connection: db_engine.Connection, stack: stack.Stack) -> bool:
    """Cancel the open operations of a stack and of its child stacks.

    :returns: whether an operation is still open
    """
    open_ = operations.find_open(connection, stack.id)
    for each in open_:
        if each.stop_reason is None:
            operations.cancel(connection, each.id)
    children = stacks.list_children(connection, stack.id)
    return any([bool(open_), *(_stop(connection, each) for each in children)])


def _save_document(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    token: str,
    derived: derivation.Derived,
) -> model.Abandonment:
    saved = model.Abandonment(
        id=token,
        stack_id=stack.id,
        project_id=stack.project_id,
        basis=_state_basis(connection, stack),
        document=document.root_document(deps, connection, stack, derived),
        created_at=deps.clock.now(),
    )
    abandonments.insert(connection, saved)
    return saved


def _prepared(
    connection: db_engine.Connection, stack: stack.Stack, token: str
) -> model.Abandonment:
    """Return the prepared abandonment, if the stack has not changed since.

    :raises StaleAbandonment: it has
    :raises orch.engine.queries.lookup.AbandonmentNotFound: no document was
        prepared
    """
    saved = abandonments.find(connection, token)
    if saved is None or saved.stack_id != stack.id:
        raise lookup.AbandonmentNotFound(
            f"Nothing was prepared under the token {token[:80]} for stack"
            f" {stack.name}, or too long ago: prepare it again."
        )
    if saved.basis != _state_basis(connection, stack):
        raise StaleAbandonment(
            f"Stack {stack.name} has moved on since its document was"
            " prepared: prepare it again."
        )
    return saved


def _hold_signals(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
) -> None:
    """Block signals to the stack until the transaction ends.

    One that comes meanwhile waits, and is stored to be forwarded then.
    """
    for each in lookup.stacks_below(connection, stack):
        for row in resources.list_(connection, each.id):
            plugin = deps.types.find(row.plugin_type)
            if plugin is not None and plugin.takes_signals and row.is_current:
                signals.lock_data(connection, row)


def _state_basis(connection: db_engine.Connection, stack: stack.Stack) -> str:
    """Return the state of a stack, with the data that signals left.

    Otherwise a signal between the two steps would be lost: the document of the
    first one does not have it.
    """
    found = saved_plan.state_basis(connection, stack)
    left = [
        f"{row.id} {json.dumps(dict(row.signals), sort_keys=True)}"
        for each in lookup.stacks_below(connection, stack)
        for row in resources.list_(connection, each.id)
        if row.signals
    ]
    if not left:
        return found
    text = "\n".join(sorted(left))
    return f"{found}/{hashlib.sha256(text.encode()).hexdigest()}"


def _abandonment_facts(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    saved: model.Abandonment,
    form: forms.Form,
) -> contract.AbandonFacts:
    """Return the answer of an abandonment, with the document in a form.

    :raises orch.engine.adoption.compact.TooLargeDocument: it is too large
    """
    written = forms.write_document(deps, dict(saved.document), form)
    facts = contract.AbandonFacts(
        is_stopping=False,
        token=saved.id,
        document=written.document,
        form=written.form,
        size=written.size,
        max_size=deps.settings.max_document_size,
    )
    if saved.operation_id is not None and stack.deleted_at is None:
        begun = operations.get(connection, saved.operation_id)
        facts["accepted"] = operation_factory.accepted_facts(begun, stack.name)
    return facts
