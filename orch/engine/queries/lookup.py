"""Find the stack that a caller names, and check whether it may see that.

Texts of a caller are checked before a query: PostgreSQL refuses one with a
NUL, and no database takes half a surrogate pair; no row can hold such a text,
so looking for it finds nothing.
"""

import collections.abc
import math
import uuid

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import abandonments
from orch.db.repositories import stacks
from orch.model import abandonment
from orch.model import resource
from orch.model import stack
from orch.rpc import contract

_MAX_CHARACTERS = 1024


def is_storable(text: str) -> bool:
    """Whether a row can hold the text."""
    if len(text) > _MAX_CHARACTERS or "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def storable_texts(texts: collections.abc.Iterable[str]) -> list[str]:
    """Return those of the texts that a row can hold."""
    return [text for text in texts if is_storable(text)]


def is_id(text: str) -> bool:
    """Whether the text is a UUID in the form of our rows."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


class StackNotFound(errors.NotFound):
    """The stack does not exist, or belongs to another project."""

    code = "orch.stack.not_found"


class OtherProject(errors.Forbidden):
    """The caller may read what another project has, and not change it."""

    code = "orch.project.other"


class StackChanged(errors.Conflict):
    """The stack has changed since the state that the request depends on."""

    code = "orch.stack.changed"


def get_live(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
) -> stack.Stack:
    """Return a stack of the caller that is not deleted.

    :raises StackNotFound: this caller has no such stack, or it is deleted
    :raises StackChanged: as :func:`check_unchanged` does
    """
    found = get_stack(connection, ctxt, stack_id)
    check_live(ctxt, found)
    return found


def check_live(ctxt: request.RequestContext, stack: stack.Stack) -> None:
    """Raise StackNotFound if the stack is deleted or another project's.

    :param stack: locked, where it is to be changed
    :raises StackNotFound: it is gone, or another project's
    :raises StackChanged: as :func:`check_unchanged` does
    """
    check_visible(ctxt, stack)
    if stack.deleted_at is not None:
        raise StackNotFound(f"The Stack ({stack.name}) could not be found.")
    check_unchanged(ctxt, stack)


def check_unchanged(ctxt: request.RequestContext, stack: stack.Stack) -> None:
    """Raise StackChanged if the stack is not what the request depends on.

    :param stack: locked
    :raises StackChanged: another request has changed it
    """
    condition = ctxt.condition
    if condition is None or condition.stack_id != stack.id:
        return
    if stack.revision not in condition.revisions:
        raise StackChanged(
            f"Stack {stack.name} has changed since the state that the request"
            f" was made for (it is {stack.action}_{stack.status} now): read"
            " it again, and send the ETag that comes with it."
        )


def check_visible(ctxt: request.RequestContext, stack: stack.Stack) -> None:
    """Raise StackNotFound if the stack is another project's.

    :raises StackNotFound: it is another project's; the message does not say so
    :raises OtherProject: it is, and the caller may only read it
    :raises orch.errors.NotFound: the request has another name for it
    """
    if not is_visible(ctxt, stack.project_id):
        raise StackNotFound(f"The Stack ({stack.id}) could not be found.")
    check_name(ctxt, stack.id, stack.name)


def is_visible(ctxt: request.RequestContext, project_id: str) -> bool:
    """Whether a call may act on what a project has.

    Every access to what another project has is decided here.

    :raises OtherProject: its caller may read it, and the call would change it
    """
    if project_id == ctxt.project_id:
        return True
    if ctxt.other_projects is request.OtherProjects.REFUSED:
        raise OtherProject(
            "This is another project's: you may read it, and no rule lets you"
            " change it (stacks:change_other_projects)."
        )
    return ctxt.other_projects is request.OtherProjects.ALLOWED


def check_name(ctxt: request.RequestContext, stack_id: str, name: str) -> None:
    """Raise NotFound if the request has another name for a stack of this id.

    :raises orch.errors.NotFound: name and id do not belong together
    """
    address = ctxt.address
    if address and address.stack_id == stack_id and address.name != name:
        raise wrong_address(address)


def wrong_address(address: request.StackAddress) -> errors.NotFound:
    """Return the error for an address whose name and id do not match."""
    return errors.NotFound(
        f"The Stack ({address.name}/{address.stack_id}) could not be found."
    )


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
    if found is None or not is_visible(ctxt, found.project_id):
        raise AbandonmentNotFound(
            f"There is no document of an abandoned stack {stack_id[:80]}."
        )
    check_name(ctxt, found.stack_id, str(found.document["name"]))
    return found


def get_stack(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack_id: str,
) -> stack.Stack:
    """Return the stack of that id, also when it is deleted.

    :raises StackNotFound: this caller has no such stack
    :raises orch.errors.NotFound: the request has another name for it, or a
        name in place of the id
    """
    found = _find(connection, stack_id)
    if found is None and ctxt.address is not None:
        get_named_stack(connection, ctxt, stack_id)
        raise wrong_address(ctxt.address)
    if found is None:
        raise _missing(stack_id)
    check_visible(ctxt, found)
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

    :raises StackNotFound: this caller has no such stack
    """
    found = _find(connection, name_or_id)
    if found is not None and _is_visible(ctxt, found):
        return found
    if is_storable(name_or_id):
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
    if not is_id(stack_id):
        return None
    return stacks.find(connection, ids.StackId(stack_id))


def _is_visible(ctxt: request.RequestContext, stack: stack.Stack) -> bool:
    try:
        check_visible(ctxt, stack)
    except StackNotFound:
        return False
    return True


def _missing(named: str) -> StackNotFound:
    return StackNotFound(f"The Stack ({named[:255]}) could not be found.")


ChildIdentities = collections.abc.Mapping[str, contract.StackIdentity]
"""The identities of child stacks, by the id of the resource."""


def stacks_below(
    connection: db_engine.Connection,
    stack: stack.Stack,
    levels: float = math.inf,
) -> list[stack.Stack]:
    """Return a stack and those below it, parents first.

    :param levels: how deep to go; 0 for the stack alone
    """
    if levels <= 0:
        return [stack]
    found = [stack]
    known = {stack.id}
    tree = stacks.list_tree(connection, stack.root_id)
    for each in sorted(tree, key=lambda one: (one.depth, one.created_at)):
        if each.parent_id in known and each.depth <= stack.depth + levels:
            found.append(each)
            known.add(each.id)
    return found


def children_of(
    connection: db_engine.Connection, stack: stack.Stack
) -> dict[str, contract.StackIdentity]:
    """Return the identities of a stack's child stacks, by resource."""
    return {
        each.id: identity_of(each)
        for each in stacks.list_children(connection, stack.id)
    }


def find_child(
    connection: db_engine.Connection, row: resource.Resource
) -> dict[str, contract.StackIdentity]:
    """Return the identity of a resource's child stack, if it has one."""
    # The id of a child stack is that of its resource.
    found = stacks.find(connection, ids.StackId(row.id))
    if found is None or found.parent_id != row.stack_id:
        return {}
    return {found.id: identity_of(found)}
