"""Which versions of the template language there are."""

from orch.api import query
from orch.api import web
from orch.rpc import contract


class TemplateVersions:
    """Addresses ``/template_versions`` and below."""

    def __init__(self, client: contract.Templates) -> None:
        self._templates = client

    def index(self, req: web.Request) -> web.Answer:
        """List the versions."""
        found = self._templates.versions(req.caller)
        return web.Answer({"template_versions": found})

    def functions(self, req: web.Request, version: str) -> web.Answer:
        """List the functions of a version, those of conditions if asked."""
        found = self._templates.functions(
            req.caller, version, query.get_boolean(req, "with_condition_func")
        )
        return web.Answer({"template_functions": found})
