"""Which resource of the installation owns a physical resource.

The rows of resources are the registry: who adopts a physical resource stores
its row in the transaction in which it looked whether another one has it.
"""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import forwarding
from orch.db.models import stacks
from orch.db.repositories import resources

_RESOURCES = stacks.RESOURCES.c
_STACKS = stacks.STACKS.c
_DECISIONS = forwarding.DECISIONS
_NAME = "adoption"


class PhysicalKey(typing.NamedTuple):
    """A physical resource.

    :ivar type_name: of what acts on it; empty where that is not known
    :ivar id_scope: where the id names one physical resource, as a hash;
        ``None`` where that is not known
    """

    type_name: str
    physical_id: str
    id_scope: str | None


class Owner(typing.NamedTuple):
    """The resource that owns a physical resource, and its stack.

    :ivar type_name: of what acts on it
    :ivar id_scope: ``None`` where it is not known: then it is in any
    :ivar is_unverified: it owns it within its project only, as it was
        adopted without being seen
    """

    type_name: str
    resource_id: ids.ResourceId
    name: str
    stack_id: ids.StackId
    root_id: ids.StackId
    project_id: str
    id_scope: str | None
    is_unverified: bool

    def is_in(self, project_id: str) -> bool:
        """Whether a resource of a project has to respect it."""
        return self.project_id == project_id or not self.is_unverified


class ScopeTerms(typing.NamedTuple):
    """What the scope of an owner's physical id follows from.

    :ivar user_id: of who created its stack
    """

    user_id: str | None
    properties: collections.abc.Mapping[str, object]


def decide_alone(conn: sa.Connection) -> None:
    """Keep all others from adopting until the transaction ends."""
    rows.insert(conn, _DECISIONS, [{"name": _NAME}])
    conn.execute(
        sa.select(_DECISIONS.c.name)
        .where(_DECISIONS.c.name == _NAME)
        .with_for_update()
    )


def find_owners(
    conn: sa.Connection, keys: collections.abc.Iterable[PhysicalKey]
) -> dict[PhysicalKey, list[Owner]]:
    """Return the owners of physical resources; those without one are absent.

    One whose scope is not known, wanted or owned, is that of each scope, and
    one whose type is not known, wanted, is that of each type. A
    resource that only reads (``external_id``) owns nothing, nor does one
    whose physical resource another stack has until its adoption starts.
    """
    wanted: dict[tuple[str, str], list[PhysicalKey]] = {}
    for key in set(keys):
        wanted.setdefault((key.type_name, key.physical_id), []).append(key)
    found: dict[PhysicalKey, list[Owner]] = {}
    for batch in rows.batches(sorted({each for _, each in wanted})):
        for type_name, physical_id, *owning in conn.execute(_owning(batch)):
            owner = Owner(type_name, *owning)
            for key in (
                *wanted.get((type_name, physical_id), ()),
                *wanted.get(("", physical_id), ()),
            ):
                if _is_same(key.id_scope, owner.id_scope):
                    found.setdefault(key, []).append(owner)
    return found


def list_scope_terms(
    conn: sa.Connection, owners: collections.abc.Iterable[Owner]
) -> dict[ids.ResourceId, ScopeTerms]:
    """Return what says the scopes of rows of an earlier release.

    A page of them takes a statement.
    """
    return {
        resource_id: ScopeTerms(*terms)
        for batch in rows.batches(
            {(o.stack_id, o.resource_id) for o in owners}
        )
        for resource_id, *terms in conn.execute(
            sa.select(_RESOURCES.id, _STACKS.user_id, _RESOURCES.properties)
            .join_from(
                stacks.RESOURCES,
                stacks.STACKS,
                _STACKS.id == _RESOURCES.stack_id,
            )
            .where(
                _RESOURCES.stack_id.in_({each[0] for each in batch}),
                _RESOURCES.id.in_([each[1] for each in batch]),
            )
        )
    }


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
            stacks.RESOURCES,
            stacks.STACKS,
            _STACKS.id == _RESOURCES.stack_id,
        )
        .where(
            _RESOURCES.id.in_(list(tokens)),
            _STACKS.deleted_at.is_(None),
            ~resources.IS_GONE,
        )
    )
    known = conn.scalars(
        sa.select(_STACKS.id).where(_STACKS.id.in_(list(tokens)))
    )
    return {ids.ResourceId(each) for each in (*found, *known)}


def _is_same(one: str | None, other: str | None) -> bool:
    """Whether two scopes may be the same."""
    return one is None or other is None or one == other


def _owning(
    physical_ids: collections.abc.Sequence[str],
) -> sa.Select[tuple[typing.Any, ...]]:
    return (
        sa.select(
            sa.func.coalesce(_RESOURCES.mapped_type, _RESOURCES.type_name),
            _RESOURCES.physical_id,
            _RESOURCES.id,
            _RESOURCES.name,
            _RESOURCES.stack_id,
            _STACKS.root_id,
            _STACKS.project_id,
            _RESOURCES.id_scope,
            _RESOURCES.is_unverified,
        )
        .join_from(
            stacks.RESOURCES,
            stacks.STACKS,
            _STACKS.id == _RESOURCES.stack_id,
        )
        .where(
            _RESOURCES.physical_id.in_(physical_ids),
            _RESOURCES.external_id.is_(None),
            _RESOURCES.taken_from.is_(None),
            _STACKS.deleted_at.is_(None),
            ~resources.IS_GONE,
        )
    )
