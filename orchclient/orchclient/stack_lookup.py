"""Finds the stack that a caller names."""

from orchclient import errors
from orchclient import models
from orchclient import transport


def identify_stack(
    sender: transport.Transport, stack: models.Which
) -> models.StackIdentity:
    """Return name and id of a stack; a name costs one request.

    :param stack: its name or id, or a value that has both
    :raises orchclient.errors.NotFoundError: there is none
    """
    if isinstance(stack, models.Stack):
        return stack.identity
    if isinstance(stack, models.StackIdentity):
        return stack
    # The service sends who knows one of the two to the full address.
    answer = sender.send(
        "GET", f"/stacks/{transport.quote_part(stack)}", redirects=0
    )
    location = answer.headers.get("Location")
    if not location:
        raise errors.AnswerError(f"No answer says where the stack {stack} is.")
    return models.StackIdentity.of_url(location)
