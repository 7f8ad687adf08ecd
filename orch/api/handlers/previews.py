"""What an update would do, without doing it."""

from orch.api import query
from orch.api import web
from orch.api.handlers import stack_request
from orch.api.schemas import adoption
from orch.api.schemas import stacks as schema
from orch.api.views import previews as views
from orch.rpc import contract


class Previews:
    """Address ``/stacks/{name}/{stack_id}/preview``."""

    def __init__(
        self,
        client: contract.Plans,
        reader: stack_request.StackRequestReader,
    ) -> None:
        self._plans = client
        self._reader = reader

    def update(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Show what the same PUT of the stack would do."""
        return self._preview(req, name, stack_id, is_patch=False)

    def patch(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Show what the same PATCH of the stack would do."""
        return self._preview(req, name, stack_id, is_patch=True)

    def _preview(
        self, req: web.Request, name: str, stack_id: str, *, is_patch: bool
    ) -> web.Answer:
        request = self._reader.read(req, needs_template=not is_patch)
        options: contract.StackOptions = {
            **schema.update_options_of(request.body, is_patch=is_patch),
            **adoption.ids_of(request.body),
            "show_nested": query.get_boolean(req, "show_nested"),
        }
        facts = self._plans.preview_update(
            req.caller, stack_id, request.inputs, options
        )
        return web.Answer(views.update(facts))
