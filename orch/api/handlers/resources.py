"""The resources of a stack, and their moves to another one."""

from orch import errors
from orch.api import body
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.schemas import moves
from orch.api.views import facts as facts_
from orch.api.views import resources as views
from orch.rpc import contract

_FILTERS = (
    "type",
    "status",
    "name",
    "action",
    "id",
    "physical_resource_id",
)
_MARK = "mark_unhealthy"
_KEYS = {*_FILTERS, "nested_depth", "with_detail"}


def index(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """List the resources that the query string asks for."""
    unknown = sorted(set(req.params) - _KEYS)
    if unknown:
        raise errors.Invalid(
            f"Unknown query parameters: {', '.join(unknown)}."
        )
    found = backend.resources.list(
        req.caller,
        stack_id,
        nested_depth=query.find_integer(req, "nested_depth") or 0,
        with_attributes=query.get_boolean(req, "with_detail"),
        filters={
            key: query.find_all(req, key)
            for key in _FILTERS
            if key in req.params
        },
    )
    return web.Answer({"resources": views.many(req.base_url, found)})


def show(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    resource: str,
) -> web.Answer:
    """Show a resource with its attributes, read live."""
    found = backend.resources.show(
        req.caller, stack_id, resource, query.find_all(req, "with_attr")
    )
    return web.Answer({"resource": views.full(req.base_url, found)})


def metadata(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    resource: str,
) -> web.Answer:
    """Show the metadata of a resource."""
    found = backend.resources.metadata(req.caller, stack_id, resource)
    return web.Answer({"metadata": found})


def mark(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    resource: str,
) -> web.Answer:
    """Store that a resource is not well, or is so again.

    :param resource: its name or its physical id
    """
    asked = body.read(req, backend.limits.max_json_body_size)
    backend.resources.mark_unhealthy(
        req.caller,
        stack_id,
        resource,
        is_unhealthy=query.parse_boolean(_MARK, asked[_MARK]),
        reason=asked.get("resource_status_reason"),
    )
    return web.Answer(None)


def answer(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    resource: str,
) -> web.Answer:
    """Store what became of a creation whose outcome is unknown."""
    asked = body.read(req, backend.limits.max_json_body_size)
    found = backend.resources.answer_outcome(
        req.caller,
        stack_id,
        resource,
        physical_id=asked.get("physical_id"),
    )
    return web.Answer({"resource": views.one(req.base_url, found)})


def revoke(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    resource: str,
) -> None:
    """Let the addresses of a resource take no signals any more."""
    backend.resources.revoke_addresses(req.caller, stack_id, resource)


def signal(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    resource: str,
) -> web.Answer:
    """Take in a signal, and wake the workers up for what goes on."""
    details = body.read_any(req, backend.limits.max_json_body_size)
    done = backend.resources.signal(req.caller, stack_id, resource, details)
    backend.start(req.caller, done["accepted"])
    return web.Answer(None)


def move(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Move resources to another stack."""
    request = _move_request(backend, req)
    moved = backend.moves.move(req.caller, stack_id, request)
    for update in moved["updates"]:
        backend.start(req.caller, update)
    view = facts_.view(moved, contract.Moved, req.base_url)
    return web.Answer({"move": view}, 202)


def preview_move(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show what the same move would do."""
    request = _move_request(backend, req)
    facts = backend.moves.preview(req.caller, stack_id, request)
    view = facts_.view(facts, contract.MovePreview, req.base_url)
    return web.Answer({"move": view})


def _move_request(
    backend: backends.Backend, req: web.Request
) -> contract.MoveRequest:
    return moves.parse_request(
        body.read(req, backend.limits.max_json_body_size)
    )
