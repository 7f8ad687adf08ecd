"""Search of stacks at any depth, their resources, and orphans."""

import collections.abc
import datetime
import json
import typing

import requests
import urllib3

from orchclient import errors
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import search_results
from orchclient import transport
from orchclient.values import saved_searches as values

_PAGE: typing.Final = 200
_CHUNK: typing.Final = 65_536
_SILENCE_S: typing.Final = 60.0
_PARAMETERS: typing.Final = {
    "kinds": "kind",
    "facets": "facet",
    "statistics": "stats",
}
"""What query strings call the keys of a request."""

Names = collections.abc.Sequence[str]
SavedSearch = values.SavedSearch


class SearchRequest(typing.TypedDict, total=False):
    """What a search takes in addition to the query.

    ``kinds``: some of :data:`orchclient.search_results.KINDS`, none for all.
    ``sort``: fields, a ``-`` before one for the greatest first; without any
    the best come first. ``limit``: hits at most. ``offset``: hits that are
    left out. ``facets``: fields whose values are counted, ``FIELD`` or
    ``FIELD:NUMBER``. ``statistics``: fields of numbers that are summed up.
    ``aggregations``: what is counted in buckets, as the API has it; a run of
    a saved search is refused with them.
    ``highlight``: false leaves out where a hit matches. ``all_projects``: of
    all, for administrators. ``as_of``: the state at that time. ``with_texts``:
    templates and events too.
    """

    kinds: Names
    sort: Names
    limit: int
    offset: int
    facets: Names
    statistics: Names
    aggregations: collections.abc.Mapping[str, object]
    highlight: bool
    all_projects: bool
    as_of: datetime.datetime
    with_texts: bool


class ExportRequest(typing.TypedDict, total=False):
    """What an export takes in addition to the query.

    As in :class:`SearchRequest`.
    """

    kinds: Names
    sort: Names
    all_projects: bool
    as_of: datetime.datetime
    with_texts: bool


class Search:
    """Searches what is deployed.

    A query that is wrong is an
    :class:`orchclient.errors.BadRequestError`, whose problem has the column.
    """

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def query(
        self,
        text: str = "",
        *,
        cursor: str | None = None,
        **request: typing.Unpack[SearchRequest],
    ) -> search_results.Found:
        """Return a page of the hits of a query.

        :param text: in the language of queries; empty for all
        :param cursor: ``next`` of the page before
        """
        return search_results.Found.of(
            self._sender.ask_once(
                "POST", "/search", _body(text, cursor, request)
            )
        )

    def save(
        self,
        name: str,
        text: str = "",
        *,
        description: str = "",
        is_shared: bool = False,
        is_replacing: bool = False,
        **request: typing.Unpack[SearchRequest],
    ) -> SavedSearch:
        """Save a search under a name.

        :param text: in the language of queries; empty for all
        :param is_shared: for all users of the project, not for you alone
        :param is_replacing: replace the search that has the name
        :raises orchclient.errors.ConflictError: the name is in use
        """
        body: request_bodies.Body = {
            "description": description,
            "is_shared": is_shared,
            "search": _body(text, None, request),
        }
        if is_replacing:
            answer = self._sender.ask_once("PUT", _saved_path(name), body)
        else:
            body["name"] = name
            answer = self._sender.ask("POST", "/search/saved", body)
        return SavedSearch.of(response_parser.get_map(answer, "saved_search"))

    def list_saved(self) -> tuple[SavedSearch, ...]:
        """Return your saved searches, and those that the project shares."""
        answer = self._sender.get("/search/saved")
        return tuple(
            SavedSearch.of(each)
            for each in response_parser.get_maps(answer, "saved_searches")
        )

    def find_saved(self, name: str) -> SavedSearch:
        """Return your search of a name, or that of the project.

        :raises orchclient.errors.NotFoundError: there is none
        """
        answer = self._sender.get(_saved_path(name))
        return SavedSearch.of(response_parser.get_map(answer, "saved_search"))

    def run_saved(
        self,
        name: str,
        *,
        cursor: str | None = None,
        **request: typing.Unpack[SearchRequest],
    ) -> search_results.Found:
        """Return a page of the hits of a saved search.

        :param cursor: ``next`` of the page before
        :param request: replaces what was saved
        :raises orchclient.errors.NotFoundError: there is none
        """
        as_of = request.get("as_of")
        query: transport.Query = {
            **{
                _PARAMETERS.get(key, key): each
                for key, each in request.items()
            },
            "as_of": as_of.isoformat() if as_of is not None else None,
            "cursor": cursor,
        }
        return search_results.Found.of(
            self._sender.get(f"{_saved_path(name)}/hits", query)
        )

    def forget_saved(self, name: str, *, is_shared: bool = False) -> None:
        """Delete your search of a name, or the one that the project shares.

        :raises orchclient.errors.NotFoundError: there is none
        """
        self._sender.ask(
            "DELETE",
            _saved_path(name),
            query={"is_shared": True} if is_shared else None,
        )

    def all(
        self, text: str = "", **request: typing.Unpack[SearchRequest]
    ) -> collections.abc.Iterator[search_results.Hit]:
        """Yield all hits of a query, page by page.

        :param request: ``limit`` of it is the length of a page
        """
        request.setdefault("limit", _PAGE)
        cursor: str | None = None
        while True:
            page = self.query(text, cursor=cursor, **request)
            yield from page.hits
            cursor = page.next
            if cursor is None:
                return

    def export(
        self, text: str = "", **request: typing.Unpack[ExportRequest]
    ) -> search_results.Streamed[search_results.Hit]:
        """Return all hits of a query, as one answer that is read as it comes.

        By default in the order of their paths.

        :returns: has at its end a ``hint`` if hits may be missing
        :raises orchclient.errors.ConnectError: the answer broke off; some
            hits are missing
        """
        as_of = request.get("as_of")
        lines = self._lines(
            "/search/export",
            {
                "q": text,
                "kind": request.get("kinds"),
                "sort": request.get("sort"),
                "all_projects": request.get("all_projects") or None,
                "as_of": as_of.isoformat() if as_of is not None else None,
                "with_texts": request.get("with_texts") or None,
            },
        )
        return search_results.Streamed(lines, search_results.Hit.of)

    def diff(
        self,
        as_of: datetime.datetime,
        as_of_other: datetime.datetime | None = None,
        text: str = "",
        *,
        kinds: Names = (),
        all_projects: bool = False,
    ) -> search_results.Streamed[search_results.Difference]:
        """Return what appeared, went and changed, in the order of paths.

        :param as_of_other: the later moment, by default now
        :param text: what is compared, in the language of queries
        :returns: has at its end a ``hint`` if differences may be missing
        :raises orchclient.errors.ConnectError: the answer broke off; some
            differences are missing
        """
        other = as_of_other.isoformat() if as_of_other is not None else None
        lines = self._lines(
            "/search/diff",
            {
                "q": text,
                "kind": kinds,
                "all_projects": all_projects or None,
                "as_of": as_of.isoformat(),
                "as_of_other": other,
            },
        )
        return search_results.Streamed(lines, search_results.Difference.of)

    def _lines(
        self, path: str, query: transport.Query
    ) -> search_results.Lines:
        """Yield the lines of an answer, as they come, to its end."""
        opened = self._sender.stream(
            path,
            query=query,
            headers={"Accept": "application/x-ndjson, application/json"},
            silence_s=_SILENCE_S,
        )
        with opened as answer:
            try:
                for line in answer.iter_lines(_CHUNK):
                    body = response_parser.read_map(json.loads(line))
                    if "end" in body:
                        end = response_parser.get_map(body, "end")
                        return response_parser.find_text(end, "hint")
                    yield body
            except (
                requests.exceptions.RequestException,
                urllib3.exceptions.HTTPError,
                ValueError,
                OSError,
            ) as error:
                raise errors.ConnectError(
                    f"The answer broke off: {error}"
                ) from error
        raise errors.ConnectError("The answer broke off.")

    def owners(
        self, physical_id: str, *, all_projects: bool = False
    ) -> tuple[search_results.Hit, ...]:
        """Return the owners of a physical resource, by its id in the cloud."""
        text = f"physical_id:{quote_phrase(physical_id)}"
        return tuple(self.all(text, all_projects=all_projects))

    def searchlight(
        self, body: collections.abc.Mapping[str, object]
    ) -> response_parser.Json:
        """Return Searchlight's answer to a request of Searchlight's."""
        return response_parser.read_map(
            self._sender.ask_once("POST", "/search", dict(body))
        )

    def facets(
        self,
        type_name: str | None = None,
        *,
        limit: int | None = None,
        all_projects: bool = False,
    ) -> tuple[search_results.Facet, ...]:
        """Return resource types, their fields and values.

        :param type_name: only this type
        :param limit: values of a field at most
        """
        answer = response_parser.read_map(
            self._sender.get(
                "/search/facets",
                {
                    "type": type_name,
                    "limit_terms": limit,
                    "all_projects": all_projects or None,
                },
            )
        )
        return tuple(
            search_results.Facet.of(name, each)
            for name in answer
            for each in response_parser.get_maps(
                response_parser.get_map(answer, name), "facets"
            )
        )

    def fields(self, *kinds: str) -> tuple[search_results.Field, ...]:
        """Return the fields that can be searched."""
        answer = self._sender.get("/search/fields", {"kind": kinds})
        return tuple(
            search_results.Field(
                response_parser.required_text(each, "name"),
                response_parser.get_text(each, "type"),
            )
            for each in response_parser.get_maps(answer, "fields")
        )

    def plugins(self) -> tuple[search_results.Plugin, ...]:
        """Return the kinds of documents that can be searched."""
        answer = self._sender.get("/search/plugins")
        return tuple(
            search_results.Plugin(
                response_parser.get_text(each, "kind"),
                response_parser.get_text(each, "type"),
                response_parser.get_text(each, "alias-searching"),
            )
            for each in response_parser.get_maps(answer, "plugins")
        )

    def status(self) -> search_results.Status:
        """Return the state of the index; for administrators."""
        content = response_parser.get_map(
            self._sender.get("/search/status"), "search"
        )
        return search_results.Status.of(content)


def quote_phrase(text: str) -> str:
    """Quote a text as a phrase of the query language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _saved_path(name: str) -> str:
    return f"/search/saved/{transport.quote_part(name)}"


def _body(
    text: str, cursor: str | None, request: SearchRequest
) -> request_bodies.Body:
    content: request_bodies.Body = request_bodies.without_absent(
        **{
            name: list(value) if isinstance(value, tuple) else value
            for name, value in request.items()
        },
        cursor=cursor,
    )
    facets = request.get("facets")
    if facets is not None:
        content["facets"] = [_facet_request(each) for each in facets]
    as_of = request.get("as_of")
    if as_of is not None:
        content["as_of"] = as_of.isoformat()
    return {"q": text, **content}


def _facet_request(text: str) -> object:
    """Return what ``FIELD`` or ``FIELD:NUMBER`` is in a body."""
    field, _, size = text.rpartition(":")
    return (
        {"field": field, "size": int(size)}
        if size.isdigit() and field
        else text
    )
