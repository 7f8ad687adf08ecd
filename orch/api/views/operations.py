"""Operations, as the wire shows them."""

from orch.api import links
from orch.api.views import facts as facts_
from orch.api.views import failures
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
    view = facts_.view(facts, contract.OperationFacts, base_url)
    view["links"] = [links.link("self", href), links.link("stack", stack_url)]
    if "resources" in facts:
        view["resources"] = [_resource(each) for each in facts["resources"]]
        view.setdefault("steps", None)
    if "failed_resources" in facts:
        view["failed_resources"] = failures.many(
            base_url, facts["failed_resources"]
        )
    return view


def _resource(facts: contract.ProgressFacts) -> View:
    return {
        **facts_.view(facts, contract.ProgressFacts),
        "resource_status": f"{facts['action']}_{facts['status']}",
    }
