"""Which stacks a caller may know of."""

from orch import errors
from orch.context import request
from orch.model import stack


class StackNotFound(errors.NotFound):
    """There is no such stack, or it belongs to another project."""

    code = "orch.stack.not_found"


def check_live(ctxt: request.RequestContext, subject: stack.Stack) -> None:
    """Return only if the caller may know of the stack, and it is not gone.

    :raises StackNotFound: it is gone, or another project's
    """
    check(ctxt, subject)
    if subject.deleted_at is not None:
        raise StackNotFound(f"The Stack ({subject.name}) could not be found.")


def check(ctxt: request.RequestContext, subject: stack.Stack) -> None:
    """Return only if the caller may know of the stack.

    :raises StackNotFound: it is another project's; nothing says that it is
    """
    if subject.project_id != ctxt.project_id and not ctxt.is_admin:
        raise StackNotFound(f"The Stack ({subject.id}) could not be found.")
