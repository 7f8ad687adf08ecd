"""The facts of a resource in answers of the API."""

import collections.abc
import typing

from orch.model import resource
from orch.model import states
from orch.rpc import contract

Row = typing.TypeVar("Row", bound=resource.ResourceSummary)


def newest_by_name(rows: collections.abc.Iterable[Row]) -> list[Row]:
    """Return the incarnation to show for each name, in their order.

    A resource that is to be replaced is shown until the creation of its
    replacement starts, as in Heat, where it exists only then.
    """
    found = list(rows)
    older = {
        row.replaced_by: row
        for row in found
        if row.replaced_by is not None and not row.is_gone
    }
    return [
        older.get(row.id, row) if row.action is states.Action.INIT else row
        for row in found
        if row.is_current
    ]


Requiring = collections.abc.Mapping[str, list[str]]
"""The names of the resources that directly require one, by its name."""


_NOTHING: collections.abc.Mapping[str, contract.StackIdentity] = {}


def requiring_names(
    requires: collections.abc.Iterable[
        tuple[str, collections.abc.Iterable[str]]
    ],
) -> Requiring:
    """Return for each resource those that require it, in linear time.

    :param requires: each resource with the names of those that it requires
    """
    found: dict[str, list[str]] = {}
    for name, needed in requires:
        for each in needed:
            found.setdefault(each, []).append(name)
    return found


def resource_facts(
    row: resource.ResourceSummary,
    identity: contract.StackIdentity,
    required_by: Requiring,
    *,
    children: collections.abc.Mapping[str, contract.StackIdentity] = _NOTHING,
    parent_resource: str | None = None,
) -> contract.ResourceFacts:
    """Return the facts of a resource from its row.

    :param children: the child stacks, by the ids of their resources
    :param parent_resource: the resource of this stack in its parent
    """
    found = contract.ResourceFacts(
        id=row.id,
        name=row.name,
        type_name=row.type_name,
        physical_id=row.physical_id,
        action=row.action.value,
        status=row.status.value,
        status_reason=row.status_reason,
        created_at=row.created_at,
        updated_at=row.updated_at,
        required_by=required_by.get(row.name, []),
        stack=identity,
        nested_stack=children.get(row.id),
    )
    if parent_resource is not None:
        found["parent_resource"] = parent_resource
    return found
