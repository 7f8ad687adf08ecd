"""What failed, as the wire shows it."""

import collections.abc

from orch.api import links
from orch.rpc import contract

View = dict[str, object]


def many(
    base_url: str, facts: collections.abc.Sequence[contract.FailureFacts]
) -> list[View]:
    """Return failures, the root cause first."""
    return [_failure(base_url, each) for each in facts]


def _failure(base_url: str, facts: contract.FailureFacts) -> View:
    stack = facts["stack"]
    return {
        "path": facts["path"],
        "resource_name": facts["path"][-1] if facts["path"] else "",
        "resource_type": facts["type_name"],
        "resource_action": facts["action"],
        "physical_resource_id": facts["physical_id"] or "",
        "reason": facts["reason"],
        "file": facts["file"],
        "line": facts["line"],
        "column": facts.get("column", 0),
        "hint": facts["hint"],
        "stack_name": stack["stack_name"],
        "links": [links.link("stack", links.stack(base_url, stack))],
    }
