"""Facts of resources."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.contract import drift
from orch.rpc.contract import identity
from orch.rpc.contract import methods


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
    ``parent_resource`` only for resources of nested stacks; ``is_replaced``
    only where another incarnation stands for the name, and it still exists.
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
    is_replaced: bool
    stack: identity.StackIdentity
    nested_stack: identity.StackIdentity | None


Previewed: typing.TypeAlias = "ResourceFacts | list[Previewed]"
"""A resource that does not exist; a list stands for one that is a stack, with
the resources of that.
"""


@methods.namespace("resource")
class Resources(typing.Protocol):
    """The resources of stacks."""

    @methods.reads()
    def list(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        *,
        nested_depth: int = 0,
        with_attributes: bool = False,
        filters: collections.abc.Mapping[str, collections.abc.Sequence[str]],
    ) -> list[ResourceFacts]:
        """Return the resources of a stack.

        :param nested_depth: levels of child stacks to list too
        :param filters: ``type``, ``status``, ``name``, ``action``, ``id``,
            ``physical_resource_id``, each with the values allowed
        """

    @methods.reads()
    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        name: str,
        with_attributes: collections.abc.Sequence[str] = (),
    ) -> ResourceFacts:
        """Return a resource with its ``attributes``, read live.

        :param with_attributes: names beyond those that the type declares
        """

    @methods.reads()
    def metadata(
        self, ctxt: request.RequestContext, stack_id: str, name: str
    ) -> dict[str, object]:
        """Return the metadata that the template declares, resolved."""

    @methods.reads()
    def find_stack(
        self, ctxt: request.RequestContext, physical_id: str
    ) -> identity.StackIdentity:
        """Return the stack of the resource that has a physical id.

        :raises orch.errors.NotFound: this caller has none such
        """

    @methods.changes()
    def mark_unhealthy(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        name: str,
        *,
        is_unhealthy: bool,
        reason: str | None,
    ) -> None:
        """Mark a resource as unhealthy, or as healthy again.

        :param name: of the resource, or its physical id
        """

    @methods.changes()
    def answer_outcome(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        name: str,
        *,
        physical_id: str | None,
    ) -> ResourceFacts:
        """Store what became of a creation whose outcome is unknown.

        :param physical_id: what it has made; ``None`` for nothing
        """

    @methods.changes()
    def revoke_addresses(
        self, ctxt: request.RequestContext, stack_id: str, name: str
    ) -> None:
        """Revoke the signal addresses of a resource."""

    @methods.changes(once=True, added=("signal_id", "hops"))
    def signal(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        name: str,
        details: object = None,
        *,
        resource_id: str | None = None,
        signal_id: str | None = None,
        hops: int = 0,
    ) -> Signalled:
        """Accept a signal for a resource durably.

        :param details: any JSON value
        :param resource_id: the one incarnation that may take it
        :param signal_id: id that its sender gave it; a second one with the
            same id changes nothing
        :param hops: how often it was forwarded
        """
