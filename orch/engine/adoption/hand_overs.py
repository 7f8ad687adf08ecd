"""Offer a stack to another project, list and withdraw offers, and take one."""

import typing

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import abandonments
from orch.engine import dependencies
from orch.engine.acceptance import permissions
from orch.engine.adoption import abandon
from orch.engine.adoption import adopt
from orch.engine.adoption import offer_states
from orch.engine.adoption import offers
from orch.engine.forwarding import addresses
from orch.model import abandonment
from orch.model import adoption
from orch.rpc import contract

_MAX_CHARACTERS: typing.Final = 255
"""Of the id of a project that requests can name."""


class WrongReceiver(errors.Invalid):
    """A stack cannot be handed over to that project."""

    code = "orch.hand_over.wrong_receiver"


def submit_offer(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    receiver_id: str,
) -> contract.OfferFacts:
    """Accept the abandonment of a stack, and offer it to a project.

    It is repeated as :func:`orch.engine.adoption.abandon.submit_abandon` is.

    :raises WrongReceiver: it is no project, or that of the caller
    :raises orch.engine.adoption.offers.HandOverTaken: it is taken over
    :raises orch.errors.OrchError: the stack cannot be abandoned
    """
    _check_receiver(ctxt, receiver_id)
    facts = abandon.submit_abandon(
        deps, ctxt, stack_id, receiver_id=receiver_id
    )
    answer = contract.OfferFacts(is_stopping=facts["is_stopping"])
    if "token" not in facts:
        return answer
    found = deps.database.query(
        lambda connection: abandonments.find_hand_over(connection, stack_id)
    )
    if found is None:
        raise offers.missing(stack_id)
    answer |= contract.OfferFacts(
        is_stopping=False,
        token=facts["token"],
        receiver_id=receiver_id,
        expires_at=offers.expires_at(deps, found),
    )
    if "accepted" in facts:
        answer["accepted"] = facts["accepted"]
    return answer


def list_hand_overs(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    *,
    limit: int | None = None,
    marker: str | None = None,
) -> list[contract.HandOverFacts]:
    """Return what the caller's project hands over or is offered.

    What is not offered any more, or was denied, is left out.

    :param limit: how many at most; ``None`` for all
    :param marker: id of the stack after which to go on; one that is not in
        the list is passed over
    """
    project_id = ctxt.project_id or ""

    def work(
        connection: db_engine.Connection,
    ) -> list[contract.HandOverFacts]:
        addresses.forget_old(connection, deps)
        shown: list[contract.HandOverFacts] = []
        after = marker
        while limit is None or len(shown) < limit:
            found = abandonments.list_hand_overs(
                connection, project_id, limit=limit, marker=after
            )
            read = offer_states.read_states(connection, found)
            shown += [
                _facts(deps, project_id, each, state)
                for each, state in zip(found, read, strict=True)
                if state.state is not offer_states.State.ENDED
            ]
            if limit is None or len(found) < limit:
                break
            after = found[-1].stack_id
        return shown[:limit]

    return deps.database.run(work)


def withdraw_offer(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> None:
    """Offer an abandoned stack to no project; its document stays.

    :raises orch.engine.adoption.offers.HandOverNotFound: the caller's project
        offers no such stack
    :raises orch.engine.adoption.offers.HandOverTaken: it is taken over
    """

    def work(connection: db_engine.Connection) -> None:
        found = offers.find_offer(connection, stack_id, locks=True)
        if (
            found is None
            or found.project_id != ctxt.project_id
            or found.receiver_id is None
        ):
            raise offers.missing(stack_id)
        offers.check_not_taken(connection, found)
        abandonments.update(connection, found.id, receiver_id=None)

    deps.database.run(work)


def _check_receiver(ctxt: request.RequestContext, receiver_id: str) -> None:
    if (
        not receiver_id.strip()
        or not receiver_id.isprintable()
        or "/" in receiver_id
        or len(receiver_id) > _MAX_CHARACTERS
    ):
        raise WrongReceiver(
            "hand_over.project must be the id of the project that is to take"
            f" the stack over: 1 to {_MAX_CHARACTERS} characters, all of them"
            " printable, and no slash."
        )
    if receiver_id == ctxt.project_id:
        raise WrongReceiver(
            "hand_over.project is the project of the stack: name the one that"
            " is to take it over."
        )


def _facts(
    deps: dependencies.Dependencies,
    project_id: str,
    found: abandonment.HandOver,
    state: offer_states.OfferState,
) -> contract.HandOverFacts:
    is_own = found.project_id == project_id
    return contract.HandOverFacts(
        id=found.stack_id,
        name=found.stack_name or "",
        direction="outgoing" if is_own else "incoming",
        state=state.state.value,
        project_id=found.project_id,
        receiver_id=found.receiver_id or "",
        resource_count=found.resource_count or 0,
        offered_at=found.offered_at or found.created_at,
        expires_at=offers.expires_at(deps, found),
        taken_by=state.taken_by,
    )


def submit_take_over(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    **wanted: typing.Unpack[contract.TakeOverRequest],
) -> contract.Accepted:
    """Accept the adoption of a stack that was handed over.

    :raises orch.engine.adoption.offers.HandOverNotFound: it is not offered to
        the caller
    :raises orch.engine.adoption.offers.HandOverNotReady: its abandonment is
        not complete
    :raises orch.engine.adoption.offers.HandOverTaken: it is taken over
    :raises orch.errors.OrchError: see :func:`adopt.submit_adopt`
    """
    return adopt.submit_request(deps, ctxt, read_take_over(deps, ctxt, wanted))


def read_take_over(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    wanted: contract.TakeOverRequest,
) -> adopt.AdoptRequest:
    """Read the document that is offered to a caller, as one to adopt.

    Arguments and errors are those of :func:`submit_take_over`.
    """
    permissions.check_adopt(deps)

    def work(connection: db_engine.Connection) -> adoption.Values:
        addresses.forget_old(connection, deps)
        found = offers.get_offer(connection, ctxt, wanted["hand_over"])
        saved = abandonments.find(connection, found.id)
        if saved is None:
            raise offers.missing(wanted["hand_over"])
        return saved.document

    return adopt.read_request(
        deps,
        ctxt,
        contract.AdoptionRequest(
            name=wanted["name"],
            data=dict(deps.database.run(work)),
            inputs=wanted["inputs"],
            options=wanted["options"],
            request=wanted["request"],
        ),
        hand_over=wanted["hand_over"],
    )
