"""The bodies that ask for a snapshot, and for going back to one."""

from orch import errors
from orch.api.schemas import stacks

MAX_NAME_LENGTH = 255


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
