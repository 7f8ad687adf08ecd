"""A stack's life: list, preview, create, show, delete."""

import collections.abc
import typing

from orch.api import body
from orch.api import conditions
from orch.api import links
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.handlers import stack_request
from orch.api.schemas import adoption as adoption_schema
from orch.api.schemas import retry
from orch.api.schemas import stacks as schema
from orch.api.views import previews
from orch.api.views import stacks as views
from orch.rpc import contract

# Some columns have two names on the wire, an old and a new one.
_COLUMNS = {
    "id": "id",
    "name": "name",
    "stack_name": "name",
    "action": "action",
    "stack_action": "action",
    "tenant": "project_id",
    "username": "username",
    "stack_owner": "username",
    "owner_id": "parent_id",
    "parent": "parent_id",
    "disable_rollback": "disable_rollback",
    "timeout_mins": "timeout_mins",
}
_SORT_KEYS = {
    "stack_name": "name",
    "stack_status": "status",
    "creation_time": "created_at",
    "updated_time": "updated_at",
}
_STATUSES = ("IN_PROGRESS", "COMPLETE", "FAILED")
_CREATE, _ADOPT, _TAKE_OVER = "create", "adopt", "take_over"


def stack_query(
    req: web.Request,
    page_limit: int,
    hidden_tags: collections.abc.Sequence[str] = (),
) -> contract.StackQuery:
    """Return what the query string asks for; unknown keys are ignored.

    :param hidden_tags: stacks with one of them are left out, unless
        ``show_hidden`` asks for them

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    found = {
        **query.paging(req, page_limit, _SORT_KEYS),
        "filters": _filters(req),
        "tags": query.list_words(req, "tags"),
        "tags_any": query.list_words(req, "tags_any"),
        "not_tags": query.list_words(req, "not_tags"),
        "not_tags_any": query.list_words(req, "not_tags_any"),
        "show_deleted": query.get_boolean(req, "show_deleted"),
        "show_nested": query.get_boolean(req, "show_nested"),
        "all_projects": query.get_boolean(req, "global_tenant"),
    }
    if not query.get_boolean(req, "show_hidden"):
        found["not_tags_any"] = [*found["not_tags_any"], *hidden_tags]
    return typing.cast(contract.StackQuery, found)


def _filters(req: web.Request) -> dict[str, list[str]]:
    filters: dict[str, list[str]] = {}
    for key, column in _COLUMNS.items():
        values = query.find_all(req, key)
        if values:
            filters.setdefault(column, []).extend(values)
    for key in ("status", "stack_status"):
        for value in query.find_all(req, key):
            _add_status(filters, value)
    return filters


def _add_status(filters: dict[str, list[str]], value: str) -> None:
    """Add a status, which may have its action in front of it."""
    action, _, status = value.partition("_")
    if value not in _STATUSES and status in _STATUSES:
        filters.setdefault("action", []).append(action)
        value = status
    filters.setdefault("status", []).append(value)


def index(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the stacks that the query string asks for."""
    asked = stack_query(
        req, backend.limits.page_limit, backend.limits.hidden_stack_tags
    )
    if asked["all_projects"]:
        backend.rules.check(req.caller, "stacks:global_index")
    else:
        backend.rules.check_project(req.caller)
    page = _page(backend, req, asked)
    if query.get_boolean(req, "with_count"):
        page["count"] = backend.stacks.count(req.caller, asked)
    return web.Answer(page)


def _page(
    backend: backends.Backend, req: web.Request, asked: contract.StackQuery
) -> dict[str, object]:
    found = backend.stacks.list(req.caller, asked)
    with_project = asked["all_projects"] or bool(req.caller.is_admin)
    page: dict[str, object] = {
        "stacks": [
            views.summary(req.base_url, one, with_project=with_project)
            for one in found
        ]
    }
    if found and len(found) == asked["limit"]:
        page["links"] = query.next_links(req, found[-1]["id"])
    return page


def create(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Accept a new stack and wake the workers up for it."""
    asked = _read_new(
        backend, req, lambda asked: retry.rule_of(asked, "stacks:create")
    )
    again = retry.find_body_options(asked)
    if again is None:
        kind, told = _describe_new(backend, req, asked)
    else:
        name = asked["stack_name"]
        kind, told = _CREATE, {"name": name, "inputs": {}, "options": again}
    calls: dict[str, collections.abc.Callable[..., contract.Accepted]] = {
        _CREATE: backend.stacks.create,
        _ADOPT: backend.adoption.adopt,
        _TAKE_OVER: backend.hand_overs.take_over,
    }
    done = calls[kind](req.caller, **told)
    backend.start(req.caller, done)
    made = done["identity"]
    return web.Answer(
        {"stack": views.created(req.base_url, made)},
        status=201,
        location=links.stack(req.base_url, made),
    )


def preview(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Show the stack that the same create would make."""
    asked = _read_new(backend, req)
    kind, told = _describe_new(backend, req, asked)
    if kind != _CREATE or "external_ids" in told["options"]:
        # It shows what physical resources are like.
        backend.rules.check(req.caller, "stacks:create")
    calls: dict[str, collections.abc.Callable[..., contract.StackFacts]] = {
        _CREATE: backend.plans.preview_create,
        _ADOPT: backend.plans.preview_adoption,
        _TAKE_OVER: backend.hand_overs.preview,
    }
    facts = calls[kind](req.caller, **told)
    return web.Answer({"stack": views.preview(req.base_url, facts)})


def _describe_new(
    backend: backends.Backend, req: web.Request, asked: schema.Body
) -> tuple[str, dict[str, typing.Any]]:
    """Return how a new stack is made, and the arguments of that call."""
    data = adoption_schema.data_of(asked)
    hand_over = adoption_schema.hand_over_of(asked)
    is_creation = data is None and hand_over is None
    told = {
        "name": asked["stack_name"],
        "inputs": stack_request.read_inputs(
            backend, req.caller, asked, needs_template=is_creation
        ),
        "options": adoption_schema.options_of(asked, is_creation=is_creation),
    }
    if is_creation:
        return _CREATE, told
    told["request"] = adoption_schema.parse_request(asked)
    if hand_over is not None:
        return _TAKE_OVER, {**told, "hand_over": hand_over}
    return _ADOPT, {**told, "data": data}


def _read_new(
    backend: backends.Backend,
    req: web.Request,
    rule_of: body.RuleOf | None = None,
) -> schema.Body:
    """Return a body that describes a new stack, or one to adopt."""
    limits = backend.limits
    return body.read_long(
        req,
        limits.max_json_body_size,
        adoption_schema.DATA,
        limits.max_adoption_size,
        rule_of,
    )


def show(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show a stack, its outputs too unless told not to."""
    resolve = query.get_boolean(req, "resolve_outputs", default=True)
    facts = backend.stacks.show(req.caller, stack_id, resolve)
    shown = {"stack": views.full(req.base_url, facts)}
    return conditions.conditional_answer(req, facts.get("revision"), shown)


def update(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Accept that a stack changes; by PATCH in what the body names alone."""
    is_patch = req.method == "PATCH"
    asked = body.read(
        req,
        backend.limits.max_json_body_size,
        lambda asked: retry.rule_of(
            asked, _patch_rule_of(asked) if is_patch else "stacks:update"
        ),
    )
    again = retry.find_body_options(asked)
    if again is not None:
        inputs, options = contract.StackInputs(), again
    else:
        inputs = stack_request.read_inputs(
            backend, req.caller, asked, needs_template=not is_patch
        )
        options = {
            **schema.update_options_of(asked, is_patch=is_patch),
            **adoption_schema.ids_of(asked),
        }
    done = backend.stacks.update(req.caller, stack_id, inputs, options)
    backend.start(req.caller, done)
    return web.Answer(views.ACCEPTED, status=202)


def _patch_rule_of(asked: schema.Body) -> str:
    """Return the rule of a PATCH that is no retry."""
    is_change = any(
        key in schema.CHANGES and value not in (None, {}, [], "")
        for key, value in asked.items()
    )
    return "stacks:update_patch" if is_change else "stacks:update_no_change"


def delete(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> None:
    """Accept the end of a stack and wake the workers up for it."""
    asked = {"retry": query.find_parameter(req, "retry")}
    backend.rules.check(req.caller, retry.rule_of(asked, "stacks:delete"))
    again = retry.find_query_options(req)
    options = schema.delete_options_of(req) if again is None else again
    done = backend.stacks.delete(req.caller, stack_id, options)
    backend.start(req.caller, done)


def preview_update(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show what the same PUT or PATCH of the stack would do."""
    is_patch = req.method == "PATCH"
    request = stack_request.read(backend, req, needs_template=not is_patch)
    options: contract.StackOptions = {
        **schema.update_options_of(request.body, is_patch=is_patch),
        **adoption_schema.ids_of(request.body),
        "show_nested": query.get_boolean(req, "show_nested"),
    }
    facts = backend.plans.preview_update(
        req.caller, stack_id, request.inputs, options
    )
    return web.Answer(previews.update(facts))
