"""Search, over the bus."""

import collections.abc
import typing

from orch import errors
from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Search(caller.Client):
    """The ``search`` namespace, of the search service.

    Every method raises :class:`orch.errors.Unavailable` where that service,
    or what keeps its index, gives no answer.
    """

    namespace = "search"

    def query(
        self,
        ctxt: request.RequestContext,
        request: contract.SearchRequest,
        scope: contract.SearchScope,
    ) -> contract.SearchFacts:
        """Return what fits, of what the scope lets somebody find.

        :raises orch.errors.Invalid: the query is wrong; its problem has the
            position, and what to do
        """
        return typing.cast(
            contract.SearchFacts,
            self._ask(ctxt, "query", request=request, scope=scope),
        )

    def fields(
        self,
        ctxt: request.RequestContext,
        scope: contract.SearchScope,
        kinds: collections.abc.Sequence[str] = (),
    ) -> list[contract.SearchField]:
        """Return the fields that can be searched.

        :param kinds: of documents; none for all
        """
        return typing.cast(
            list[contract.SearchField],
            self._ask(ctxt, "fields", scope=scope, kinds=list(kinds)),
        )

    def facets(
        self,
        ctxt: request.RequestContext,
        request: contract.FacetsRequest,
        scope: contract.SearchScope,
    ) -> list[contract.TypeFacets]:
        """Return what there is of each type, the most frequent type first."""
        return typing.cast(
            list[contract.TypeFacets],
            self._ask(ctxt, "facets", request=request, scope=scope),
        )

    def plugins(
        self, ctxt: request.RequestContext
    ) -> list[contract.SearchPluginFacts]:
        """Return the kinds of documents."""
        return typing.cast(
            list[contract.SearchPluginFacts], self._ask(ctxt, "plugins")
        )

    def status(self, ctxt: request.RequestContext) -> contract.SearchStatus:
        """Return how the index stands."""
        return typing.cast(contract.SearchStatus, self._ask(ctxt, "status"))

    def refill(
        self, ctxt: request.RequestContext, *, from_nothing: bool = False
    ) -> contract.SearchStatus:
        """Return once it is stored that the index is to be filled again.

        :param from_nothing: forget all that is there before
        """
        return typing.cast(
            contract.SearchStatus,
            self._ask(ctxt, "refill", from_nothing=from_nothing),
        )

    def _ask(
        self, ctxt: request.RequestContext, method: str, **kwargs: object
    ) -> object:
        try:
            return self._call(ctxt, method, **kwargs)
        except errors.Unavailable as error:
            raise errors.Unavailable(
                f"The search service gives no answer: {error.message}"
            ) from error
