"""Adopt a stack that another project has handed over."""

import typing

from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import abandonments
from orch.engine import dependencies
from orch.engine.acceptance import permissions
from orch.engine.adoption import adopt
from orch.engine.adoption import offers
from orch.engine.forwarding import addresses
from orch.model import adoption
from orch.rpc import contract


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
