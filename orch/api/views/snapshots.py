"""Snapshots, as the wire shows them."""

from orch.api.views import facts as facts_
from orch.rpc import contract

View = dict[str, object]


def snapshot(facts: contract.SnapshotFacts) -> View:
    """Return a snapshot; its action is always this one in Heat."""
    return {
        **facts_.view(facts, contract.SnapshotFacts),
        "action": "CREATE",
        "status_reason": facts["status_reason"] or None,
    }
