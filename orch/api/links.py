"""Addresses of what the API serves."""

import re
import typing
import urllib.parse

from orch.rpc import contract

Link = dict[str, str]

_QUOTED: typing.Final = re.compile(r"[^A-Za-z0-9_.~-]")
"""What a step of a path cannot hold as it is (RFC 3986, 2.3)."""


def stack(base_url: str, identity: contract.StackIdentity) -> str:
    """Return the address of a stack, in its owner's project."""
    parts = (
        identity["project_id"],
        "stacks",
        identity["stack_name"],
        identity["stack_id"],
    )
    path = "/".join(map(_quote, parts))
    return f"{base_url}/v1/{path}"


class StackUrls:
    """The addresses of stacks that one answer links to, each built once."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._urls: dict[str, str] = {}
        self._resources: dict[tuple[str, str], tuple[str, str]] = {}

    def find(self, identity: contract.StackIdentity) -> str:
        """Return the address of a stack, in its owner's project."""
        stack_id = identity["stack_id"]
        found = self._urls.get(stack_id)
        if found is None:
            found = stack(self._base_url, identity)
            self._urls[stack_id] = found
        return found

    def find_resource(
        self, identity: contract.StackIdentity, name: str
    ) -> tuple[str, str]:
        """Return the addresses of a stack, and of a resource of it."""
        key = identity["stack_id"], name
        found = self._resources.get(key)
        if found is None:
            stack_url = self.find(identity)
            found = stack_url, resource(stack_url, name)
            self._resources[key] = found
        return found


def resource(stack_url: str, name: str) -> str:
    """Return the address of a resource of the stack at that address."""
    return f"{stack_url}/resources/{_quote(name)}"


def link(rel: str, href: str) -> Link:
    """Return one entry of a ``links`` list."""
    return {"href": href, "rel": rel}


def _quote(step: str) -> str:
    """Return a step of a path; most names need no quotes."""
    return urllib.parse.quote(step, "") if _QUOTED.search(step) else step
