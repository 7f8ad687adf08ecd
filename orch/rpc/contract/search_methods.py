"""Methods of the search service, and those that it calls itself."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.contract import methods
from orch.rpc.contract import saved_searches
from orch.rpc.contract import search


@methods.namespace("document")
class Documents(typing.Protocol):
    """Documents of stacks of all projects, for the search service."""

    @methods.reads()
    def list_stacks(
        self, ctxt: request.RequestContext, after: str, limit: int
    ) -> list[str]:
        """Return ids of live stacks at any depth, in their order.

        :param after: only ids that sort after it; empty for the first
        :param limit: 1 to 10000
        """

    @methods.reads(added=("known",))
    def read(
        self,
        ctxt: request.RequestContext,
        stack_ids: collections.abc.Sequence[str],
        known: collections.abc.Mapping[str, collections.abc.Sequence[str]]
        | None = None,
    ) -> list[search.StackDocumentsFacts]:
        """Return the documents of stacks; one that fails is omitted.

        :param stack_ids: 20 at most
        :param known: digests of documents that are not sent again where they
            are still right, by stack
        """

    @methods.reads()
    def changes(
        self, ctxt: request.RequestContext, position: str, limit: int
    ) -> search.ChangesFacts:
        """Return the stacks that changed after a position, oldest first.

        :param position: of the answer before; empty for the first, which has
            no stacks
        :param limit: 1 to 10000
        """

    @methods.reads(added=("known",))
    def resources(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        after: str,
        known: collections.abc.Sequence[str] = (),
    ) -> search.ResourceDocumentsFacts:
        """Return more resources of a stack.

        :param after: the ``next`` of the answer before
        :param known: digests of documents that are not sent again
        """

    @methods.reads(added=("rest",))
    def orphans(
        self,
        ctxt: request.RequestContext,
        after: str,
        rest: search.OrphansRest | None = None,
    ) -> list[search.OrphansFacts]:
        """Return physical resources that belong to no stack.

        :param after: the last project; empty for the first
        :param rest: of the project behind it, from the answer before
        :returns: of the next few projects; empty where there are no more,
            and one without a project where the worker does not observe
        """


@methods.namespace("search")
class Search(typing.Protocol):
    """The search service, which answers on a topic of its own.

    Every method raises :class:`orch.errors.Unavailable` where that service,
    or what keeps its index, gives no answer.
    """

    @methods.reads()
    def query(
        self,
        ctxt: request.RequestContext,
        request: search.SearchRequest,
        scope: search.SearchScope,
    ) -> search.SearchFacts:
        """Return the hits in the scope; facets and statistics by name.

        :raises orch.errors.Invalid: the query is wrong; its problem has the
            position, and what to do
        """

    @methods.reads()
    def differences(
        self,
        ctxt: request.RequestContext,
        request: search.DifferencesRequest,
        scope: search.SearchScope,
    ) -> search.DifferencesFacts:
        """Return what appeared, went and changed between two moments.

        :raises orch.errors.Invalid: the request makes no sense
        """

    @methods.changes()
    def save(
        self,
        ctxt: request.RequestContext,
        saved: saved_searches.SavedSearchInput,
        request: search.SearchRequest,
        scope: search.SearchScope,
        *,
        is_new: bool = False,
    ) -> saved_searches.SavedSearchFacts:
        """Save a search for the user, or for all of the project.

        It replaces the one that has the name.

        :param request: what ``saved`` asks for now; it is checked as
            :meth:`query` does
        :param is_new: replace none
        :raises orch.errors.Conflict: ``is_new``, and the name is in use
        :raises orch.errors.LimitExceeded: it is too large, or one too many
        :raises orch.errors.Invalid: the name or the query is wrong
        """

    @methods.reads()
    def list_saved(
        self, ctxt: request.RequestContext
    ) -> list[saved_searches.SavedSearchFacts]:
        """Return the searches of the user and the project, by name."""

    @methods.reads()
    def find_saved(
        self, ctxt: request.RequestContext, name: str
    ) -> saved_searches.SavedSearchFacts:
        """Return a search of the user; without one, that of the project.

        :raises orch.errors.NotFound: there is none
        """

    @methods.changes()
    def forget_saved(
        self,
        ctxt: request.RequestContext,
        name: str,
        *,
        is_shared: bool = False,
    ) -> None:
        """Delete a search of the user, or one that the project shares.

        :raises orch.errors.NotFound: there is none
        """

    @methods.reads()
    def fields(
        self,
        ctxt: request.RequestContext,
        scope: search.SearchScope,
        kinds: collections.abc.Sequence[str] = (),
    ) -> list[search.SearchField]:
        """Return all fields in the scope, by name.

        :param kinds: of documents; none for all
        :raises orch.errors.Invalid: there is no such kind
        """

    @methods.reads()
    def facets(
        self,
        ctxt: request.RequestContext,
        request: search.FacetsRequest,
        scope: search.SearchScope,
    ) -> list[search.TypeFacets]:
        """Return the facets of each type, the most frequent type first.

        :raises orch.errors.Invalid: the request makes no sense
        """

    @methods.reads()
    def plugins(
        self, ctxt: request.RequestContext
    ) -> list[search.SearchPluginFacts]:
        """Return the kinds of documents."""

    @methods.reads()
    def status(self, ctxt: request.RequestContext) -> search.SearchStatus:
        """Return the state of the index."""

    @methods.changes()
    def refill(
        self, ctxt: request.RequestContext, *, from_nothing: bool = False
    ) -> search.SearchStatus:
        """Read all stacks again, as soon as no scan prevents it.

        :param from_nothing: delete all documents of the index first
        """
