"""The ``document`` namespace, for the search service."""

import collections.abc
import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.search_documents import orphans
from orch.engine.search_documents import reader
from orch.rpc import contract


class Documents:
    """What is indexed of the stacks of all projects."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="document", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps
        self._reader = reader.Reader(deps)

    def list_stacks(
        self, ctxt: request.RequestContext, *, after: str, limit: int
    ) -> list[str]:
        """Return ids of live stacks at any depth, in their order."""
        return reader.list_stacks(self._deps, after, limit)

    def read(
        self,
        ctxt: request.RequestContext,
        *,
        stack_ids: collections.abc.Sequence[str],
    ) -> list[contract.StackDocumentsFacts]:
        """Return all that there is of some stacks."""
        return self._reader.read(stack_ids)

    def versions(
        self,
        ctxt: request.RequestContext,
        *,
        stack_ids: collections.abc.Sequence[str],
    ) -> dict[str, int]:
        """Return the numbers of the newest events of some stacks."""
        return reader.list_newest(self._deps, stack_ids)

    def resources(
        self, ctxt: request.RequestContext, *, stack_id: str, after: str
    ) -> contract.ResourceDocumentsFacts:
        """Return more resources of a stack."""
        return self._reader.resources(stack_id, after)

    def orphans(
        self,
        ctxt: request.RequestContext,
        *,
        after: str,
        rest: contract.OrphansRest | None = None,
    ) -> list[contract.OrphansFacts]:
        """Return what stands in the world, and in no stack."""
        return orphans.list_(self._deps, after, rest)
