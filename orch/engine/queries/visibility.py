"""Check which stacks a caller may see."""

from orch import errors
from orch.context import request
from orch.model import stack


class StackNotFound(errors.NotFound):
    """The stack does not exist, or belongs to another project."""

    code = "orch.stack.not_found"


class OtherProject(errors.Forbidden):
    """The caller may read what another project has, and not change it."""

    code = "orch.project.other"


class StackChanged(errors.Conflict):
    """The stack has changed since the state that the request depends on."""

    code = "orch.stack.changed"


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
