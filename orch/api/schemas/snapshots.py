"""The bodies that ask for a snapshot, and for going back to one."""

from orch import errors
from orch.api.schemas import retry
from orch.api.schemas import stacks
from orch.rpc import contract

MAX_NAME_LENGTH = 255
_OPTIONS = ("keep_going", "timeout_mins")


def name_of(body: stacks.Body) -> str | None:
    """Return the name that the snapshot is to have.

    Heat takes a number for a name too.

    :raises orch.errors.Invalid: it is too long
    """
    name = body.get("name")
    if name is not None and len(str(name)) > MAX_NAME_LENGTH:
        raise errors.Invalid(
            f"The name of a snapshot has at most {MAX_NAME_LENGTH} characters."
        )
    return None if name is None else str(name)


def options_of(body: object) -> contract.StackOptions:
    """Return how the operation runs; a body that is no map says nothing.

    :raises orch.errors.Invalid: a value is wrong, or it is more than a retry
        takes
    """
    if not isinstance(body, dict):
        return {}
    return retry.find_body_options(body) or stacks.options_of(
        {key: body[key] for key in _OPTIONS if key in body}
    )
