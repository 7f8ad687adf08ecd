"""Software configs."""

from orch.api import body
from orch.api import query
from orch.api import settings
from orch.api import web
from orch.api.schemas import software_configs as schema
from orch.api.views import software as views
from orch.policies import enforcer
from orch.rpc import contract


class SoftwareConfigs:
    """Addresses ``/software_configs`` and below."""

    def __init__(
        self,
        client: contract.SoftwareConfigs,
        rules: enforcer.Enforcer,
        limits: settings.Settings,
    ) -> None:
        self._configs = client
        self._rules = rules
        self._limits = limits

    def index(self, req: web.Request) -> web.Answer:
        """List the configs of the project, or of all projects."""
        is_global = query.get_boolean(req, "global_tenant")
        if is_global:
            self._rules.check(req.caller, "software_configs:global_index")
        else:
            self._rules.check_project(req.caller)
        found = self._configs.list(
            req.caller,
            limit=query.page_limit(req, self._limits.page_limit),
            marker=query.find_parameter(req, "marker"),
            all_projects=is_global,
        )
        return web.Answer(
            {
                "software_configs": [
                    views.summary(each, with_project=is_global)
                    for each in found
                ]
            }
        )

    def create(self, req: web.Request) -> web.Answer:
        """Store a config."""
        asked = body.read(req, self._limits.max_json_body_size)
        made = self._configs.create(req.caller, schema.parse_request(asked))
        return web.Answer({"software_config": views.config(made)})

    def show(self, req: web.Request, config_id: str) -> web.Answer:
        """Show a config with what it says."""
        found = self._configs.show(req.caller, config_id)
        return web.Answer({"software_config": views.config(found)})

    def delete(self, req: web.Request, config_id: str) -> web.Answer:
        """Remove a config."""
        self._configs.delete(req.caller, config_id)
        return web.Answer(status=204)
