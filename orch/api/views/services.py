"""Processes that report, as the wire shows them."""

from orch.api.views import facts as facts_
from orch.rpc import contract

View = dict[str, object]


def service(facts: contract.ServiceFacts) -> View:
    """Return a process; ``status`` is ``up`` or ``down``."""
    return {
        **facts_.view(facts, contract.ServiceFacts),
        "engine_id": facts["id"],
        "hostname": facts["host"],
        "status": "up" if facts["is_up"] else "down",
        "deleted_at": None,
    }
