"""Plans, as the wire shows them."""

from orch.api import links
from orch.api.views import lifecycle
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def plan(facts: contract.PlanFacts) -> View:
    """Return what an operation does, in order."""
    view: View = {
        "action": facts["action"],
        "text": facts["text"],
        "changes": [_change(each) for each in facts["changes"]],
        "unchanged": facts["unchanged"],
        "returns": facts["returns"],
        "skipped": facts["skipped"],
        "orphans": facts["orphans"],
        "warnings": facts.get("warnings", []),
    }
    if "verdicts" in facts:
        view["verdicts"] = lifecycle.verdicts(facts["verdicts"])
    return view


def saved_plan(stack_url: str, facts: contract.SavedPlanFacts) -> View:
    """Return a plan that can be run; what it does where that came."""
    href = f"{stack_url}/plans/{facts['id']}"
    view: View = {
        "id": facts["id"],
        "links": [links.link("self", href), links.link("stack", stack_url)],
        "request": facts["request"],
        "action": facts["action"],
        "basis": facts["basis"],
        "is_current": facts["is_current"],
        "requested_by": facts.get("requested_by"),
        "operation_id": facts.get("operation_id"),
        "created_at": timestamps.format_time(facts["created_at"]),
    }
    if "plan" in facts:
        view.update(plan(facts["plan"]))
    return view


def _change(facts: contract.ChangeFacts) -> View:
    view: View = {
        "key": facts["key"],
        "kind": facts["kind"],
        "resource_name": facts["resource_name"],
        "resource_type": facts["resource_type"],
        "physical_resource_id": facts["physical_id"] or "",
        "replaces": facts["replaces"],
        "reason": facts["reason"],
        "after": facts["after"],
        "is_certain": facts["is_certain"],
        "properties": facts["properties"],
    }
    if "child_plan" in facts:
        view["child_plan"] = plan(facts["child_plan"])
    return view
