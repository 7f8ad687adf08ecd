"""Find the stack that a caller names; the first step of most use cases."""

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import abandonments
from orch.db.repositories import stacks
from orch.engine.queries import text
from orch.engine.queries import visibility
from orch.model import abandonment
from orch.model import stack
from orch.rpc import contract


class AbandonmentNotFound(errors.NotFound):
    """The document of that abandonment does not exist, or not any more."""

    code = "orch.abandonment.not_found"


def get_abandonment(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
) -> abandonment.Abandonment:
    """Return the abandonment of a stack.

    :raises AbandonmentNotFound: the stack was not abandoned, or too long ago,
        or is not the caller's
    :raises orch.errors.NotFound: the request has another name for it
    """
    found = abandonments.find_committed(connection, ids.StackId(stack_id))
    if found is None or not visibility.is_visible(ctxt, found.project_id):
        raise AbandonmentNotFound(
            f"There is no document of an abandoned stack {stack_id[:80]}."
        )
    visibility.check_name(ctxt, found.stack_id, str(found.document["name"]))
    return found


def get_stack(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
) -> stack.Stack:
    """Return the stack of that id, also when it is deleted.

    :raises visibility.StackNotFound: this caller has no such stack
    :raises orch.errors.NotFound: the request has another name for it, or a
        name in place of the id
    """
    found = _find(connection, stack_id)
    if found is None and ctxt.address is not None:
        get_named_stack(connection, ctxt, stack_id)
        raise visibility.wrong_address(ctxt.address)
    if found is None:
        raise _missing(stack_id)
    visibility.check_visible(ctxt, found)
    return found


def check_exists(
    database: db_engine.Database,
    ctxt: request.RequestContext,
    stack_id: str,
) -> None:
    """Raise StackNotFound if the caller has no such stack, deleted or not.

    For a use case that does more before it locks the stack, such as leaving a
    credential.

    :raises orch.errors.NotFound: as :func:`get_stack` does
    """
    database.query(lambda connection: get_stack(connection, ctxt, stack_id))


def get_named_stack(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    name_or_id: str,
) -> stack.Stack:
    """Return the stack of that id, or the project's live one of that name.

    A name may look like an id; ids come first.

    :raises visibility.StackNotFound: this caller has no such stack
    """
    found = _find(connection, name_or_id)
    if found is not None and _is_visible(ctxt, found):
        return found
    if text.is_storable(name_or_id):
        found = stacks.find_live(connection, ctxt.project_id or "", name_or_id)
        if found is not None:
            return found
    raise _missing(name_or_id)


def identity_of(stack: stack.Stack) -> contract.StackIdentity:
    """Return the identity of a stack: project, name and id."""
    return contract.StackIdentity(
        project_id=stack.project_id,
        stack_name=stack.name,
        stack_id=stack.id,
    )


def _find(
    connection: db_engine.Connection, stack_id: str
) -> stack.Stack | None:
    if not text.is_id(stack_id):
        return None
    try:
        return stacks.get(connection, ids.StackId(stack_id))
    except errors.NotFound:
        return None


def _is_visible(ctxt: request.RequestContext, stack: stack.Stack) -> bool:
    try:
        visibility.check_visible(ctxt, stack)
    except visibility.StackNotFound:
        return False
    return True


def _missing(named: str) -> visibility.StackNotFound:
    return visibility.StackNotFound(
        f"The Stack ({named[:255]}) could not be found."
    )
