"""Operations, as the wire shows them."""

from orch.api.views import moments
from orch.rpc import contract

View = dict[str, object]


def operation(stack_url: str, facts: contract.OperationFacts) -> View:
    """Return an operation; ``done`` of its ``total`` changes are complete."""
    href = f"{stack_url}/operations/{facts['id']}"
    return {
        "id": facts["id"],
        "links": [
            {"href": href, "rel": "self"},
            {"href": stack_url, "rel": "stack"},
        ],
        "action": facts["action"],
        "state": facts["state"],
        "reason": facts.get("reason", ""),
        "attempt": facts["attempt"],
        "total": facts.get("total", 0),
        "done": facts.get("done", 0),
        "failures": facts.get("failures", []),
        "superseded_by": facts.get("superseded_by"),
        "asked_by": facts.get("asked_by"),
        "worker": facts.get("worker"),
        "created_at": moments.text(facts["created_at"]),
        "started_at": moments.text(facts.get("started_at")),
        "finished_at": moments.text(facts.get("finished_at")),
    }
