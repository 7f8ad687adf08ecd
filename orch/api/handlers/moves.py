"""Resources that go from one stack to another."""

from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.handlers import dispatch
from orch.api.schemas import moves as schema
from orch.api.views import facts as facts_
from orch.rpc import contract


class Moves:
    """Address ``/stacks/{name}/{stack_id}/move`` and its preview."""

    def __init__(
        self,
        client: contract.Moves,
        starter: dispatch.Starter,
        limits: settings.Settings,
    ) -> None:
        self._moves = client
        self._starter = starter
        self._limits = limits

    def move(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Move resources to another stack."""
        request = self._read(req)
        moved = self._moves.move(req.caller, stack_id, request)
        for update in moved["updates"]:
            self._starter.start(req.caller, update)
        view = facts_.view(moved, contract.Moved, req.base_url)
        return web.Answer({"move": view}, 202)

    def preview(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Show what the same move would do."""
        request = self._read(req)
        facts = self._moves.preview(req.caller, stack_id, request)
        view = facts_.view(facts, contract.MovePreview, req.base_url)
        return web.Answer({"move": view})

    def _read(self, req: web.Request) -> contract.MoveRequest:
        asked = body.read(req, self._limits.max_json_body_size)
        return schema.parse_request(asked)
