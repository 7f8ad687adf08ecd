"""Views of the signal addresses of abandoned stacks."""

from orch.api.views import facts as facts_
from orch.rpc import contract

View = dict[str, object]


def forwarded_addresses(facts: contract.ForwardingFacts) -> View:
    """Return what has become of the addresses of a stack."""
    return {
        "addresses": [
            {
                **facts_.view(each, contract.ForwardedAddress),
                "resource": "/".join(each["path"]),
                "problem": each["problem"] or None,
            }
            for each in facts["addresses"]
        ]
    }
