"""Facts of resources."""

import typing

from orch.rpc.contract import drift
from orch.rpc.contract import identity


class Signalled(typing.TypedDict):
    """The answer to a signal that was taken.

    :ivar accepted: the operation that may go on, if any
    :ivar answer: what the type says to whoever sent it, a JSON value
    :ivar is_pending: it is kept to be passed on, because the stack has moved
    """

    accepted: identity.Accepted | None
    answer: object
    is_pending: typing.NotRequired[bool]


class ResourceFacts(typing.TypedDict, total=False):
    """What is known of a resource.

    ``attributes``, ``description`` and ``properties`` come where a method
    says so; ``decisions`` of lifecycle plug-ins, by plug-in, and ``drift``
    with show.
    ``parent_resource`` only for resources of nested stacks.
    """

    id: str
    name: str
    type_name: str
    physical_id: str | None
    action: str
    status: str
    status_reason: str
    created_at: float
    updated_at: float
    required_by: list[str]
    description: str
    metadata: dict[str, object]
    attributes: dict[str, object]
    properties: dict[str, object]
    decisions: dict[str, object]
    drift: drift.ResourceDrift
    parent_resource: str
    stack: identity.StackIdentity
    nested_stack: identity.StackIdentity | None


Previewed: typing.TypeAlias = "ResourceFacts | list[Previewed]"
"""A resource that does not exist; a list stands for one that is a stack, with
the resources of that.
"""
