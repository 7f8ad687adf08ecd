"""Events, as the wire shows them."""

import collections.abc

from orch.api import links
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def many(
    base_url: str,
    facts: collections.abc.Iterable[contract.EventFacts],
    *,
    with_root: bool = False,
) -> list[View]:
    """Return the events of a list.

    :param with_root: link to the outermost stack; clients take it as the
        sign that ``nested_depth`` was understood
    """
    urls = links.StackUrls(base_url)
    return [_summary(urls, one, with_root=with_root) for one in facts]


def full(base_url: str, facts: contract.EventFacts) -> View:
    """Return an event with type and properties of its resource."""
    view = _summary(links.StackUrls(base_url), facts)
    view["resource_type"] = facts["resource_type"]
    view["resource_properties"] = facts.get("resource_properties", {})
    return view


def followed(base_url: str, facts: contract.EventFacts) -> View:
    """Return an event as streams tell it."""
    view = _summary(links.StackUrls(base_url), facts, with_root=True)
    view["resource_type"] = facts["resource_type"]
    return view


def _summary(
    urls: links.StackUrls,
    facts: contract.EventFacts,
    *,
    with_root: bool = False,
) -> View:
    # Lists have a thousand of them: each call here shows in their time.
    name = facts["resource_name"]
    stack_url, resource_url = urls.find_resource(facts["stack"], name)
    found = [
        {"href": f"{resource_url}/events/{facts['id']}", "rel": "self"},
        {"href": resource_url, "rel": "resource"},
        {"href": stack_url, "rel": "stack"},
    ]
    if with_root:
        root = facts.get("root_stack", facts["stack"])
        found.append(links.link("root_stack", urls.find(root)))
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
