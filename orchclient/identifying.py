"""Finds out which stack a caller means."""

from orchclient import errors
from orchclient import transport
from orchclient import values


def identify(
    sender: transport.Transport, stack: values.Which
) -> values.StackIdentity:
    """Return name and id of a stack; a name costs one request.

    :param stack: its name or id, or a value that tells both
    :raises orchclient.errors.NotFoundError: there is none
    """
    if isinstance(stack, values.Stack):
        return stack.identity
    if isinstance(stack, values.StackIdentity):
        return stack
    # The service sends who knows one of the two to the full address.
    answer = sender.send(
        "GET", f"/stacks/{transport.part(stack)}", redirects=0
    )
    location = answer.headers.get("Location")
    if not location:
        raise errors.AnswerError(f"Nobody said where the stack {stack} is.")
    return values.StackIdentity.of_url(location)
