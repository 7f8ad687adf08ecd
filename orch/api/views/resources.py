"""Resources, as the wire shows them."""

from orch.api import links
from orch.api.views import drift
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def many(base_url: str, facts: list[contract.ResourceFacts]) -> list[View]:
    """Return the resources of a list; with attributes where those came."""
    views = []
    urls: dict[str, str] = {}
    for one in facts:
        stack_id = one["stack"]["stack_id"]
        if stack_id not in urls:
            urls[stack_id] = links.stack(base_url, one["stack"])
        view = _view(base_url, urls[stack_id], one)
        if "attributes" in one:
            view["attributes"] = one["attributes"]
        views.append(view)
    return views


def full(base_url: str, facts: contract.ResourceFacts) -> View:
    """Return a resource with all that is known of it."""
    view = _view(base_url, links.stack(base_url, facts["stack"]), facts)
    view["description"] = facts.get("description", "")
    view["attributes"] = facts.get("attributes", {})
    view["decisions"] = facts.get("decisions", {})
    if "drift" in facts:
        view["drift"] = drift.resource_drift(facts["drift"])
    return view


def _view(
    base_url: str, stack_url: str, facts: contract.ResourceFacts
) -> View:
    name = facts["name"]
    view: View = {
        "resource_name": name,
        "logical_resource_id": name,
        "physical_resource_id": facts.get("physical_id") or "",
        "resource_type": facts["type_name"],
        "resource_status": f"{facts['action']}_{facts['status']}",
        "resource_status_reason": facts.get("status_reason", ""),
        "creation_time": timestamps.format_time(facts.get("created_at")),
        "updated_time": timestamps.format_time(facts.get("updated_at")),
        "required_by": facts.get("required_by", []),
        "links": _links(base_url, stack_url, facts),
    }
    if facts.get("parent_resource"):
        view["parent_resource"] = facts["parent_resource"]
    return view


def _links(
    base_url: str, stack_url: str, facts: contract.ResourceFacts
) -> list[links.Link]:
    found = [
        links.link("self", links.resource(stack_url, facts["name"])),
        links.link("stack", stack_url),
    ]
    nested = facts.get("nested_stack")
    if nested is not None:
        found.append(links.link("nested", links.stack(base_url, nested)))
    return found
