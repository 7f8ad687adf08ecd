"""What an update would do, without doing it."""

from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.handlers import stack_request
from orch.api.schemas import adoption
from orch.api.schemas import stacks as schema
from orch.api.views import previews as views
from orch.rpc import contract


def update(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show what the same PUT of the stack would do."""
    return _preview(backend, req, name, stack_id, is_patch=False)


def patch(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show what the same PATCH of the stack would do."""
    return _preview(backend, req, name, stack_id, is_patch=True)


def _preview(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    *,
    is_patch: bool,
) -> web.Answer:
    request = stack_request.read(backend, req, needs_template=not is_patch)
    options: contract.StackOptions = {
        **schema.update_options_of(request.body, is_patch=is_patch),
        **adoption.ids_of(request.body),
        "show_nested": query.get_boolean(req, "show_nested"),
    }
    facts = backend.plans.preview_update(
        req.caller, stack_id, request.inputs, options
    )
    return web.Answer(views.update(facts))
