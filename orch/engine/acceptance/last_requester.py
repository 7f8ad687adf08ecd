"""Find the caller for whom work is done that no user asks for.

Signals to an address, signals of a stack's own users, and repairs of the
observer come from a sender without roles in the project. What they lead to is
done for the caller who last changed the stack.
"""

import copy
import typing

from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import watches
from orch.model import operation
from orch.model import origin
from orch.model import stack as stack_model
from orch.model import states

_OF_REQUEST: typing.Final = (
    *("request_id", "global_request_id", "override_reason"),
    origin.KEY,
)
"""What a stored context has of one request of its caller."""


def context_of(
    stack: stack_model.Stack, change: operation.Operation
) -> request.RequestContext:
    """Return the context of a request by the caller of an operation.

    It has no token: the cloud is reached by the stack's own credentials.
    """
    stored = {
        key: value
        for key, value in change.context.items()
        if key not in _OF_REQUEST
    }
    ctxt = request.RequestContext.from_stored(stored)
    ctxt.project_id = stack.project_id
    return ctxt


def acting_context(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack: stack_model.Stack,
) -> request.RequestContext:
    """Return the context that work of a signal is done with.

    It is the signal's own where its sender has roles; else that of the caller
    who last changed the root of the stack, in the signal's request. Either
    way its origin is the signal, and the requester the sender.
    """
    acting = copy.copy(ctxt)
    if not ctxt.roles:
        last = operations.find_newest(
            connection, stack.root_id, states.BRINGING_ABOUT
        )
        if last is not None:
            acting = context_of(stack, last)
            acting.request_id = ctxt.request_id
            acting.global_request_id = ctxt.global_request_id
    acting.origin = origin.Origin(
        cause=origin.SIGNAL, requester=user_of(ctxt)
    ).to_stored()
    return acting


def repair_context(
    connection: db_engine.Connection,
    root: stack_model.Stack,
    last: operation.Operation,
) -> request.RequestContext:
    """Return the context of what the observer does as a drift policy says.

    It acts for the caller of the last change of the root, and is refused when
    the root has changed meanwhile.

    :param last: the operation for whose caller it acts without any change
    """
    change = operations.find_newest(connection, root.id, states.BRINGING_ABOUT)
    acting = context_of(root, change or last)
    watch = watches.find(connection, root.id)
    setter = None if watch is None else watch.policy_set_by
    acting.origin = origin.Origin(
        cause=origin.REPAIR,
        policy_setter=origin.NO_USER
        if setter is None
        else origin.User.of(setter),
    ).to_stored()
    acting.condition = request.RequestCondition(root.id, (root.revision,))
    return acting


def user_of(ctxt: request.RequestContext) -> origin.User:
    """Return the user that a request came from."""
    return origin.User(
        user_id=ctxt.user_id,
        user_name=ctxt.user_name,
        roles=tuple(ctxt.roles),
    )
