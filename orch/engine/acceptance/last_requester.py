"""Find the caller for whom work is done that no user asks for.

Signals to an address, signals of a stack's own users, and repairs of the
observer come from a sender without roles in the project. What they lead to is
done for the caller who last changed the stack.
"""

from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.model import operation
from orch.model import stack as stack_model
from orch.model import states


def context_of(
    stack: stack_model.Stack, change: operation.Operation
) -> request.RequestContext:
    """Return the context of a request by the caller of an operation.

    It has no token: the cloud is reached by the stack's own credentials.
    """
    stored = {
        key: value
        for key, value in change.context.items()
        if key not in ("request_id", "global_request_id")
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
    who last changed the root of the stack, in the signal's request.
    """
    if ctxt.roles:
        return ctxt
    last = operations.find_newest(
        connection, stack.root_id, states.BRINGING_ABOUT
    )
    if last is None:
        return ctxt
    acting = context_of(stack, last)
    acting.request_id = ctxt.request_id
    acting.global_request_id = ctxt.global_request_id
    return acting
