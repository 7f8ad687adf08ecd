"""Which stack, and the answer to an accepted request."""

import typing

from orch.rpc.contract import rest


class StackIdentity(typing.TypedDict):
    """Which stack, and the project that owns it."""

    project_id: str
    stack_name: str
    stack_id: str


class Accepted(typing.TypedDict):
    """A stack and its accepted operation, which is durable and has not run."""

    identity: typing.Annotated[
        StackIdentity, rest.Stack(id="stack_id", rel="stack")
    ]
    operation_id: str
