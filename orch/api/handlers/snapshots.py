"""Snapshots of a stack."""

from orch.api import body
from orch.api import web
from orch.api.handlers import backends
from orch.api.schemas import retry
from orch.api.schemas import snapshots as schema
from orch.api.views import facts as facts_
from orch.api.views import stacks as stack_views
from orch.rpc import contract


def create(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Accept a snapshot, and show it as it begins."""
    asked = body.read(
        req,
        backend.limits.max_json_body_size,
        lambda asked: retry.rule_of(asked, "stacks:snapshot"),
    )
    options = retry.run_options_of(asked)
    label = None if "retry" in options else schema.name_of(asked)
    begun = backend.snapshots.create(req.caller, stack_id, label, options)
    backend.start(req.caller, begun["accepted"])
    return web.Answer(_view(begun["snapshot"]))


def index(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """List the snapshots of a stack."""
    listed = backend.snapshots.list(req.caller, stack_id)
    return web.Answer({"snapshots": [_view(each) for each in listed]})


def show(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    snapshot_id: str,
) -> web.Answer:
    """Show a snapshot with what it holds."""
    facts = backend.snapshots.show(req.caller, stack_id, snapshot_id)
    return web.Answer({"snapshot": _view(facts)})


def delete(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    snapshot_id: str,
) -> None:
    """Remove a snapshot."""
    backend.snapshots.delete(req.caller, stack_id, snapshot_id)


def restore(
    backend: backends.Backend,
    req: web.Request,
    name: str,
    stack_id: str,
    snapshot_id: str,
) -> web.Answer:
    """Accept that the stack goes back to a snapshot."""
    asked = body.read_any(
        req,
        backend.limits.max_json_body_size,
        lambda asked: retry.rule_of(asked, "stacks:restore_snapshot"),
    )
    done = backend.snapshots.restore(
        req.caller,
        stack_id,
        snapshot_id,
        retry.run_options_of(asked if isinstance(asked, dict) else {}),
    )
    backend.start(req.caller, done)
    return web.Answer(stack_views.ACCEPTED, status=202)


def _view(facts: contract.SnapshotFacts) -> dict[str, object]:
    """Return a snapshot; its action is always this one in Heat."""
    return {
        **facts_.view(facts, contract.SnapshotFacts),
        "action": "CREATE",
        "status_reason": facts["status_reason"] or None,
    }
