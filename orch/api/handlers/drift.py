"""What was seen of stacks in the world; no such address exists in Heat."""

from orch.api import body
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.schemas import drift as schema
from orch.api.views import facts as facts_
from orch.rpc import contract


def show(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show what was seen last, of the states that the query names."""
    wanted = schema.states_of(query.find_all(req, "state"))
    limit = query.page_limit(req, backend.limits.page_limit)
    marker = query.find_parameter(req, "marker")
    facts = backend.drift.show(
        req.caller, stack_id, wanted, limit=limit, marker=marker
    )
    shown = facts_.view(facts, contract.DriftFacts, req.base_url)
    return _page(req, {"drift": shown}, facts.get("last"))


def history(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show what has drifted, and how it ended, the newest first."""
    facts = backend.drift.history(
        req.caller,
        stack_id,
        limit=query.page_limit(req, backend.limits.page_limit),
        marker=query.find_parameter(req, "marker"),
    )
    return _page(req, facts_.view(facts, contract.DriftHistory), facts["last"])


def show_policy(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show what is to be done about drift."""
    found = backend.drift.show_policy(req.caller, stack_id)
    return web.Answer({"policy": found})


def set_policy(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Set what is to be done about drift."""
    asked = body.read(req, backend.limits.max_json_body_size)
    found = backend.drift.set_policy(req.caller, stack_id, asked["policy"])
    return web.Answer({"policy": found})


def show_pause(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Show whether the observer pauses for the caller's project."""
    return _pause(backend.drift.show_pause(req.caller))


def pause(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Let the observer pause for the caller's project, or for all."""
    is_of_all = _is_of_all(backend, req)
    return _pause(backend.drift.pause(req.caller, is_of_all=is_of_all))


def resume(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Let the observer go on."""
    is_of_all = _is_of_all(backend, req)
    return _pause(backend.drift.resume(req.caller, is_of_all=is_of_all))


def _is_of_all(backend: backends.Backend, req: web.Request) -> bool:
    """Whether a request is about all projects.

    :raises orch.errors.Forbidden: the caller may not ask that
    """
    is_of_all = query.get_boolean(req, "all_projects")
    if is_of_all:
        backend.rules.check(req.caller, "drift:pause_all_projects")
    return is_of_all


def template(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show a template in which the drift is wanted."""
    facts = backend.drift.template(req.caller, stack_id)
    return web.Answer(facts_.view(facts, contract.DriftTemplate))


def act(
    backend: backends.Backend,
    req: web.Request,
    stack_id: str,
    action: str,
    asked: web.Body,
) -> web.Answer:
    """Do one of the actions on a stack that are about its drift."""
    if action == schema.OBSERVE:
        facts = backend.drift.observe(req.caller, stack_id)
        shown = facts_.view(facts, contract.DriftRequested)
        return web.Answer({"drift": shown}, status=202)
    if action == schema.UNDO:
        undone = backend.drift.undo_accept(
            req.caller, stack_id, asked.get("resources")
        )
        return web.Answer({"undone": undone["undone"]})
    accepted = backend.drift.accept(
        req.caller,
        stack_id,
        asked.get("resources"),
        asked.get("properties"),
    )
    return web.Answer({"accepted": accepted["accepted"]})


def _page(
    req: web.Request, shown: dict[str, object], last: str | None
) -> web.Answer:
    """Return a page, with a link to the next one where more may follow."""
    if last is None:
        return web.Answer(shown)
    return web.Answer({**shown, "links": query.next_links(req, last)})


def _pause(facts: contract.DriftPause) -> web.Answer:
    return web.Answer({"pause": facts_.view(facts, contract.DriftPause)})
