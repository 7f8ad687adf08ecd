"""Projects to scan for orphans, and owners of physical resources."""

import collections.abc
import dataclasses
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import stacks
from orch.db.repositories import resources
from orch.model import credential

_STACKS = stacks.STACKS.c
_RESOURCES = stacks.RESOURCES.c
_OPERATIONS = stacks.OPERATIONS.c
_CREDENTIALS = stacks.CREDENTIALS.c


@dataclasses.dataclass(frozen=True, slots=True)
class Speaker:
    """A stack in whose name services are asked about its project.

    :ivar context: who asked for its newest operation
    """

    project_id: str
    stack_id: ids.StackId
    context: collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True)
class Holder:
    """A resource that may hold more than one physical resource.

    :ivar type_name: of what acts on it
    """

    id: ids.ResourceId
    type_name: str
    stack_name: str
    name: str
    data: collections.abc.Mapping[str, object]


def find_speaker(conn: sa.Connection, after: str) -> Speaker | None:
    """Return a stack of the next project that has any.

    The newest root, and before all others one with a credential.

    :param after: the project before; empty for the first
    """
    project_id = conn.scalar(
        sa.select(sa.func.min(_STACKS.project_id)).where(
            _STACKS.project_id > after, _STACKS.deleted_at.is_(None)
        )
    )
    if project_id is None:
        return None
    may_log_in = sa.exists().where(
        _CREDENTIALS.root_id == _STACKS.id,
        _CREDENTIALS.state == credential.State.ACTIVE,
    )
    row = conn.execute(
        sa.select(_STACKS.id, _OPERATIONS.context)
        .join_from(
            stacks.STACKS,
            stacks.OPERATIONS,
            _OPERATIONS.id == _STACKS.operation_id,
        )
        .where(
            _STACKS.project_id == project_id,
            _STACKS.parent_id.is_(None),
            _STACKS.deleted_at.is_(None),
        )
        .order_by(
            sa.case((may_log_in, 0), else_=1),
            _STACKS.created_at.desc(),
            _STACKS.id,
        )
        .limit(1)
    ).first()
    context = {} if row is None else row.context
    stack_id = "" if row is None else row.id
    return Speaker(
        str(project_id),
        ids.StackId(stack_id),
        {**context, "project_id": project_id},
    )


def list_owned(
    conn: sa.Connection, physical_ids: collections.abc.Collection[str]
) -> set[tuple[str, str]]:
    """Return those of the physical ids that live stacks know, of any type.

    Things that a stack uses and has not made are among them.

    :returns: each with the project of a stack that knows it
    """
    owned = _live(_STACKS.project_id, _RESOURCES.physical_id)
    return {
        (project_id, physical_id)
        for batch in rows.batches(sorted(physical_ids))
        for project_id, physical_id in conn.execute(
            owned.where(_RESOURCES.physical_id.in_(batch))
        )
    }


def list_holders(
    conn: sa.Connection,
    project_id: str,
    types: collections.abc.Collection[str],
) -> list[Holder]:
    """Return the resources of these types that live stacks have."""
    acts_on_it = sa.func.coalesce(_RESOURCES.mapped_type, _RESOURCES.type_name)
    found = conn.execute(
        _live(
            _RESOURCES.id,
            acts_on_it,
            _STACKS.name,
            _RESOURCES.name,
            _RESOURCES.data,
        ).where(
            _STACKS.project_id == project_id, acts_on_it.in_(sorted(types))
        )
    )
    return [Holder(*row) for row in found]


def _live(
    *columns: sa.ColumnElement[typing.Any],
) -> sa.Select[tuple[typing.Any, ...]]:
    """Return what selects these of all resources that are not gone."""
    return (
        sa.select(*columns)
        .join_from(
            stacks.RESOURCES,
            stacks.STACKS,
            _STACKS.id == _RESOURCES.stack_id,
        )
        .where(_STACKS.deleted_at.is_(None), ~resources.IS_GONE)
    )
