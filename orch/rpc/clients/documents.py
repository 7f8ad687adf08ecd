"""Documents of stacks, over the bus; for the search service."""

import collections.abc
import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Documents(caller.Client):
    """The ``document`` namespace."""

    namespace = "document"

    def list_stacks(
        self, ctxt: request.RequestContext, after: str, limit: int
    ) -> list[str]:
        """Return ids of live stacks of all projects, in their order.

        :param after: only ids that sort after it; empty for the first
        :param limit: 1 to 10000
        """
        return typing.cast(
            list[str],
            self._call(ctxt, "list_stacks", after=after, limit=limit),
        )

    def read(
        self,
        ctxt: request.RequestContext,
        stack_ids: collections.abc.Sequence[str],
    ) -> list[contract.StackDocumentsFacts]:
        """Return all that there is of stacks; one that fails is left out.

        :param stack_ids: 20 at most
        """
        return typing.cast(
            list[contract.StackDocumentsFacts],
            self._call(ctxt, "read", stack_ids=list(stack_ids)),
        )

    def versions(
        self,
        ctxt: request.RequestContext,
        stack_ids: collections.abc.Sequence[str],
    ) -> dict[str, int]:
        """Return the versions of stacks: whether one has changed.

        :param stack_ids: 1000 at most
        :returns: number of the newest event, by id; one that is not there
            at all is left out
        """
        return typing.cast(
            dict[str, int],
            self._call(ctxt, "versions", stack_ids=list(stack_ids)),
        )

    def resources(
        self, ctxt: request.RequestContext, stack_id: str, after: str
    ) -> contract.ResourceDocumentsFacts:
        """Return more resources of a stack.

        :param after: the ``next`` of what was read before
        """
        return typing.cast(
            contract.ResourceDocumentsFacts,
            self._call(ctxt, "resources", stack_id=stack_id, after=after),
        )

    def orphans(
        self,
        ctxt: request.RequestContext,
        after: str,
        rest: contract.OrphansRest | None = None,
    ) -> list[contract.OrphansFacts]:
        """Return what stands in the world, and in no stack.

        :param after: the project that came last; empty for the first
        :param rest: what was left of the project behind it, as was told
        :returns: of the next few projects; nothing where there are no more,
            and one without a project where the worker does not observe
        """
        return typing.cast(
            list[contract.OrphansFacts],
            self._call(
                ctxt,
                "orphans",
                after=after,
                **({} if rest is None else {"rest": rest}),
            ),
        )
