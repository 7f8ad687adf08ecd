"""Finds the stack that a request names: by its name, its id or its ARN."""

import re
import typing

from orch import errors
from orch.api.cfn import parameters
from orch.api.handlers import backends
from orch.context import request
from orch.rpc import contract

NAME: typing.Final = "StackName"

_ARN = re.compile(
    r"arn:openstack:heat::(?P<project>[^/]+):stacks/(?P<name>[^/]+)"
    r"/(?P<stack_id>[^/]+)"
)


class StackMissing(errors.NotFound):
    """There is no such stack, in the words that clients look for."""

    code = "orch.cfn.stack_missing"


def get_stack(
    backend: backends.Backend,
    caller: request.RequestContext,
    given: parameters.Parameters,
) -> contract.StackIdentity:
    """Return the stack that ``StackName`` means.

    :raises orch.api.cfn.errors.MissingParameter: it is not given
    :raises StackMissing: this caller has none such
    """
    return get_named(backend, caller, given.get(NAME))


def get_named(
    backend: backends.Backend, caller: request.RequestContext, name: str
) -> contract.StackIdentity:
    """Return the stack of that name, id or ARN.

    :raises StackMissing: this caller has none such
    """
    told = _ARN.fullmatch(name)
    try:
        found = backend.stacks.identify(
            caller, told["stack_id"] if told else name
        )
    except errors.NotFound as error:
        raise _missing(name) from error
    if told and (told["project"], told["name"]) != (
        found["project_id"],
        found["stack_name"],
    ):
        raise _missing(name)
    return found


def _missing(name: str) -> StackMissing:
    return StackMissing(f"Stack with id {name[:300]} does not exist")
