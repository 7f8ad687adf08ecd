"""What may tell a secret: rows in short, for whoever looks for it.

Nothing here looks at whose the stacks are.
"""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db.models import resources
from orch.model import resource
from orch.model import states

_RESOURCES = resources.RESOURCES.c
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
_UUID: typing.Final = "-".join("_" * each for each in (8, 4, 4, 4, 12))

StackIds = collections.abc.Collection[ids.StackId]


def list_of_types(
    conn: sa.Connection,
    stack_ids: StackIds,
    types: collections.abc.Collection[str],
) -> list[resource.Resource]:
    """Return the resources of some types with their attributes alone."""
    acts_on_it = sa.func.coalesce(_RESOURCES.mapped_type, _RESOURCES.type_name)
    return _list_in_short(
        conn, stack_ids, "attributes", acts_on_it.in_(list(types))
    )


def list_named(
    conn: sa.Connection, stack_ids: StackIds
) -> list[resource.Resource]:
    """Return resources with their physical ids alone.

    Only those whose ids do not look like what services make up.
    """
    return _list_in_short(
        conn,
        stack_ids,
        "physical_id",
        _RESOURCES.physical_id.not_like(_UUID),
    )


def _list_in_short(
    conn: sa.Connection,
    stack_ids: StackIds,
    column: str,
    where: sa.ColumnElement[bool],
) -> list[resource.Resource]:
    is_gone = (_RESOURCES.action == states.Action.DELETE) & (
        _RESOURCES.status == states.Status.COMPLETE
    )
    names = (*_IN_SHORT, column)
    found = conn.execute(
        sa.select(*(_RESOURCES[name] for name in names)).where(
            _RESOURCES.stack_id.in_(list(stack_ids)), ~is_gone, where
        )
    )
    make: collections.abc.Callable[..., resource.Resource] = resource.Resource
    return [make(**dict(zip(names, row, strict=True))) for row in found]
