"""Which stack, and the answer to an accepted request."""

import typing


class StackIdentity(typing.TypedDict):
    """Which stack, and the project that owns it."""

    project_id: str
    stack_name: str
    stack_id: str


class Accepted(typing.TypedDict):
    """The answer to an accepted request: it is durable, nothing ran yet."""

    identity: StackIdentity
    operation_id: str
