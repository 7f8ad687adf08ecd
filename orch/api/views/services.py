"""Processes that report, as the wire shows them."""

from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def service(facts: contract.ServiceFacts) -> View:
    """Return a process; ``status`` is ``up`` or ``down``."""
    return {
        "id": facts["id"],
        "engine_id": facts["id"],
        "binary": facts["binary"],
        "host": facts["host"],
        "hostname": facts["host"],
        "topic": facts["topic"],
        "report_interval": facts["report_interval_s"],
        "status": "up" if facts["is_up"] else "down",
        "created_at": timestamps.format_time(facts["created_at"]),
        "updated_at": timestamps.format_time(facts["updated_at"]),
        "deleted_at": None,
    }
