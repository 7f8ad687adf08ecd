"""Which stack of the installation owns a physical resource.

The rows of resources are the registry: whoever adopts a thing stores its row
in the transaction in which it looked whether another one has it.
"""

import collections.abc

import sqlalchemy as sa

from orch.db import bulk
from orch.db.models import abandonments
from orch.db.models import resources
from orch.db.models import stacks
from orch.model import states

_RESOURCES = resources.RESOURCES.c
_STACKS = stacks.STACKS.c
_DECISIONS = abandonments.DECISIONS
_NAME = "adoption"
_PAGE = 500

PhysicalKey = tuple[str, str]
"""Type of the plug-in and physical id."""


def decide_alone(conn: sa.Connection) -> None:
    """Keep all others from adopting until the transaction ends."""
    row: bulk.Row = {"name": _NAME}
    conn.execute(bulk.insert_absent(conn.dialect.name, _DECISIONS), [row])
    conn.execute(
        sa.select(_DECISIONS.c.name)
        .where(_DECISIONS.c.name == _NAME)
        .with_for_update()
    )


def find_owners(
    conn: sa.Connection, keys: collections.abc.Iterable[PhysicalKey]
) -> dict[PhysicalKey, str]:
    """Return the stacks that own things, by id; others are not in it.

    Who only looks at a thing (``external_id``) does not own it.
    """
    wanted = set(keys)
    found: dict[PhysicalKey, str] = {}
    listed = sorted({physical_id for _, physical_id in wanted})
    for start in range(0, len(listed), _PAGE):
        for row in conn.execute(_owning(listed[start : start + _PAGE])):
            key = (row.kind, row.physical_id)
            if key in wanted:
                found[key] = row.stack_id
    return found


def _owning(
    physical_ids: collections.abc.Sequence[str],
) -> sa.Select[tuple[object, ...]]:
    is_gone = (_RESOURCES.action == states.Action.DELETE) & (
        _RESOURCES.status == states.Status.COMPLETE
    )
    kind = sa.func.coalesce(_RESOURCES.mapped_type, _RESOURCES.type_name)
    return (
        sa.select(
            kind.label("kind"), _RESOURCES.physical_id, _RESOURCES.stack_id
        )
        .join_from(
            resources.RESOURCES,
            stacks.STACKS,
            _STACKS.id == _RESOURCES.stack_id,
        )
        .where(
            _RESOURCES.physical_id.in_(physical_ids),
            _RESOURCES.external_id.is_(None),
            _STACKS.deleted_at.is_(None),
            ~is_gone,
        )
    )
