"""Plain names of columns, and of keys inside of stored documents.

The documents come first, a few rows at a time: what MySQL has renamed stays
renamed, whatever fails after it. Every change looks for the old name, so that
a walk that was cut off there goes on when it is made again.
"""

import collections.abc
import typing

import sqlalchemy as sa
from alembic import op

from orch.db import encryption
from orch.db import types

revision = "0009"
down_revision = "0008"

Map = dict[str, object]

_BATCH = 200
_COLUMNS: typing.Final = (
    ("stacks", "is_astray", "has_diverged"),
    ("resources", "wanted", "desired_properties"),
    ("resources", "kept", "snapshot_data"),
    ("watches", "asked_at", "requested_at"),
    ("lifecycle_runs", "hold_asked_at", "hold_requested_at"),
    ("observations", "covered", "compared"),
    ("forwarded_addresses", "told_at", "notified_at"),
    ("software_deployments", "signals_seen", "signal_count"),
)
_REPORT: typing.Final = frozenset(
    {"status", "status_reason", "output_values", "signals_seen"}
)
"""What a document says of a deployment, by which its report is known."""


def upgrade() -> None:
    """Make the change; there is no way back."""
    _rewrite("operations", ("id",), "attempts", "asked_by", _attempts)
    _rewrite(
        "kept_answers", ("project_id", "key"), "answer", "asked_at", _answer
    )
    _rewrite("snapshots", ("id",), "data", "kept", _snapshot)
    _rewrite("plans", ("id",), "changes", "inner", _plan)
    _rewrite("abandonments", ("id",), "document", "signals_seen", _document)
    resource = ("stack_id", "name", "id")
    _rewrite("resources", resource, "data", "signals_seen", _data)
    if "kept" in _names("resources"):
        _rewrite("resources", resource, "kept", "inner_snapshot_id", _child)
    for table, old, new in _COLUMNS:
        if old in _names(table):
            op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")


def _names(table: str) -> set[str]:
    columns = sa.inspect(op.get_bind()).get_columns(table)
    return {str(each["name"]) for each in columns}


def _rewrite(
    table: str,
    keys: tuple[str, ...],
    name: str,
    word: str,
    change: collections.abc.Callable[[object], object],
) -> None:
    """Store the changed documents of a column, those sealed that were.

    :param keys: columns of the primary key
    :param word: no document without this word has to be changed
    """
    bind = op.get_bind()
    cipher = encryption.cipher_of(bind.dialect)
    text: sa.ColumnClause[str] = sa.column(name, sa.Text())
    columns = [sa.column(each, sa.String()) for each in keys]
    rows = sa.table(table, *columns, text)
    found = (
        sa.select(*columns, text)
        .where(
            sa.or_(
                text.like(f'%"{word}"%'),
                text.like(f"{encryption.PREFIX}%"),
            )
        )
        .order_by(*columns)
        .limit(_BATCH)
    )
    after: tuple[str, ...] | None = None
    while True:
        batch = found
        if after is not None:
            batch = found.where(_is_past(columns, after))
        taken = bind.execute(batch).all()
        for *key, stored in taken:
            was = types.load(cipher.open(stored))
            now = change(was)
            if now != was:
                written = types.dump(now)
                if stored.startswith(encryption.PREFIX):
                    written = cipher.seal(written)
                where = (c == k for c, k in zip(columns, key, strict=True))
                bind.execute(
                    sa.update(rows).where(*where).values({name: written})
                )
        if len(taken) < _BATCH:
            return
        after = tuple(taken[-1][: len(keys)])


def _is_past(
    columns: collections.abc.Sequence[sa.ColumnClause[str]],
    after: tuple[str, ...],
) -> sa.ColumnElement[bool]:
    """Whether a key comes after another one, without comparing tuples."""
    return sa.or_(
        *(
            sa.and_(
                *(c == k for c, k in zip(columns[:at], after, strict=False)),
                columns[at] > after[at],
            )
            for at in range(len(columns))
        )
    )


def _renamed(found: object, old: str, new: str) -> object:
    """Return a map with another name for a key; all else as it is."""
    if not isinstance(found, dict) or old not in found:
        return found
    return {new if key == old else key: each for key, each in found.items()}


def _attempts(found: object) -> object:
    """Return attempts of an operation, which say who asked."""
    assert isinstance(found, list)
    return [_renamed(each, "asked_by", "requested_by") for each in found]


def _answer(found: object) -> object:
    """Return the first answer to a request; one of an observation is so."""
    return _renamed(found, "asked_at", "requested_at")


def _child(found: object) -> object:
    """Return what a resource that is a stack has of its snapshot."""
    return _renamed(found, "inner_snapshot_id", "child_snapshot_id")


def _snapshot(found: object) -> object:
    """Return what a snapshot stores of a stack."""
    return _changed(found, "resources", _entry)


def _entry(found: object) -> object:
    """Return what a snapshot stores of a resource."""
    return _changed(
        _renamed(found, "kept", "snapshot_data"), "snapshot_data", _child, 0
    )


def _plan(found: object) -> object:
    """Return what a saved plan stores: the plan as it is shown."""
    return _changed(found, "shown", _shown, 0)


def _shown(found: object) -> object:
    """Return a plan as it is shown, those of child stacks included."""
    if not isinstance(found, dict) or not isinstance(
        found.get("changes"), list
    ):
        return found
    changes = [
        _changed(
            _renamed(each, "inner", "child_plan"), "child_plan", _shown, 0
        )
        for each in found["changes"]
    ]
    return {**found, "changes": changes}


def _document(found: object) -> object:
    """Return the document of an abandoned stack, child stacks included."""
    found = _changed(found, "resources", _document)
    found = _changed(found, "resource_data", _data, 0)
    if isinstance(found, dict) and isinstance(found.get("leftovers"), list):
        leftovers = [_document(each) for each in found["leftovers"]]
        return {**found, "leftovers": leftovers}
    return found


def _data(found: object) -> object:
    """Return the data of a resource; a deployment may have a report there."""
    report = found.get("told") if isinstance(found, dict) else None
    if not isinstance(report, dict) or set(report) != _REPORT:
        return found
    found = _renamed(found, "told", "outcome")
    return _changed(
        found,
        "outcome",
        lambda each: _renamed(each, "signals_seen", "signal_count"),
        0,
    )


def _changed(
    found: object,
    key: str,
    change: collections.abc.Callable[[object], object],
    depth: int = 1,
) -> object:
    """Return a map with the value of one key changed.

    :param depth: 1 where that is a map of what is to be changed
    """
    if not isinstance(found, dict) or key not in found:
        return found
    value = found[key]
    if not depth:
        return {**found, key: change(value)}
    if not isinstance(value, dict):
        return found
    return {
        **found,
        key: {name: change(each) for name, each in value.items()},
    }
