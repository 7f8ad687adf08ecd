"""Observations: what was seen of resources when they were last looked at."""

import collections.abc
import dataclasses
import typing

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import rows
from orch.db.models import observations
from orch.db.models import stacks
from orch.model import observation
from orch.model import stack
from orch.model import states

_TABLE = observations.OBSERVATIONS
_RESOURCES = stacks.RESOURCES
_STACKS = stacks.STACKS
_WATCHES = observations.WATCHES
_ROWS = rows.Rows(observation.Observation, _TABLE)
_Observed = typing.TypeVar(
    "_Observed", observation.Observation, observation.Acceptance
)
_CHANGING = tuple(
    c.name for c in _ROWS.columns if c.name not in ("stack_id", "resource_id")
)


def save_many(
    conn: sa.Connection,
    values: collections.abc.Sequence[observation.Observation],
) -> None:
    """Store what was seen in the place of what was seen before."""
    rows.save(conn, _TABLE, [_ROWS.values(each) for each in values], _CHANGING)


def list_tree(
    conn: sa.Connection, root_id: ids.StackId
) -> list[observation.Observation]:
    """Return what was seen of a tree of stacks, in no order."""
    found = _ROWS.all(
        conn.execute(_ROWS.by("root_id"), {"key_root_id": root_id})
    )
    return [with_differences(each) for each in found]


def list_some(
    conn: sa.Connection,
    stack_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
) -> list[observation.Observation]:
    """Return what was seen of some resources of a stack, in no order."""
    return [
        with_differences(each)
        for each in _ROWS.find_in(
            conn,
            _TABLE.c.resource_id,
            resource_ids,
            _TABLE.c.stack_id == stack_id,
        )
    ]


def count_vanished(
    conn: sa.Connection, project_id: str, since: clock.Timestamp
) -> tuple[int, int]:
    """Return how many physical resources of a project have vanished since.

    :returns: that, and how many were observed
    """
    counted = sa.select(
        sa.func.sum(
            sa.case(
                (
                    _TABLE.c.is_vanished.is_(sa.true())
                    & (_TABLE.c.drifted_at >= since),
                    1,
                ),
                else_=0,
            )
        ),
        sa.func.count(),
    ).where(
        _TABLE.c.root_id == _WATCHES.c.root_id,
        _WATCHES.c.project_id == project_id,
        _TABLE.c.state != observation.State.NOTHING,
    )
    vanished, observed = conn.execute(counted).one()
    return int(vanished or 0), int(observed)


def find(
    conn: sa.Connection, stack_id: ids.StackId, resource_id: ids.ResourceId
) -> observation.Observation | None:
    """Return what was seen of a resource; ``None`` for nothing yet."""
    found = _ROWS.find(conn, stack_id, resource_id)
    return None if found is None else with_differences(found)


def summarize(
    conn: sa.Connection, stack: stack.Stack, *, is_of_tree: bool = True
) -> observation.StackDrift:
    """Return the drift of a stack as a whole.

    What an operation has changed since it was seen is unknown.

    :param is_of_tree: with a root all of its tree is counted
    """
    r, o = _RESOURCES.c, _TABLE.c
    of_stack = r.stack_id == stack.id
    if is_of_tree and stack.parent_id is None:
        members = sa.select(_STACKS.c.id).where(_STACKS.c.root_id == stack.id)
        of_stack = r.stack_id.in_(members)
    is_fresh = (o.state == observation.State.NOTHING) | (
        o.observed_at >= sa.func.coalesce(r.changed_at, r.updated_at)
    )
    state = sa.case((is_fresh, o.state), else_=observation.State.UNKNOWN)
    found = conn.execute(
        sa.select(
            state.label("state"),
            sa.func.count().label("resources"),
            sa.func.sum(sa.case((is_fresh, o.compared), else_=0)).label(
                "compared"
            ),
            sa.func.sum(sa.func.coalesce(o.given, 0)).label("given"),
        )
        .select_from(
            _RESOURCES.outerjoin(
                _TABLE, (o.stack_id == r.stack_id) & (o.resource_id == r.id)
            )
        )
        .where(
            of_stack,
            r.replaced_by.is_(None),
            sa.or_(
                r.action != states.Action.DELETE,
                r.status != states.Status.COMPLETE,
            ),
        )
        .group_by(state)
    ).all()
    return observation.StackDrift(
        state=observation.combined_state(each.state for each in found),
        coverage=observation.coverage_percent(
            int(sum(each.compared for each in found)),
            int(sum(each.given for each in found)),
        ),
        drifted=sum(
            each.resources
            for each in found
            if each.state == observation.State.DRIFTED
        ),
    )


def forget_others(
    conn: sa.Connection,
    root_id: ids.StackId,
    kept: collections.abc.Collection[tuple[ids.StackId, ids.ResourceId]],
    changed: collections.abc.Container[str] = (),
) -> list[ids.ResourceId]:
    """Forget what was seen of resources of a tree that are no more.

    :param kept: those that are there still, each with its stack
    :param changed: stacks of which all stays, as others may be there
    :returns: their ids
    """
    c = _TABLE.c
    known = conn.execute(
        sa.select(c.stack_id, c.resource_id).where(c.root_id == root_id)
    )
    gone: dict[str, list[str]] = {}
    for stack_id, resource_id in {tuple(row) for row in known} - set(kept):
        if stack_id not in changed:
            gone.setdefault(stack_id, []).append(resource_id)
    for stack_id, resource_ids in sorted(gone.items()):
        rows.delete_in(
            conn, c.resource_id, resource_ids, c.stack_id == stack_id
        )
    return [ids.ResourceId(one) for each in gone.values() for one in each]


def forget_tree(conn: sa.Connection, root_id: ids.StackId) -> None:
    """Forget all that was seen of a tree."""
    conn.execute(sa.delete(_TABLE).where(_TABLE.c.root_id == root_id))


def with_differences(value: _Observed) -> _Observed:
    """Return a value whose differences are still as they were stored."""
    stored = typing.cast("list[dict[str, typing.Any]]", value.differences)
    return dataclasses.replace(
        value,
        differences=tuple(
            observation.Difference(
                **{**each, "policy": observation.Policy(each["policy"])}
            )
            for each in stored
        ),
    )
