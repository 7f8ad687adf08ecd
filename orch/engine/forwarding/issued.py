"""List the addresses that a stack and its child stacks have issued."""

import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.engine import dependencies
from orch.engine.queries import lookup
from orch.flow.state import contexts
from orch.model import forwarding
from orch.model import resource
from orch.model import stack
from orch.plugin import resource as plugin_resource
from orch.plugin import software

_KINDS = (forwarding.Kind.SIGNAL, forwarding.Kind.WAIT_CONDITION)


@dataclasses.dataclass(frozen=True, slots=True)
class IssuedAddress:
    """An address that a resource has issued.

    :ivar path: names of resources from the root stack down
    :ivar kind: what it is for
    :ivar agent: for a polled address, the configuration of the agent
    """

    row: resource.Resource
    path: tuple[str, ...]
    kind: forwarding.Kind
    address: str
    agent: collections.abc.Mapping[str, object] | None


def list_issued(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
) -> list[IssuedAddress]:
    """Return the addresses of a stack and its child stacks, parents first."""
    paths: dict[ids.StackId | None, tuple[str, ...]] = {stack.parent_id: ()}
    found: list[IssuedAddress] = []
    for each in lookup.stacks_below(connection, stack):
        path = paths[each.parent_id]
        if each.id != stack.id:
            path = (*path, each.parent_resource or "")
        paths[each.id] = path
        for row in resources.list_(connection, each.id):
            if row.is_current and row.physical_id is not None:
                given = find_issued(deps, each, row, path)
                found.extend([] if given is None else [given])
    return found


def find_issued(
    deps: dependencies.Dependencies,
    stack: stack.Stack,
    row: resource.Resource,
    path: tuple[str, ...],
) -> IssuedAddress | None:
    """Return the address that a resource has issued, if it has one.

    :param path: of its stack
    """
    plugin = deps.types.find(row.plugin_type)
    if plugin is None or not _issues_addresses(plugin):
        return None
    requested_by = request.RequestContext(project_id=stack.project_id)
    context = contexts.build_context(stack, row, requested_by)
    try:
        address = plugin.given_address(context)
    except errors.OrchError:
        # Without a key to seal with none was issued.
        return None
    if address is None:
        return None
    agent = None
    if isinstance(plugin, software.SoftwareServer):
        agent = plugin.agent(context)
    return IssuedAddress(
        row, (*path, row.name), _kind(address), address, agent
    )


def _issues_addresses(plugin: plugin_resource.Resource) -> bool:
    """Whether the type issues addresses; most do not."""
    own = type(plugin).given_address
    return own is not plugin_resource.Resource.given_address


def _kind(address: str) -> forwarding.Kind:
    for kind in _KINDS:
        if f"/v1/{kind}/arn" in address:
            return kind
    return forwarding.Kind.METADATA
