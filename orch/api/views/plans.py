"""Plans, as the wire shows them."""

from orch.api import links
from orch.api.views import facts as facts_
from orch.rpc import contract

View = dict[str, object]


def saved_plan(stack_url: str, facts: contract.SavedPlanFacts) -> View:
    """Return a plan that can be run; what it does where that came."""
    href = f"{stack_url}/plans/{facts['id']}"
    view = facts_.view(facts, contract.SavedPlanFacts)
    view["links"] = [links.link("self", href), links.link("stack", stack_url)]
    return view
