"""Snapshots, as the wire shows them."""

from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def snapshot(facts: contract.SnapshotFacts) -> View:
    """Return a snapshot; its action is always this one in Heat."""
    return {
        "id": facts["id"],
        "name": facts["name"],
        "action": "CREATE",
        "status": facts["status"],
        "status_reason": facts["status_reason"] or None,
        "data": facts["data"],
        "creation_time": timestamps.format_time(facts["created_at"]),
    }
