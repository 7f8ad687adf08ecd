"""The facts of a resource in answers of the API."""

import collections.abc
import typing

from orch import ids
from orch.model import resource
from orch.model import states
from orch.rpc import contract

Row = typing.TypeVar("Row", bound=resource.ResourceSummary)


class Incarnation(typing.Protocol):
    """What tells which incarnation of a resource is shown."""

    @property
    def id(self) -> ids.ResourceId:
        """Return its id."""

    @property
    def action(self) -> states.Action:
        """Return what was done to it last."""

    @property
    def replaced_by(self) -> ids.ResourceId | None:
        """Return the incarnation that took its place."""

    @property
    def is_gone(self) -> bool:
        """Whether it was removed for good."""

    @property
    def is_current(self) -> bool:
        """Whether it is the newest incarnation of its name."""


Shown = typing.TypeVar("Shown", bound=Incarnation)


def newest_by_name(rows: collections.abc.Iterable[Shown]) -> list[Shown]:
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


def listed_incarnations(
    rows: collections.abc.Iterable[Row], *, is_idle: bool
) -> list[Row]:
    """Return the incarnations that lists show, in their order.

    Those of :func:`newest_by_name`, and before each of them those that it has
    replaced and that still exist. While the stack is being changed they are
    about to be removed: then only those whose removal has failed.
    """
    found = list(rows)
    shown = {row.id for row in newest_by_name(found)}
    return [
        row
        for row in sorted(found, key=lambda row: (row.name, row.id in shown))
        if row.id in shown or _still_exists(row, is_idle=is_idle)
    ]


def _still_exists(row: resource.ResourceSummary, *, is_idle: bool) -> bool:
    """Whether lists show an incarnation that was replaced."""
    if row.replaced_by is None or row.is_gone:
        return False
    has_failed = row.status is states.Status.FAILED
    return (row.action is states.Action.DELETE and has_failed) or (
        is_idle and row.physical_id is not None
    )


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
    is_replaced: bool = False,
) -> contract.ResourceFacts:
    """Return the facts of a resource from its row.

    :param children: the child stacks, by the ids of their resources
    :param parent_resource: the resource of this stack in its parent
    :param is_replaced: another incarnation stands for its name
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
    if is_replaced:
        found["is_replaced"] = True
    if parent_resource is not None:
        found["parent_resource"] = parent_resource
    return found
