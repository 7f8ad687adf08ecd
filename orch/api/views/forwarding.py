"""Views of the signal addresses of abandoned stacks."""

from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def forwarded_addresses(facts: contract.ForwardingFacts) -> View:
    """Return what has become of the addresses of a stack."""
    return {"addresses": [_address(each) for each in facts["addresses"]]}


def _address(facts: contract.ForwardedAddress) -> View:
    return {
        "resource": "/".join(facts["path"]),
        "resource_type": facts["type_name"],
        "kind": facts["kind"],
        "old_address": facts["old_address"],
        "new_address": facts["new_address"],
        "signals_waiting": facts["waiting"],
        "problem": facts["problem"] or None,
        "last_used_time": timestamps.format_time(facts["used_at"]),
        "last_notified_at": timestamps.format_time(facts["notified_at"]),
        "moved": facts["has_moved"],
    }
