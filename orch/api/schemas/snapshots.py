"""The bodies that ask for a snapshot, and for going back to one."""

import typing

from orch import errors
from orch.api.schemas import retry
from orch.api.schemas import stacks
from orch.rpc import contract

_MAX_NAME_LENGTH = 255
_OPTIONS = ("keep_going", "timeout_mins")


def name_of(body: stacks.Body) -> str | None:
    """Return the name that the snapshot is to have.

    Heat takes a number for a name too.

    :raises orch.errors.Invalid: it is no text, or too long
    """
    name = body.get("name")
    if name is None:
        return None
    if isinstance(name, bool) or not isinstance(name, str | int | float):
        raise errors.Invalid("The name of a snapshot must be a text.")
    if len(str(name)) > _MAX_NAME_LENGTH:
        raise errors.Invalid(
            f"The name of a snapshot has at most {_MAX_NAME_LENGTH}"
            " characters."
        )
    return str(name)


def retry_of(body: object) -> contract.StackOptions | None:
    """Return how the retry runs that the body asks for, if it does.

    :raises orch.errors.Invalid: it brings more than a retry takes
    """
    if not isinstance(body, dict):
        return None
    return retry.find_body_options(typing.cast(stacks.Body, body))


def options_of(body: object) -> contract.StackOptions:
    """Return how the operation runs; a body that is no map says nothing.

    :raises orch.errors.Invalid: a value is wrong
    """
    if not isinstance(body, dict):
        return {}
    return stacks.options_of(
        {key: body[key] for key in _OPTIONS if key in body}
    )
