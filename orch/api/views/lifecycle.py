"""Open holds of lifecycle plug-ins, as the wire shows them."""

import collections.abc
import typing

from orch.api import links
from orch.api.views import facts as facts_
from orch.rpc import contract

View = dict[str, object]


def open_holds(
    base_url: str, facts: collections.abc.Iterable[contract.OpenHoldFacts]
) -> list[View]:
    """Return the holds of a project that have no answer."""
    found: list[View] = []
    for each in facts:
        view = facts_.view(each, contract.OpenHoldFacts, base_url)
        stack = links.stack(base_url, each["stack"])
        typing.cast("list[links.Link]", view["links"]).append(
            links.link(
                "operation", f"{stack}/operations/{each['operation_id']}"
            )
        )
        found.append(view)
    return found
