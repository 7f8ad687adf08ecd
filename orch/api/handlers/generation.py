"""Handlers of templates generated from existing physical resources."""

from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.schemas import generation as schema
from orch.api.views import facts as facts_
from orch.rpc import contract


class Generation:
    """Address ``/stacks/generate``."""

    def __init__(
        self, client: contract.Adoption, limits: settings.Settings
    ) -> None:
        self._adoption = client
        self._limits = limits

    def generate(self, req: web.Request) -> web.Answer:
        """Show template and adoption document of things; nothing changes."""
        asked = body.read(req, self._limits.max_json_body_size)
        facts = self._adoption.generate(
            req.caller, schema.parse_request(asked)
        )
        return web.Answer(
            {
                "template": facts["document"]["template"],
                "adopt_stack_data": facts["document"],
                "omitted": facts_.views(
                    facts["omitted"], contract.OmittedResource
                ),
            }
        )
