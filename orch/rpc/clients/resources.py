"""Resources, asked for over the bus."""

import collections.abc
import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Resources(caller.Client):
    """The ``resource`` namespace."""

    namespace = "resource"

    def list(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        *,
        nested_depth: int = 0,
        with_attributes: bool = False,
        filters: collections.abc.Mapping[str, collections.abc.Sequence[str]],
    ) -> list[contract.ResourceFacts]:
        """Return the resources of a stack.

        :param filters: ``type``, ``status``, ``name``, ``action``, ``id``,
            ``physical_resource_id``, each with the values allowed
        """
        found = self._call(
            ctxt,
            "list",
            stack_id=stack_id,
            nested_depth=nested_depth,
            with_attributes=with_attributes,
            filters=filters,
        )
        return typing.cast(list[contract.ResourceFacts], found)

    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        name: str,
        with_attributes: collections.abc.Sequence[str] = (),
    ) -> contract.ResourceFacts:
        """Return a resource with its attributes, read live.

        :param with_attributes: names beyond those that the type declares
        """
        found = self._call(
            ctxt,
            "show",
            stack_id=stack_id,
            name=name,
            with_attributes=with_attributes,
        )
        return typing.cast(contract.ResourceFacts, found)

    def metadata(
        self, ctxt: request.RequestContext, stack_id: str, name: str
    ) -> dict[str, object]:
        """Return the metadata that the template declares, resolved."""
        found = self._call(ctxt, "metadata", stack_id=stack_id, name=name)
        return typing.cast(dict[str, object], found)

    def find_stack(
        self, ctxt: request.RequestContext, physical_id: str
    ) -> contract.StackIdentity:
        """Return the stack of the resource that has a physical id.

        :raises orch.errors.NotFound: this caller has none such
        """
        found = self._call(ctxt, "find_stack", physical_id=physical_id)
        return typing.cast(contract.StackIdentity, found)

    def mark_unhealthy(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        name: str,
        *,
        is_unhealthy: bool,
        reason: str | None,
    ) -> None:
        """Return once it is stored that a resource is not well, or is so.

        :param name: of the resource, or its physical id
        """
        self._call(
            ctxt,
            "mark_unhealthy",
            stack_id=stack_id,
            name=name,
            is_unhealthy=is_unhealthy,
            reason=reason,
        )

    def revoke_addresses(
        self, ctxt: request.RequestContext, stack_id: str, name: str
    ) -> None:
        """Return once the addresses of a resource take no more signals."""
        self._call(ctxt, "revoke_addresses", stack_id=stack_id, name=name)

    def signal(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        name: str,
        details: object,
        *,
        resource_id: str | None = None,
        signal_id: str | None = None,
        hops: int = 0,
    ) -> contract.Signalled:
        """Return once a signal is taken in; what it lets go on is named.

        :param resource_id: the one incarnation that may take it
        :param signal_id: by which its sender knows it; twice is as once
        :param hops: how often it was passed on before
        """
        # A worker of an earlier release knows nothing of these two.
        more = {} if signal_id is None else {"signal_id": signal_id}
        taken = self._call(
            ctxt,
            "signal",
            stack_id=stack_id,
            name=name,
            details=details,
            resource_id=resource_id,
            **more,
            **({"hops": hops} if hops else {}),
        )
        return typing.cast(contract.Signalled, taken)
