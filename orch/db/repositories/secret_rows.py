"""Short rows for the search of secrets.

Nothing here looks at whose the stacks are.
"""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db.models import resources
from orch.db.models import stacks
from orch.model import resource
from orch.model import states

_RESOURCES = resources.RESOURCES.c
_STACKS = stacks.STACKS.c
_IN_SHORT: typing.Final = (
    "id",
    "stack_id",
    "name",
    "type_name",
    "mapped_type",
    "action",
    "status",
    "status_reason",
    "created_at",
    "updated_at",
)
_MADE: typing.Final = ("attributes", "data")
_UUID: typing.Final = "-".join("_" * each for each in (8, 4, 4, 4, 12))


class StackTemplates(typing.NamedTuple):
    """By which template a stack is, and how far it has come with it."""

    stack_id: str
    template_hash: str
    environment_hash: str
    action: states.Action
    status: states.Status


StackIds = collections.abc.Collection[ids.StackId]


def list_by_types(
    conn: sa.Connection,
    stack_ids: StackIds,
    types: collections.abc.Collection[str],
) -> list[resource.Resource]:
    """Return the resources of some types with attributes and data alone."""
    return _list_in_short(conn, list(stack_ids), _MADE, _is_one(types))


def list_in_tree(
    conn: sa.Connection,
    root_id: ids.StackId,
    types: collections.abc.Collection[str],
) -> list[resource.Resource]:
    """Return the same of all stacks of a tree."""
    of_tree = sa.select(_STACKS.id).where(_STACKS.root_id == root_id)
    return _list_in_short(conn, of_tree, _MADE, _is_one(types))


def list_stack_templates(
    conn: sa.Connection, root_id: ids.StackId, limit: int
) -> list[StackTemplates]:
    """Return the stacks of a tree that are there, ``most`` of them."""
    found = conn.execute(
        sa.select(
            _STACKS.id,
            _STACKS.template_hash,
            _STACKS.environment_hash,
            _STACKS.action,
            _STACKS.status,
        )
        .where(_STACKS.root_id == root_id, _STACKS.deleted_at.is_(None))
        .limit(limit)
    )
    return [StackTemplates(*row) for row in found]


def list_named(
    conn: sa.Connection, stack_ids: StackIds
) -> list[resource.Resource]:
    """Return resources with their physical ids alone.

    Only those whose ids do not look like what services make up.
    """
    return _list_in_short(
        conn,
        list(stack_ids),
        ("physical_id",),
        _RESOURCES.physical_id.not_like(_UUID),
    )


def _is_one(
    types: collections.abc.Collection[str],
) -> sa.ColumnElement[bool]:
    """Return the condition that what acts on a resource is of these types."""
    acts_on_it = sa.func.coalesce(_RESOURCES.mapped_type, _RESOURCES.type_name)
    return acts_on_it.in_(list(types))


def _list_in_short(
    conn: sa.Connection,
    stack_ids: list[ids.StackId] | sa.Select[tuple[str]],
    columns: tuple[str, ...],
    where: sa.ColumnElement[bool],
) -> list[resource.Resource]:
    is_gone = (_RESOURCES.action == states.Action.DELETE) & (
        _RESOURCES.status == states.Status.COMPLETE
    )
    names = (*_IN_SHORT, *columns)
    found = conn.execute(
        sa.select(*(_RESOURCES[name] for name in names)).where(
            _RESOURCES.stack_id.in_(stack_ids), ~is_gone, where
        )
    )
    make: collections.abc.Callable[..., resource.Resource] = resource.Resource
    return [make(**dict(zip(names, row, strict=True))) for row in found]
