"""Which stack of the installation owns a physical resource.

The rows of resources are the registry: whoever adopts a thing stores its row
in the transaction in which it looked whether another one has it.
"""

import collections.abc
import types
import typing

import sqlalchemy as sa

from orch import ids
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


class Owner(typing.NamedTuple):
    """The stack that owns a physical resource, and its project."""

    stack_id: str
    project_id: str


def decide_alone(conn: sa.Connection) -> None:
    """Keep all others from adopting until the transaction ends."""
    row: bulk.Row = {"name": _NAME}
    conn.execute(bulk.insert_absent(conn.dialect.name, _DECISIONS), [row])
    conn.execute(
        sa.select(_DECISIONS.c.name)
        .where(_DECISIONS.c.name == _NAME)
        .with_for_update()
    )


_ANYWHERE: typing.Final[collections.abc.Mapping[str, object]] = (
    types.MappingProxyType({})
)


def find_owners(
    conn: sa.Connection,
    keys: collections.abc.Iterable[PhysicalKey],
    scope: collections.abc.Mapping[str, object] = _ANYWHERE,
) -> dict[PhysicalKey, list[Owner]]:
    """Return who owns things; what no stack owns is not in it.

    Two stacks own a thing where the second was told to take it.

    Who only looks at a thing (``external_id``) does not own it.

    :param scope: properties that say where the ids are unique; a resource
        that has other values of them owns another thing
    """
    wanted = set(keys)
    found: dict[PhysicalKey, list[Owner]] = {}
    listed = sorted({physical_id for _, physical_id in wanted})
    for start in range(0, len(listed), _PAGE):
        owning = _owning(listed[start : start + _PAGE])
        if scope:
            owning = owning.add_columns(_RESOURCES.properties)
        for row in conn.execute(owning):
            key = (row.kind, row.physical_id)
            if key in wanted and all(
                row.properties.get(name, value) == value
                for name, value in scope.items()
            ):
                owner = Owner(row.stack_id, row.project_id)
                found.setdefault(key, []).append(owner)
    return found


def find_tokens(
    conn: sa.Connection, tokens: collections.abc.Collection[str]
) -> set[ids.ResourceId]:
    """Return those that are stacks, or resources of one that is not gone.

    The id of a child stack is that of its resource, so a token must lead to
    no stack. No index leads to the resources: few adoptions ask.
    """
    if not tokens:
        return set()
    found = conn.scalars(
        sa.select(_RESOURCES.id)
        .join_from(
            resources.RESOURCES,
            stacks.STACKS,
            _STACKS.id == _RESOURCES.stack_id,
        )
        .where(
            _RESOURCES.id.in_(list(tokens)),
            _STACKS.deleted_at.is_(None),
            ~_is_gone(),
        )
    )
    known = conn.scalars(
        sa.select(_STACKS.id).where(_STACKS.id.in_(list(tokens)))
    )
    return {ids.ResourceId(each) for each in (*found, *known)}


def _is_gone() -> sa.ColumnElement[bool]:
    return (_RESOURCES.action == states.Action.DELETE) & (
        _RESOURCES.status == states.Status.COMPLETE
    )


def _owning(
    physical_ids: collections.abc.Sequence[str],
) -> sa.Select[tuple[object, ...]]:
    kind = sa.func.coalesce(_RESOURCES.mapped_type, _RESOURCES.type_name)
    return (
        sa.select(
            kind.label("kind"),
            _RESOURCES.physical_id,
            _RESOURCES.stack_id,
            _STACKS.project_id,
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
            ~_is_gone(),
        )
    )
