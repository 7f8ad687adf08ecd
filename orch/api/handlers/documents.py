"""What a stack was made from, and what it gives: documents of a stack."""

from orch.api import web
from orch.api.handlers import backends
from orch.api.views import stacks as views


def template(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show the template in force."""
    return web.Answer(backend.stacks.template(req.caller, stack_id))


def environment(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show the merged environment."""
    return web.Answer(backend.stacks.environment(req.caller, stack_id))


def files(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show the files beside the template."""
    return web.Answer(backend.stacks.files(req.caller, stack_id))


def outputs(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """List the outputs without their values."""
    found = backend.stacks.outputs(req.caller, stack_id)
    return web.Answer({"outputs": [views.output_name(one) for one in found]})


def output(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    key: str,
) -> web.Answer:
    """Show one output with its value."""
    found = backend.stacks.output(req.caller, stack_id, key)
    return web.Answer({"output": views.output(found)})
