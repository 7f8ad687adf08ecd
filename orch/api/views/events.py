"""Events, as the wire shows them."""

from orch.api import links
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def summary(
    base_url: str, facts: contract.EventFacts, *, with_root: bool = False
) -> View:
    """Return an event as lists show it.

    :param with_root: link to the outermost stack; clients take it as the
        sign that ``nested_depth`` was understood
    """
    name = facts["resource_name"]
    stack_url = links.stack(base_url, facts["stack"])
    found = [
        links.link("self", links.event(stack_url, name, facts["id"])),
        links.link("resource", links.resource(stack_url, name)),
        links.link("stack", stack_url),
    ]
    if with_root:
        root = facts.get("root_stack", facts["stack"])
        found.append(links.link("root_stack", links.stack(base_url, root)))
    return {
        "id": facts["id"],
        "event_time": timestamps.format_time(facts["created_at"]),
        "resource_name": name,
        "logical_resource_id": name,
        "physical_resource_id": facts.get("physical_id") or "",
        "resource_status": f"{facts['action']}_{facts['status']}",
        "resource_status_reason": facts.get("reason", ""),
        "request_id": facts.get("request_id"),
        "links": found,
    }


def full(base_url: str, facts: contract.EventFacts) -> View:
    """Return an event with type and properties of its resource."""
    view = summary(base_url, facts)
    view["resource_type"] = facts["resource_type"]
    view["resource_properties"] = facts.get("resource_properties", {})
    return view


def followed(base_url: str, facts: contract.EventFacts) -> View:
    """Return an event as streams tell it."""
    view = summary(base_url, facts, with_root=True)
    view["resource_type"] = facts["resource_type"]
    return view
