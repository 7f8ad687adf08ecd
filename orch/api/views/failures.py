"""What failed, as the wire shows it."""

import collections.abc

from orch.api.views import facts as facts_
from orch.rpc import contract

View = dict[str, object]


def many(
    base_url: str, facts: collections.abc.Iterable[contract.FailureFacts]
) -> list[View]:
    """Return failures, the root cause first."""
    return [
        {
            **facts_.view(each, contract.FailureFacts, base_url),
            "resource_name": each["path"][-1] if each["path"] else "",
        }
        for each in facts
    ]
