"""Software deployments."""

from orch.api import body
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.views import facts
from orch.api.views import software as views
from orch.rpc import contract


def index(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the deployments of the project, or those to one server."""
    server_id = query.find_parameter(req, "server_id")
    found = backend.software_deployments.list(req.caller, server_id)
    shown = facts.views(found, contract.SoftwareDeploymentFacts)
    return web.Answer({"software_deployments": shown})


def metadata(
    backend: backends.Backend, req: web.Request, server_id: str
) -> web.Answer:
    """Show what the agent of a server has to apply."""
    found = backend.software_deployments.poll(req.caller, server_id)
    return web.Answer(views.polled(found))


def create(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Store a deployment."""
    asked = body.read(req, backend.limits.max_json_body_size)
    made = backend.software_deployments.create(req.caller, _creation(asked))
    return _answer(made)


def show(
    backend: backends.Backend, req: web.Request, deployment_id: str
) -> web.Answer:
    """Show a deployment."""
    found = backend.software_deployments.show(req.caller, deployment_id)
    return _answer(found)


def update(
    backend: backends.Backend, req: web.Request, deployment_id: str
) -> web.Answer:
    """Change a deployment, for example say how it went."""
    asked = body.read(req, backend.limits.max_json_body_size)
    changed = backend.software_deployments.update(
        req.caller, deployment_id, _change(asked)
    )
    return _answer(changed)


def delete(
    backend: backends.Backend, req: web.Request, deployment_id: str
) -> None:
    """Remove a deployment."""
    backend.software_deployments.delete(req.caller, deployment_id)


def _answer(found: contract.SoftwareDeploymentFacts) -> web.Answer:
    shown = facts.view(found, contract.SoftwareDeploymentFacts)
    return web.Answer({"software_deployment": shown})


def _creation(body: web.Body) -> contract.SoftwareDeploymentRequest:
    """Return the deployment that is to be stored; other keys are ignored."""
    return {
        **_shared(body),
        "config_id": body["config_id"],
        "server_id": body["server_id"],
        "stack_user_project_id": body.get("stack_user_project_id"),
    }


def _change(body: web.Body) -> contract.SoftwareDeploymentRequest:
    """Return what is to be changed; other keys are ignored."""
    request = _shared(body)
    request["output_values"] = body.get("output_values")
    if body.get("config_id"):
        request["config_id"] = body["config_id"]
    return request


def _shared(body: web.Body) -> contract.SoftwareDeploymentRequest:
    return contract.SoftwareDeploymentRequest(
        input_values=body.get("input_values"),
        action=body.get("action"),
        status=body.get("status"),
        status_reason=body.get("status_reason"),
    )
