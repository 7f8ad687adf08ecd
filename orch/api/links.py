"""Addresses of what the API serves."""

import urllib.parse

from orch.rpc import contract

Link = dict[str, str]


def stack(base_url: str, identity: contract.StackIdentity) -> str:
    """Return the address of a stack, in its owner's project."""
    parts = (
        identity["project_id"],
        "stacks",
        identity["stack_name"],
        identity["stack_id"],
    )
    path = "/".join(urllib.parse.quote(part, "") for part in parts)
    return f"{base_url}/v1/{path}"


def resource(stack_url: str, name: str) -> str:
    """Return the address of a resource of the stack at that address."""
    return f"{stack_url}/resources/{urllib.parse.quote(name, '')}"


def event(stack_url: str, name: str, event_id: str) -> str:
    """Return the address of an event of a resource."""
    return f"{resource(stack_url, name)}/events/{event_id}"


def link(rel: str, href: str) -> Link:
    """Return one entry of a ``links`` list."""
    return {"href": href, "rel": rel}
