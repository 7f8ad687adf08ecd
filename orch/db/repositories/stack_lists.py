"""Lists and numbers of stacks."""

import collections.abc

import sqlalchemy as sa

from orch import ids
from orch.db import pages
from orch.db import queries
from orch.db import rows
from orch.db.models import stacks
from orch.model import stack
from orch.model import states

_TABLE = stacks.STACKS
_TAGS = stacks.STACK_TAGS
_RESOURCES = stacks.RESOURCES
_ROWS = rows.Rows(stack.Stack, _TABLE)
_COLUMNS = _TABLE.c

_SORTABLE: dict[str, sa.ColumnElement[object]] = {
    "name": _COLUMNS.name,
    "status": _COLUMNS.status,
    "created_at": _COLUMNS.created_at,
    "updated_at": sa.func.coalesce(_COLUMNS.updated_at, 0.0),
}
_TEXT_FILTERS = (
    "id",
    "name",
    "action",
    "status",
    "project_id",
    "username",
    "parent_id",
)


def list_(conn: sa.Connection, query: queries.StackQuery) -> list[stack.Stack]:
    """Return the stacks that the query asks for, in its order."""
    statement = _ROWS.select().where(*_conditions(query))
    order = _order(query)
    if query.marker is not None:
        marker = _TABLE.c.id == query.marker
        statement = order.after(conn, statement, marker)
    return _ROWS.all(
        conn.execute(statement.order_by(*order.by()).limit(query.limit))
    )


def count(conn: sa.Connection, query: queries.StackQuery) -> int:
    """Return how many stacks the query asks for, without its paging."""
    return _ROWS.count(conn, *_conditions(query))


def count_live(conn: sa.Connection, project_id: str) -> int:
    """Return how many live root stacks the project has."""
    return count(conn, queries.StackQuery(project_id=project_id))


def find_unsound(
    conn: sa.Connection, parent_id: ids.StackId
) -> set[tuple[ids.StackId, ids.StackId | None]]:
    """Return the child stacks of a stack that need an update; one SELECT.

    In them a resource failed or is unhealthy, or a stack failed, is gone or
    has diverged, at any depth.

    :returns: each with ``None``, or with a stack there that only has failed
    """
    below = (
        sa.select(_COLUMNS.id, _COLUMNS.id.label("top"))
        .where(_COLUMNS.parent_id == parent_id)
        .cte("below", recursive=True)
    )
    below = below.union_all(
        sa.select(_COLUMNS.id, below.c.top).where(
            _COLUMNS.parent_id == below.c.id
        )
    )
    row = _RESOURCES.c
    is_lost = sa.or_(_COLUMNS.deleted_at.is_not(None), _COLUMNS.has_diverged)
    failed = sa.case((is_lost, sa.null()), else_=_COLUMNS.id)
    found = conn.execute(
        sa.select(below.c.top, sa.cast(sa.null(), _COLUMNS.id.type))
        .where(row.stack_id == below.c.id, row.status == states.Status.FAILED)
        .union(
            # One that is gone with its resource is not missed.
            sa.select(below.c.top, failed).where(
                _COLUMNS.id == below.c.id,
                row.stack_id == _COLUMNS.parent_id,
                row.id == _COLUMNS.id,
                sa.or_(is_lost, _COLUMNS.status == states.Status.FAILED),
            )
        )
    )
    return {(top, stack_id) for top, stack_id in found}


def _order(query: queries.StackQuery) -> pages.Order:
    """Return the order that the query asks for."""
    keys = [_SORTABLE[key] for key in query.sort_keys if key in _SORTABLE]
    is_descending = query.sort_dir == "desc"
    if not keys:
        keys = [_SORTABLE["created_at"]]
        is_descending = query.sort_dir != "asc"
    return pages.Order((*keys, _COLUMNS.id), is_descending)


def _conditions(
    query: queries.StackQuery,
) -> list[sa.ColumnElement[bool]]:
    """Return what is true of the stacks that the query asks for."""
    found: list[sa.ColumnElement[bool]] = []
    if not query.all_projects:
        found.append(_COLUMNS.project_id == query.project_id)
    if not query.show_deleted:
        found.append(_COLUMNS.deleted_at.is_(None))
    if not query.show_nested and "parent_id" not in query.filters:
        found.append(_COLUMNS.parent_id.is_(None))
    for name, allowed in query.filters.items():
        if name in _TEXT_FILTERS:
            found.append(_COLUMNS[name].in_(allowed))
        elif name == "disable_rollback":
            found.append(_COLUMNS.disable_rollback.in_(_flags(allowed)))
        elif name == "timeout_mins":
            found.append(_COLUMNS.timeout_s.in_(_seconds(allowed)))
    if query.tags:
        found.append(_has_all(query.tags))
    if query.tags_any:
        found.append(_has_any(query.tags_any))
    if query.not_tags:
        found.append(~_has_all(query.not_tags))
    if query.not_tags_any:
        found.append(~_has_any(query.not_tags_any))
    return found


def _has_any(
    tags: collections.abc.Collection[str],
) -> sa.ColumnElement[bool]:
    """Return the condition that a stack bears one of the tags."""
    return sa.exists().where(
        _TAGS.c.stack_id == _COLUMNS.id, _TAGS.c.tag.in_(tags)
    )


def _has_all(
    tags: collections.abc.Collection[str],
) -> sa.ColumnElement[bool]:
    """Return the condition that a stack bears each of the tags.

    It counts: SQLite takes no statement with a condition for each of a
    thousand tags.
    """
    wanted = set(tags)
    borne = (
        sa.select(sa.func.count())
        .select_from(_TAGS)
        .where(_TAGS.c.stack_id == _COLUMNS.id, _TAGS.c.tag.in_(wanted))
    )
    return borne.scalar_subquery() == len(wanted)


def _flags(texts: collections.abc.Iterable[str]) -> list[bool]:
    words = {"true": True, "false": False}
    return [words[t.lower()] for t in texts if t.lower() in words]


def _seconds(texts: collections.abc.Iterable[str]) -> list[int]:
    return [int(text) * 60 for text in texts if text.isdecimal()]
