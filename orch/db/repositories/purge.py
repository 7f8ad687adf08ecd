"""Removes rows that are no longer needed, in small batches."""

import sqlalchemy as sa

from orch.db import functions
from orch.db import types
from orch.db.models import events
from orch.db.models import forwarding
from orch.db.models import lifecycle
from orch.db.models import observations
from orch.db.models import stacks
from orch.db.repositories import change_feed
from orch.db.repositories import contents as content_rows
from orch.db.repositories import outbox
from orch.model import states

_STACKS = stacks.STACKS
_SNAPSHOTS = stacks.SNAPSHOTS
_CONTENTS = stacks.CONTENTS
_USES = stacks.CONTENT_USES
_SINKS = events.EVENT_SINKS
_ENDED = (states.OperationState.COMPLETE, states.OperationState.SUPERSEDED)


def purge_deleted(conn: sa.Connection, older_than_s: float, limit: int) -> int:
    """Remove stacks that were deleted so long ago, with all their rows.

    A child stack stays while a snapshot of its tree may restore it.

    :param limit: how many stacks at most; fewer done means none is left
    :returns: how many stacks
    """
    bound = functions.read_clock(conn) - older_than_s
    gone = list(
        conn.scalars(
            sa.select(_STACKS.c.id)
            .where(_STACKS.c.deleted_at < bound, ~_is_restorable())
            .order_by(_STACKS.c.deleted_at)
            .limit(limit)
        )
    )
    if gone:
        for table in (
            events.EVENTS,
            stacks.RESOURCES,
            observations.OBSERVATIONS,
            observations.DRIFT_HISTORY,
            observations.DRIFT_ACCEPTANCES,
            stacks.OPERATION_PLANS,
            stacks.OPERATION_STEPS,
            lifecycle.LIFECYCLE_DECISIONS,
            stacks.OPERATIONS,
            stacks.PLANS,
            stacks.SNAPSHOTS,
            forwarding.UNREPORTED_SIGNALS,
            forwarding.REVOKED_ADDRESSES,
            forwarding.TAKEN_SIGNALS,
            forwarding.ORIGINS,
            stacks.STACK_TAGS,
            events.EVENT_SINK_CURSORS,
        ):
            conn.execute(sa.delete(table).where(table.c.stack_id.in_(gone)))
        runs = lifecycle.LIFECYCLE_RUNS.c
        # A release waits for the operation of another stack.
        conn.execute(
            sa.delete(lifecycle.LIFECYCLE_RUNS).where(
                runs.stack_id.in_(gone), runs.for_operation.is_(None)
            )
        )
        for table in (
            observations.WATCHES,
            events.EVENT_SINK_STATES,
            events.EVENT_SINK_CURSORS,
        ):
            conn.execute(sa.delete(table).where(table.c.root_id.in_(gone)))
        conn.execute(sa.delete(_STACKS).where(_STACKS.c.id.in_(gone)))
        outbox.delete_held(conn, gone)
        change_feed.forget(conn, gone)
    return len(gone)


def _is_restorable() -> sa.ColumnElement[bool]:
    root = sa.alias(_STACKS)
    return (
        sa.exists()
        .where(_SNAPSHOTS.c.stack_id == _STACKS.c.id)
        .where(root.c.id == _STACKS.c.root_id, root.c.deleted_at.is_(None))
        .correlate(_STACKS)
    )


def purge_contents(conn: sa.Connection, limit: int) -> int:
    """Remove texts that no stack, snapshot, other text or operation needs.

    Each call looks at all of them: it is for the hour, not for the second.

    :param limit: how many at most; fewer done means that none is left, but
        for those which only the texts just removed had named
    :returns: how many
    """
    found = set(conn.scalars(_select_unused().limit(limit)))
    if found:
        found -= _find_named_by_operations(conn)
    if found:
        doomed = sorted(found)
        gone = conn.execute(
            sa.delete(_CONTENTS).where(_CONTENTS.c.hash.in_(doomed), _is_old())
        ).rowcount
        kept = sa.exists().where(_CONTENTS.c.hash == _USES.c.hash)
        conn.execute(sa.delete(_USES).where(_USES.c.hash.in_(doomed), ~kept))
        named = _SINKS.c.environment_hash
        kept = sa.exists().where(_CONTENTS.c.hash == named)
        conn.execute(sa.delete(_SINKS).where(named.in_(doomed), ~kept))
        return gone
    return 0


def _is_old() -> sa.ColumnElement[bool]:
    bound = functions.now() - 2 * content_rows.FRESH_S
    return _CONTENTS.c.used_at < bound


def _select_unused() -> sa.Select[tuple[str]]:
    key = _CONTENTS.c.hash
    return sa.select(key).where(
        _is_old(),
        ~sa.exists().where(_STACKS.c.template_hash == key),
        ~sa.exists().where(_STACKS.c.environment_hash == key),
        ~sa.exists().where(_STACKS.c.good_template_hash == key),
        ~sa.exists().where(_STACKS.c.good_environment_hash == key),
        ~sa.exists().where(_SNAPSHOTS.c.template_hash == key),
        ~sa.exists().where(_SNAPSHOTS.c.environment_hash == key),
        ~sa.exists().where(_USES.c.used_hash == key),
    )


def _find_named_by_operations(conn: sa.Connection) -> set[str]:
    """Return the hashes that operations which may yet run depend on.

    Plans that were kept and have not run count as such.
    """
    mine, kept = stacks.OPERATIONS.c, stacks.PLANS.c
    found = conn.execute(
        sa.select(mine.options, mine.template_hash, mine.environment_hash)
        .where(mine.state.not_in(_ENDED))
        .union_all(
            sa.select(
                kept.options, kept.template_hash, kept.environment_hash
            ).where(kept.operation_id.is_(None))
        )
    )
    named: set[str] = set()
    for options, *hashes in found:
        named.update(content_rows.HASH.findall(types.dump(options)))
        named.update(each for each in hashes if each)
    return named
