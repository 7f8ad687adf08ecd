"""The operations of a stack; no such address exists in Heat."""

from orch.api import web
from orch.api.views import operations as views
from orch.rpc import contract


class Operations:
    """Addresses ``/stacks/{name}/{stack_id}/operations`` and below."""

    def __init__(self, client: contract.Operations) -> None:
        self._operations = client

    def index(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """List the operations of a stack."""
        stack_url = _stack_url(req)
        found = self._operations.list(req.caller, stack_id)
        return web.Answer(
            {
                "operations": [
                    views.operation(req.base_url, stack_url, one)
                    for one in found
                ]
            }
        )

    def show(
        self, req: web.Request, name: str, stack_id: str, operation_id: str
    ) -> web.Answer:
        """Show an operation: how far it is, and what failed."""
        found = self._operations.show(req.caller, stack_id, operation_id)
        return web.Answer(
            {
                "operation": views.operation(
                    req.base_url, _stack_url(req), found
                )
            }
        )


def _stack_url(req: web.Request) -> str:
    """Return the address of the stack that the request's path begins with."""
    return req.base_url + req.path.partition("/operations")[0]
