"""Whom to ask about things that no stack has, and whose a thing is."""

import collections.abc
import dataclasses

import sqlalchemy as sa

from orch import ids
from orch.db.models import credentials
from orch.db.models import operations
from orch.db.models import resources
from orch.db.models import stacks
from orch.model import credential
from orch.model import states

_STACKS = stacks.STACKS.c
_RESOURCES = resources.RESOURCES.c
_OPERATIONS = operations.OPERATIONS.c
_CREDENTIALS = credentials.CREDENTIALS.c

_PAGE = 500


@dataclasses.dataclass(frozen=True, slots=True)
class Speaker:
    """A stack in whose name services are asked about its project.

    :ivar context: who asked for its newest operation
    """

    project_id: str
    stack_id: ids.StackId
    context: collections.abc.Mapping[str, object]


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
            operations.OPERATIONS,
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
) -> set[str]:
    """Return those of the physical ids that live stacks know, of any type.

    Things that a stack uses and has not made are among them.
    """
    is_gone = (_RESOURCES.action == states.Action.DELETE) & (
        _RESOURCES.status == states.Status.COMPLETE
    )
    wanted = sorted(physical_ids)
    found: set[str] = set()
    for start in range(0, len(wanted), _PAGE):
        found.update(
            conn.scalars(
                sa.select(_RESOURCES.physical_id)
                .join_from(
                    resources.RESOURCES,
                    stacks.STACKS,
                    _STACKS.id == _RESOURCES.stack_id,
                )
                .where(
                    _RESOURCES.physical_id.in_(wanted[start : start + _PAGE]),
                    _STACKS.deleted_at.is_(None),
                    ~is_gone,
                )
            )
        )
    return found
