"""A stack's address bears its name and its id; both must be right."""

from orch import errors
from orch.api import web
from orch.rpc.clients import stacks


def check_identity(
    client: stacks.Stacks, req: web.Request, name: str, stack_id: str
) -> None:
    """Return only if the caller has the stack that the address means.

    The name in place of the id, which workers would take, means none: what
    the request depends on is compared with the id.

    :raises orch.errors.NotFound: name and id do not belong together
    """
    found = client.identify(req.caller, stack_id)
    check_name(found["stack_name"], name, stack_id)
    if found["stack_id"] != stack_id:
        raise _missing(name, stack_id)


def check_name(real: str, asked: str, stack_id: str) -> None:
    """Return when the stack of that id has the name in the address.

    :raises orch.errors.NotFound: it has another one
    """
    if real != asked:
        raise _missing(asked, stack_id)


def _missing(name: str, stack_id: str) -> errors.NotFound:
    return errors.NotFound(
        f"The Stack ({name}/{stack_id}) could not be found."
    )
