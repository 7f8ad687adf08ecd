"""Search over what is deployed; no such address exists in Heat.

Bodies and answers of Searchlight are taken and given too, so that its clients
and programs that were written for it go on as they are.
"""

import typing

from orch import errors
from orch.api import body
from orch.api import caller_renewal
from orch.api import export_stream
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.schemas import search as schema
from orch.api.schemas import searchlight as searchlight_schema
from orch.api.views import aggregations as aggregation_views
from orch.api.views import search as views
from orch.api.views import searchlight as searchlight_views
from orch.rpc import contract

_LISTS: typing.Final = ("kind", "sort", "facet", "stats")
_SINGLE: typing.Final = (
    "q",
    "limit",
    "offset",
    "cursor",
    "marker",
    "highlight",
    "all_projects",
    "as_of",
    "with_texts",
)
_FACETS_NAMES: typing.Final = (
    "index",
    "type",
    "all_projects",
    "limit_terms",
    "include_fields",
    "exclude_options",
)
_FIELDS_NAMES: typing.Final = ("kind",)
_EXPORT_LISTS: typing.Final = ("kind", "sort")
_EXPORT_SINGLE: typing.Final = ("q", "all_projects", "as_of", "with_texts")
_DIFF_LISTS: typing.Final = ("kind",)
_DIFF_SINGLE: typing.Final = ("q", "all_projects", "as_of", "as_of_other")
_EXPORT_PAGE: typing.Final = 500
_EXPORT_SORT: typing.Final = ("path",)
_DEFAULT_OPTIONS: typing.Final = 10


def find_matches(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Search for what the query string says."""
    schema.check_names(req.params, (*_LISTS, *_SINGLE))
    query.check_single(req, _SINGLE)
    return _page(backend, req, {"q": "", **_given(req)})


def find_saved_matches(
    backend: backends.Backend, req: web.Request, search_name: str
) -> web.Answer:
    """Search for what a saved search says, and the query string changes."""
    names = [each for each in _SINGLE if each != "q"]
    schema.check_names(req.params, (*_LISTS, *names))
    query.check_single(req, names)
    given = _given(req)
    saved = backend.search.find_saved(req.caller, search_name)
    return _page(backend, req, {**saved["search"], **given})


def _page(
    backend: backends.Backend, req: web.Request, content: schema.Body
) -> web.Answer:
    """Return a page of hits, with the link to the next one."""
    schema.check_body(content)
    found = _find(backend, req, content)
    if found["next"] is not None:
        found["links"] = query.next_links(req, str(found["next"]))
    return web.Answer(found)


def ask(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Search for what the body says, ours with q or Searchlight's."""
    content = body.read(req, backend.limits.max_json_body_size)
    if "q" in content:
        return web.Answer(_find(backend, req, content))
    asked = searchlight_schema.parse_search(content)
    scope = _scope(backend, req, is_of_all=asked.is_of_all)
    _limited(backend, asked.request)
    try:
        facts = backend.search.query(req.caller, asked.request, scope)
    except errors.Invalid as e:
        raise asked.placed(e) from e
    return web.Answer(searchlight_views.found(facts, asked))


def export(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Send all hits of a search, a line of JSON for each."""
    schema.check_names(req.params, (*_EXPORT_LISTS, *_EXPORT_SINGLE))
    query.check_single(req, _EXPORT_SINGLE)
    content: schema.Body = {
        "q": "",
        # Other orders change while it is sent.
        "sort": list(_EXPORT_SORT),
        **_given(req),
        "limit": _EXPORT_PAGE,
        "highlight": False,
    }
    schema.check_body(content)
    asked = schema.parse_search(content)
    if "as_of" in asked.request:
        backend.rules.check(req.caller, "search:as_of")
    with_texts = asked.request["with_texts"]

    def read(cursor: str | None) -> export_stream.Page:
        scope = _scope(backend, req, is_of_all=asked.is_of_all)
        request: contract.SearchRequest = {**asked.request}
        if cursor is not None:
            request["cursor"] = cursor
        found = backend.search.query(req.caller, request, scope)
        return export_stream.Page(
            [
                views.hit(req.base_url, each, with_texts=with_texts)
                for each in found["hits"]
            ],
            found["next"],
            views.hint_of(found),
        )

    return _streamed(backend, req, read)


def diff(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Send what appeared, went and changed between two moments."""
    schema.check_names(req.params, (*_DIFF_LISTS, *_DIFF_SINGLE))
    query.check_single(req, _DIFF_SINGLE)
    kinds = query.list_words(req, "kind")
    schema.check_parameters({"kind": kinds})
    as_of = query.find_parameter(req, "as_of")
    if as_of is None:
        raise errors.Invalid("as_of is missing: give the earlier moment.")
    request: contract.DifferencesRequest = {
        "q": query.find_parameter(req, "q") or "",
        "kinds": kinds,
        "as_of": schema.moment_of(as_of),
    }
    other = query.find_parameter(req, "as_of_other")
    if other is not None:
        request["as_of_other"] = schema.moment_of(other, "as_of_other")
    is_of_all = query.get_boolean(req, "all_projects")

    def read(cursor: str | None) -> export_stream.Page:
        scope = _scope(backend, req, is_of_all=is_of_all)
        more: contract.DifferencesRequest = {**request}
        if cursor is not None:
            more["cursor"] = cursor
        found = backend.search.differences(req.caller, more, scope)
        return export_stream.Page(
            [
                views.difference(req.base_url, each)
                for each in found["differences"]
            ],
            found["next"],
            views.hint_of(found),
        )

    return _streamed(backend, req, read)


def _streamed(
    backend: backends.Backend, req: web.Request, read: export_stream.Read
) -> web.Answer:
    """Return an answer that is read page by page while it is sent."""
    renewal = caller_renewal.CallerRenewal(req, backend.clock)
    with backend.streams.taken(req) as held:
        stream = export_stream.ExportStream(
            read, renewal.renew, read(None), held
        )
    return web.Answer(stream=stream, stream_type=web.JSON_LINES)


def _find(
    backend: backends.Backend, req: web.Request, content: schema.Body
) -> views.View:
    asked, scope = read_request(backend, req, content)
    _limited(backend, asked.request)
    facts = backend.search.query(req.caller, asked.request, scope)
    with_texts = asked.request["with_texts"]
    found = views.found(req.base_url, facts, with_texts=with_texts)
    if asked.aggregations:
        found["aggregations"] = aggregation_views.view(
            asked.aggregations, facts["aggregations"]
        )
    return found


def read_request(
    backend: backends.Backend, req: web.Request, content: schema.Body
) -> tuple[schema.SearchInput, contract.SearchScope]:
    """Return what a body asks for, and what its caller may find.

    :raises orch.errors.Forbidden: the caller may not ask for that
    """
    asked = schema.parse_search(content)
    if "as_of" in asked.request:
        backend.rules.check(req.caller, "search:as_of")
    return asked, _scope(backend, req, is_of_all=asked.is_of_all)


def _scope(
    backend: backends.Backend, req: web.Request, *, is_of_all: bool
) -> contract.SearchScope:
    """Return what the caller may find.

    :param is_of_all: of all projects, not of the caller's
    :raises orch.errors.Forbidden: the caller may not search all
    """
    if is_of_all:
        backend.rules.check(req.caller, "search:all_projects")
    project_id = req.caller.project_id or ""
    return {
        "project_ids": None if is_of_all else [project_id],
        "is_admin": backend.rules.may(req.caller, "search:admin_fields"),
    }


def _limited(
    backend: backends.Backend, request: contract.SearchRequest
) -> None:
    """Let the answer have no more hits than the operator allows."""
    most = backend.limits.page_limit
    if most >= 0:
        request["limit"] = min(request["limit"], most)


def facets(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Show types, their fields and values, as Searchlight does."""
    schema.check_names(req.params, _FACETS_NAMES)
    query.check_single(req, _FACETS_NAMES)
    searchlight_schema.check_index(query.find_parameter(req, "index"))
    scope = _scope(
        backend, req, is_of_all=query.get_boolean(req, "all_projects")
    )
    only = query.find_parameter(req, "type")
    size = query.find_integer(req, "limit_terms") or _DEFAULT_OPTIONS
    has_fields = query.get_boolean(req, "include_fields", default=True)
    has_options = not query.get_boolean(req, "exclude_options")
    schema.check_parameters(
        {"limit_terms": size, **({"type": only} if only else {})}
    )
    found = backend.search.facets(
        req.caller,
        {
            "type": only,
            "values": size if has_fields and has_options else 0,
            "has_fields": has_fields,
        },
        scope,
    )
    return web.Answer(
        {
            each["type"]: searchlight_views.facets(each, has_fields)
            for each in found
        }
    )


def fields(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the fields that can be searched."""
    schema.check_names(req.params, _FIELDS_NAMES)
    kinds = query.list_words(req, "kind")
    schema.check_parameters({"kind": kinds})
    scope = _scope(backend, req, is_of_all=False)
    found = backend.search.fields(req.caller, scope, kinds)
    return web.Answer({"fields": found})


def plugins(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the kinds of what can be searched, as Searchlight does."""
    found = backend.search.plugins(req.caller)
    return web.Answer({"plugins": [views.plugin(each) for each in found]})


def status(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Show the state of the index."""
    found = backend.search.status(req.caller)
    return web.Answer({"search": views.status(found)})


def _given(req: web.Request) -> schema.Body:
    """Return what the query string says, as a body says it."""
    cursor = query.find_parameter(req, "cursor")
    marker = query.find_parameter(req, "marker")
    if cursor is not None and marker is not None:
        raise errors.Invalid("cursor and marker say the same: give one.")
    found: schema.Body = {
        "q": query.find_parameter(req, "q"),
        "kinds": query.list_words(req, "kind"),
        "sort": query.list_words(req, "sort"),
        "facets": [
            schema.facet_text(each) for each in query.list_words(req, "facet")
        ],
        "statistics": query.list_words(req, "stats"),
        "cursor": cursor if cursor is not None else marker,
        "limit": query.find_integer(req, "limit"),
        "offset": query.find_integer(req, "offset"),
        "as_of": query.find_parameter(req, "as_of"),
        **{
            name: query.get_boolean(req, name)
            for name in ("highlight", "all_projects", "with_texts")
            if name in req.params
        },
    }
    return {
        name: each for name, each in found.items() if each not in (None, [])
    }
