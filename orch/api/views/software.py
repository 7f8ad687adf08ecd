"""Software configs and deployments, as the wire shows them."""

from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def summary(
    facts: contract.SoftwareConfigFacts, *, with_project: bool = False
) -> View:
    """Return a config without what it says."""
    view: View = {
        "id": facts["id"],
        "name": facts["name"],
        "group": facts["group"],
        "creation_time": timestamps.format_time(facts["created_at"]),
    }
    if with_project:
        view["project"] = facts["project_id"]
    return view


def config(facts: contract.SoftwareConfigFacts) -> View:
    """Return a config; the agents on servers read the same."""
    return {
        **summary(facts),
        "config": facts["config"],
        "inputs": facts["inputs"],
        "outputs": facts["outputs"],
        "options": facts["options"],
    }


def polled(facts: contract.PolledFacts) -> View:
    """Return what a server has to apply, and how its agent is configured."""
    view: View = {"metadata": [config(each) for each in facts["configs"]]}
    if facts["agent"] is not None:
        view["os-collect-config"] = facts["agent"]
    return view
