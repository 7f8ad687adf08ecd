"""Software configs."""

from orch.api import body
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.schemas import software_configs as schema
from orch.api.views import software as views


def index(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List the configs of the project, or of all projects."""
    is_global = query.get_boolean(req, "global_tenant")
    if is_global:
        backend.rules.check(req.caller, "software_configs:global_index")
    else:
        backend.rules.check_project(req.caller)
    found = backend.software_configs.list(
        req.caller,
        limit=query.page_limit(req, backend.limits.page_limit),
        marker=query.find_parameter(req, "marker"),
        all_projects=is_global,
    )
    return web.Answer(
        {
            "software_configs": [
                views.summary(each, with_project=is_global) for each in found
            ]
        }
    )


def create(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Store a config."""
    asked = body.read(req, backend.limits.max_json_body_size)
    made = backend.software_configs.create(
        req.caller, schema.parse_request(asked)
    )
    return web.Answer({"software_config": views.config(made)})


def show(
    backend: backends.Backend, req: web.Request, config_id: str
) -> web.Answer:
    """Show a config with what it says."""
    found = backend.software_configs.show(req.caller, config_id)
    return web.Answer({"software_config": views.config(found)})


def delete(
    backend: backends.Backend, req: web.Request, config_id: str
) -> None:
    """Remove a config."""
    backend.software_configs.delete(req.caller, config_id)
