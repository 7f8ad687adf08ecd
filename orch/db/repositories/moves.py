"""Moves rows from one stack to another; physical resources do not change."""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import changes
from orch.db.models import forwarding
from orch.db.models import stacks
from orch.model import resource

TO: typing.Final = "moved_to"
"""Option of an operation: the stack that resources went to with it."""

_OPERATIONS = stacks.OPERATIONS
_RESOURCES = stacks.RESOURCES
_REVOKED = forwarding.REVOKED_ADDRESSES
_STACKS = stacks.STACKS


def put_resource(
    conn: sa.Connection, before: resource.Resource, after: resource.Resource
) -> bool:
    """Give a resource to another stack, under a name that is free there.

    :param before: as its row is now
    :param after: the same incarnation in the other stack
    :returns: false when the row is not there any more
    """
    done = conn.execute(
        sa.update(_RESOURCES)
        .where(
            _RESOURCES.c.stack_id == before.stack_id,
            _RESOURCES.c.name == before.name,
            _RESOURCES.c.id == before.id,
        )
        .values(
            stack_id=after.stack_id,
            name=after.name,
            properties=after.properties,
            requires=after.requires,
            required_ids=after.required_ids,
            hooks=after.hooks,
            updated_at=after.updated_at,
        )
    )
    changes.note(conn, [before.stack_id, after.stack_id])
    # A revoked address stays so.
    conn.execute(
        sa.update(_REVOKED)
        .where(
            _REVOKED.c.stack_id == before.stack_id,
            _REVOKED.c.resource_id == before.id,
        )
        .values(stack_id=after.stack_id)
    )
    return done.rowcount == 1


def put_stacks(
    conn: sa.Connection,
    root_id: ids.StackId,
    stack_ids: collections.abc.Collection[ids.StackId],
    deeper: int,
) -> None:
    """Give stacks to the tree of a root.

    :param deeper: by how many levels they lie deeper there than now
    """
    conn.execute(
        sa.update(_STACKS)
        .where(_STACKS.c.id.in_(sorted(stack_ids)))
        .values(root_id=root_id, depth=_STACKS.c.depth + deeper)
    )
    changes.note(conn, stack_ids)


def put_holder(
    conn: sa.Connection,
    child_id: ids.StackId,
    parent_id: ids.StackId,
    resource_name: str,
) -> None:
    """Let another stack hold an inner one."""
    conn.execute(
        sa.update(_STACKS)
        .where(_STACKS.c.id == child_id)
        .values(parent_id=parent_id, parent_resource=resource_name)
    )
    changes.note(conn, [child_id])


def list_targets(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[ids.StackId]:
    """Return the stacks that resources of a stack went to, newest first."""
    found = conn.scalars(
        sa.select(_OPERATIONS.c.options)
        .where(_OPERATIONS.c.stack_id == stack_id)
        .order_by(_OPERATIONS.c.created_at.desc())
    )
    targets = [ids.StackId(each[TO]) for each in found if TO in each]
    return list(dict.fromkeys(targets))
