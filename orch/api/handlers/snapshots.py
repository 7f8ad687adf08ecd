"""Snapshots of a stack."""

from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.handlers import dispatch
from orch.api.schemas import retry
from orch.api.schemas import snapshots as schema
from orch.api.views import snapshots as views
from orch.api.views import stacks as stack_views
from orch.rpc import contract


class Snapshots:
    """Addresses ``/stacks/{name}/{stack_id}/snapshots`` and below."""

    def __init__(
        self,
        client: contract.Snapshots,
        starter: dispatch.Starter,
        limits: settings.Settings,
    ) -> None:
        self._snapshots = client
        self._starter = starter
        self._limits = limits

    def create(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Accept a snapshot, and show it as it begins."""
        asked = body.read(
            req,
            self._limits.max_json_body_size,
            lambda asked: retry.rule_of(asked, "stacks:snapshot"),
        )
        options = schema.options_of(asked)
        label = None if "retry" in options else schema.name_of(asked)
        begun = self._snapshots.create(req.caller, stack_id, label, options)
        self._starter.start(req.caller, begun["accepted"])
        return web.Answer(views.snapshot(begun["snapshot"]))

    def index(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """List the snapshots of a stack."""
        listed = self._snapshots.list(req.caller, stack_id)
        return web.Answer(
            {"snapshots": [views.snapshot(each) for each in listed]}
        )

    def show(
        self, req: web.Request, name: str, stack_id: str, snapshot_id: str
    ) -> web.Answer:
        """Show a snapshot with what it holds."""
        facts = self._snapshots.show(req.caller, stack_id, snapshot_id)
        return web.Answer({"snapshot": views.snapshot(facts)})

    def delete(
        self, req: web.Request, name: str, stack_id: str, snapshot_id: str
    ) -> web.Answer:
        """Remove a snapshot."""
        self._snapshots.delete(req.caller, stack_id, snapshot_id)
        return web.Answer(status=204)

    def restore(
        self, req: web.Request, name: str, stack_id: str, snapshot_id: str
    ) -> web.Answer:
        """Accept that the stack goes back to a snapshot."""
        asked = body.read_any(
            req,
            self._limits.max_json_body_size,
            lambda asked: retry.rule_of(asked, "stacks:restore_snapshot"),
        )
        done = self._snapshots.restore(
            req.caller, stack_id, snapshot_id, schema.options_of(asked)
        )
        self._starter.start(req.caller, done)
        return web.Answer(stack_views.ACCEPTED, status=202)
