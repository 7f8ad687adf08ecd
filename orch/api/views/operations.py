"""Operations, as the wire shows them."""

from orch.api import links
from orch.api.views import failures
from orch.api.views import lifecycle
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def operation(
    base_url: str, stack_url: str, facts: contract.OperationFacts
) -> View:
    """Return an operation; ``done`` of its ``total`` changes are complete.

    What it does step by step, and what failed down to the innermost stacks,
    is there where the facts have it.
    """
    href = f"{stack_url}/operations/{facts['id']}"
    view: View = {
        "id": facts["id"],
        "links": [links.link("self", href), links.link("stack", stack_url)],
        "action": facts["action"],
        "state": facts["state"],
        "reason": facts.get("reason", ""),
        "attempt": facts["attempt"],
        "attempts": [_attempt(each) for each in facts.get("attempts", [])],
        "inputs_hash": facts.get("inputs_hash"),
        "total": facts.get("total", 0),
        "done": facts.get("done", 0),
        "failures": facts.get("failures", []),
        "skip": facts.get("skip", []),
        "orphan": facts.get("orphan", []),
        "keep_going": facts.get("keep_going", False),
        "plan_id": facts.get("plan_id"),
        "superseded_by": facts.get("superseded_by"),
        "requested_by": facts.get("requested_by"),
        "worker": facts.get("worker"),
        "next_try_at": timestamps.format_time(facts.get("next_try_at")),
        "expected_at": timestamps.format_time(facts.get("expected_at")),
        "created_at": timestamps.format_time(facts["created_at"]),
        "started_at": timestamps.format_time(facts.get("started_at")),
        "finished_at": timestamps.format_time(facts.get("finished_at")),
        "lifecycle": lifecycle.calls(facts.get("lifecycle", [])),
        "hold": lifecycle.hold(facts.get("hold")),
    }
    if "resources" in facts:
        view["resources"] = [_resource(each) for each in facts["resources"]]
        view["steps"] = facts.get("steps")
    if "failed_resources" in facts:
        view["failed_resources"] = failures.many(
            base_url, facts["failed_resources"]
        )
    if "child_holds" in facts:
        view["child_holds"] = lifecycle.child_holds(
            base_url, facts["child_holds"]
        )
    return view


def _attempt(facts: contract.AttemptFacts) -> View:
    return {
        "number": facts["number"],
        "requested_by": facts["requested_by"],
        "state": facts["state"],
        "reason": facts["reason"],
        "started_at": timestamps.format_time(facts["started_at"]),
        "finished_at": timestamps.format_time(facts["finished_at"]),
    }


def _resource(facts: contract.ProgressFacts) -> View:
    return {
        "resource_name": facts["name"],
        "resource_type": facts["type_name"],
        "resource_status": f"{facts['action']}_{facts['status']}",
        "resource_status_reason": facts["reason"],
        "started_at": timestamps.format_time(facts["started_at"]),
        "finished_at": timestamps.format_time(facts["finished_at"]),
    }
