"""Searches that users save under a name; no such address exists in Heat."""

import typing
import urllib.parse

from orch.api import body
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.handlers import search
from orch.api.schemas import search as schema
from orch.api.views import facts as facts_
from orch.rpc import contract

_DELETE_NAMES: typing.Final = ("is_shared",)


def index(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the searches of the user, and those that the project shares."""
    schema.check_names(req.params, ())
    found = backend.search.list_saved(req.caller)
    views = facts_.views(found, contract.SavedSearchFacts)
    return web.Answer({"saved_searches": views})


def create(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Save a search under a name that is not in use."""
    content = body.read(req, backend.limits.max_json_body_size)
    answer = _save(backend, req, content["name"], content, is_new=True)
    path = urllib.parse.quote(content["name"], "")
    return web.Answer(
        answer, status=201, location=f"{req.base_url}{req.path}/{path}"
    )


def replace(
    backend: backends.Backend, req: web.Request, search_name: str
) -> web.Answer:
    """Save a search, in place of the one that has the name."""
    content = body.read(req, backend.limits.max_json_body_size)
    return web.Answer(_save(backend, req, search_name, content, is_new=False))


def show(
    backend: backends.Backend, req: web.Request, search_name: str
) -> web.Answer:
    """Show a saved search."""
    schema.check_names(req.params, ())
    found = backend.search.find_saved(req.caller, search_name)
    return web.Answer({"saved_search": _view(found)})


def delete(
    backend: backends.Backend, req: web.Request, search_name: str
) -> None:
    """Delete a saved search."""
    schema.check_names(req.params, _DELETE_NAMES)
    query.check_single(req, _DELETE_NAMES)
    is_shared = query.get_boolean(req, "is_shared")
    if is_shared:
        backend.rules.check(req.caller, "search:share")
    backend.search.forget_saved(req.caller, search_name, is_shared=is_shared)


def _save(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    content: web.Body,
    *,
    is_new: bool,
) -> dict[str, object]:
    saved = schema.saved_input(name, content)
    if saved["is_shared"]:
        backend.rules.check(req.caller, "search:share")
    asked, scope = search.read_request(backend, req, content["search"])
    facts = backend.search.save(
        req.caller, saved, asked.request, scope, is_new=is_new
    )
    return {"saved_search": _view(facts)}


def _view(facts: contract.SavedSearchFacts) -> facts_.View:
    return facts_.view(facts, contract.SavedSearchFacts)
