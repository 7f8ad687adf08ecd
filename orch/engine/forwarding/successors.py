"""Find where the old addresses of a stack lead that was handed over.

The stack that was made of it is in the same database: its resources have the
same paths. Where that stack was abandoned as well, its own old addresses lead
on.
"""

import dataclasses

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import forwarding as rows
from orch.db.repositories import resources
from orch.db.repositories import software_deployments
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.forwarding import issued
from orch.model import forwarding
from orch.model import resource
from orch.model import software
from orch.model import stack


@dataclasses.dataclass(frozen=True, slots=True)
class Target:
    """The resource that an old address leads to.

    :ivar stack_id: of its stack, which may be abandoned too
    :ivar project_id: of that stack
    """

    project_id: str
    stack_id: ids.StackId
    name: str
    resource_id: ids.ResourceId


def find_target(
    connection: db_engine.Connection, address: forwarding.Address
) -> Target | None:
    """Return the resource that a signal for an old address is for.

    :returns: ``None`` while there is none, or not any more
    """
    found = _find_row(connection, address)
    if found is not None:
        stack, row = found
        return Target(stack.project_id, stack.id, row.name, row.id)
    further = _find_further(connection, address)
    if further is None:
        return None
    return Target(
        further.project_id,
        further.stack_id,
        further.path[-1],
        further.resource_id,
    )


def with_new_address(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    address: forwarding.Address,
) -> forwarding.Address:
    """Return an address with the one that its resource has now.

    An address whose stack was not handed over has what was announced.
    """
    # Each is newer than the one before.
    while address.successor_id is not None:
        found = _find_row(connection, address)
        if found is not None:
            return _with_issued(deps, address, *found)
        further = _find_further(connection, address)
        if further is None:
            return dataclasses.replace(
                address, new_address=None, new_agent=None
            )
        address = dataclasses.replace(
            address,
            new_address=further.new_address,
            new_agent=further.new_agent,
            successor_id=further.successor_id,
        )
    return address


def list_configs(
    connection: db_engine.Connection, address: forwarding.Address
) -> list[software.Config]:
    """Return the configs for a server whose stack was handed over.

    Its deployments belong to the project that has taken it over.
    """
    target = find_target(connection, address)
    if target is None or address.server_id is None:
        return []
    return software_deployments.list_configs(
        connection, software.Scope(target.project_id), address.server_id
    )


def _with_issued(
    deps: dependencies.Dependencies,
    address: forwarding.Address,
    stack: stack.Stack,
    row: resource.Resource,
) -> forwarding.Address:
    found = issued.find_issued(deps, stack, row, tuple(address.path[:-1]))
    if found is None or found.kind is not address.kind:
        return dataclasses.replace(address, new_address=None, new_agent=None)
    return dataclasses.replace(
        address, new_address=found.address, new_agent=found.agent
    )


def _find_row(
    connection: db_engine.Connection, address: forwarding.Address
) -> tuple[stack.Stack, resource.Resource] | None:
    """Return the current resource at the path of an address, and its stack."""
    if address.successor_id is None:
        return None
    found = stacks.find(connection, address.successor_id)
    row = None
    for name in address.path:
        if row is not None:
            child_id = ids.StackId(row.physical_id or row.id)
            found = stacks.find(connection, child_id)
        if found is None or found.deleted_at is not None:
            return None
        named = resources.list_named(connection, found.id, name)
        row = next((each for each in named if each.is_current), None)
        if row is None:
            return None
    return None if found is None or row is None else (found, row)


def _find_further(
    connection: db_engine.Connection, address: forwarding.Address
) -> forwarding.Address | None:
    """Return the old address of the same resource in the next stack."""
    if address.successor_id is None:
        return None
    for each in rows.list_(connection, address.successor_id):
        if each.kind is address.kind and list(each.path) == list(address.path):
            return each
    return None
