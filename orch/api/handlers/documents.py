"""What a stack was made from, and what it gives: documents of a stack."""

from orch.api import web
from orch.api.views import stacks as views
from orch.rpc import contract


class Documents:
    """Addresses ``template``, ``environment``, ``files``, ``outputs``."""

    def __init__(self, client: contract.Stacks) -> None:
        self._stacks = client

    def template(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Show the template in force."""
        return web.Answer(self._stacks.template(req.caller, stack_id))

    def environment(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Show the merged environment."""
        return web.Answer(self._stacks.environment(req.caller, stack_id))

    def files(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Show the files beside the template."""
        return web.Answer(self._stacks.files(req.caller, stack_id))

    def outputs(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """List the outputs without their values."""
        found = self._stacks.outputs(req.caller, stack_id)
        return web.Answer(
            {"outputs": [views.output_name(one) for one in found]}
        )

    def output(
        self, req: web.Request, name: str, stack_id: str, key: str
    ) -> web.Answer:
        """Show one output with its value."""
        found = self._stacks.output(req.caller, stack_id, key)
        return web.Answer({"output": views.output(found)})
