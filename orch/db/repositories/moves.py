"""Moves rows from one stack to another; physical resources do not change."""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import changes
from orch.db import rows
from orch.db.models import forwarding
from orch.db.models import observations
from orch.db.models import stacks
from orch.model import resource
from orch.model import stack as stack_model

TO: typing.Final = "moved_to"
"""Option of an operation: the stack that resources went to with it."""

_OPERATIONS = stacks.OPERATIONS
_RESOURCES = stacks.RESOURCES
_REVOKED = forwarding.REVOKED_ADDRESSES
_STACKS = stacks.STACKS
_HISTORY = observations.DRIFT_HISTORY
_OF_DRIFT = (
    observations.OBSERVATIONS,
    _HISTORY,
    observations.DRIFT_ACCEPTANCES,
)


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


def put_drift(
    conn: sa.Connection,
    source_root: ids.StackId,
    target: stack_model.Stack,
    paths: collections.abc.Mapping[ids.ResourceId, tuple[str, str]],
    child_ids: collections.abc.Collection[ids.StackId],
) -> None:
    """Give what is known of the drift of resources to another stack.

    :param source_root: the root of their tree until now
    :param paths: from the root of before and from that of now, by resource
    :param child_ids: the child stacks that have moved with them
    """
    moved, children = sorted(paths), sorted(child_ids)
    _rename_history(conn, source_root, paths, children)
    for table in _OF_DRIFT:
        c = table.c
        for known, column, new in (
            (moved, c.resource_id, {"stack_id": target.id}),
            (children, c.stack_id, {}),
        ):
            for page in rows.batches(known):
                conn.execute(
                    sa.update(table)
                    .where(c.root_id == source_root, column.in_(page))
                    .values(root_id=target.root_id, **new)
                )


def _rename_history(
    conn: sa.Connection,
    root_id: ids.StackId,
    paths: collections.abc.Mapping[ids.ResourceId, tuple[str, str]],
    child_ids: collections.abc.Container[str],
) -> None:
    """Change the paths of resources, and of those below, in a history."""
    c = _HISTORY.c
    known = conn.execute(
        sa.select(c.id, c.path, c.resource_id, c.stack_id).where(
            c.root_id == root_id
        )
    ).all()
    changed = [
        rows.parameters(
            {"id": each.id}, {"path": f"{after}{each.path[len(before) :]}"}
        )
        for each in known
        if each.resource_id in paths or each.stack_id in child_ids
        for before, after in dict(paths.values()).items()
        if f"{each.path}/".startswith(f"{before}/")
    ]
    if changed:
        conn.execute(rows.setting(_HISTORY, ("id",), ("path",)), changed)


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
