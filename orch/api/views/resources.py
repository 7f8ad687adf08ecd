"""Resources, as the wire shows them."""

from orch.api import links
from orch.api.views import facts as facts_
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def many(base_url: str, facts: list[contract.ResourceFacts]) -> list[View]:
    """Return the resources of a list; with attributes where those came."""
    views = []
    urls = links.StackUrls(base_url)
    for one in facts:
        view = _view(urls, one)
        if "attributes" in one:
            view["attributes"] = one["attributes"]
        views.append(view)
    return views


def one(base_url: str, facts: contract.ResourceFacts) -> View:
    """Return a resource as its row has it."""
    return _view(links.StackUrls(base_url), facts)


def full(base_url: str, facts: contract.ResourceFacts) -> View:
    """Return a resource with all that is known of it."""
    view = _view(links.StackUrls(base_url), facts)
    view["description"] = facts.get("description", "")
    view["attributes"] = facts.get("attributes", {})
    view["decisions"] = facts.get("decisions", {})
    if "drift" in facts:
        view["drift"] = facts_.view(facts["drift"], contract.ResourceDrift)
    return view


def _view(urls: links.StackUrls, facts: contract.ResourceFacts) -> View:
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
        "links": _links(urls, facts),
    }
    if facts.get("is_replaced"):
        view["is_replaced"] = True
    if facts.get("parent_resource"):
        view["parent_resource"] = facts["parent_resource"]
    return view


def _links(
    urls: links.StackUrls, facts: contract.ResourceFacts
) -> list[links.Link]:
    stack_url = urls.find(facts["stack"])
    found = [
        links.link("self", links.resource(stack_url, facts["name"])),
        links.link("stack", stack_url),
    ]
    nested = facts.get("nested_stack")
    if nested is not None:
        found.append(links.link("nested", urls.find(nested)))
    return found
