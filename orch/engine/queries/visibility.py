"""Which stacks a caller may know of."""

from orch import errors
from orch.context import request
from orch.model import stack


class StackNotFound(errors.NotFound):
    """There is no such stack, or it belongs to another project."""

    code = "orch.stack.not_found"


class StackChanged(errors.Conflict):
    """The stack is not any more what the request depends on."""

    code = "orch.stack.changed"


def check_live(ctxt: request.RequestContext, stack: stack.Stack) -> None:
    """Return only if the caller may know of the stack, and it is not gone.

    :param stack: locked, where it is to be changed
    :raises StackNotFound: it is gone, or another project's
    :raises StackChanged: as :func:`check_unchanged` does
    """
    check_visible(ctxt, stack)
    if stack.deleted_at is not None:
        raise StackNotFound(f"The Stack ({stack.name}) could not be found.")
    check_unchanged(ctxt, stack)


def check_unchanged(ctxt: request.RequestContext, stack: stack.Stack) -> None:
    """Return only if the stack is what the request depends on.

    :param stack: locked
    :raises StackChanged: somebody has changed it
    """
    condition = ctxt.condition
    if condition is None or condition.stack_id != stack.id:
        return
    if stack.revision not in condition.revisions:
        raise StackChanged(
            f"Stack {stack.name} is not any more what the request was made"
            f" for (it is {stack.action}_{stack.status} now): look at it"
            " again, and send the ETag that comes with it."
        )


def check_visible(ctxt: request.RequestContext, stack: stack.Stack) -> None:
    """Return only if the caller may know of the stack.

    :raises StackNotFound: it is another project's; nothing says that it is
    """
    if stack.project_id != ctxt.project_id and not ctxt.is_admin:
        raise StackNotFound(f"The Stack ({stack.id}) could not be found.")
