"""Create the first tables.

The types are written out here and not taken from :mod:`orch.db.types`: that
module goes on, this step stays what it was.
"""

import typing

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0001"
down_revision = None

_Value = typing.TypeVar("_Value")

_UUID = sa.String(36)
_DIGEST = sa.String(64)
_LABEL = sa.String(255)
_WORD = sa.String(16)
_MOMENT: sa.Double[float] = sa.Double()
_COUNTER = sa.BigInteger()
_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql")
_BLOB = sa.LargeBinary().with_variant(mysql.LONGBLOB(), "mysql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the change; there is no way back."""
    _create_stacks()
    _create_contents()
    _create_resources()
    _create_operations()
    _create_events()
    _create_services()


def _create_stacks() -> None:
    _create(
        "stacks",
        ["id"],
        _must("id", _UUID),
        _must("project_id", _LABEL),
        _must("name", _LABEL),
        _may("live_name", _LABEL),
        _must("action", _WORD),
        _must("status", _WORD),
        _must("status_reason", _TEXT),
        _must("template_hash", _DIGEST),
        _must("environment_hash", _DIGEST),
        _must("description", _TEXT),
        _must("tags", _TEXT),
        _must("disable_rollback", sa.Boolean()),
        _must("timeout_s", sa.Integer()),
        _may("user_id", _LABEL),
        _may("username", _LABEL),
        _may("parent_id", _UUID),
        _must("root_id", _UUID),
        _must("depth", sa.Integer()),
        _may("operation_id", _UUID),
        _must("created_at", _MOMENT),
        _may("updated_at", _MOMENT),
        _may("deleted_at", _MOMENT),
        sa.UniqueConstraint(
            "project_id", "live_name", name="uq_stacks_project_id_live_name"
        ),
    )
    _index("stacks", "project_id", "created_at")
    _index("stacks", "parent_id")
    _index("stacks", "deleted_at")
    _index("stacks", "template_hash")
    _index("stacks", "environment_hash")
    _create(
        "stack_tags",
        ["stack_id", "tag"],
        _must("stack_id", _UUID),
        _must("tag", sa.String(80)),
    )
    _index("stack_tags", "tag")


def _create_contents() -> None:
    _create(
        "contents",
        ["hash"],
        _must("hash", _DIGEST),
        _must("body", _BLOB),
        _must("used_at", _MOMENT),
    )
    _create(
        "content_uses",
        ["hash", "used_hash"],
        _must("hash", _DIGEST),
        _must("used_hash", _DIGEST),
    )
    _index("content_uses", "used_hash")


def _create_resources() -> None:
    _create(
        "resources",
        ["stack_id", "name", "id"],
        _must("stack_id", _UUID),
        _must("name", _LABEL),
        _must("id", _UUID),
        _must("type_name", _LABEL),
        _may("mapped_type", _LABEL),
        _must("action", _WORD),
        _must("status", _WORD),
        _must("status_reason", _TEXT),
        _may("physical_id", _TEXT),
        _must("attempt", sa.Integer()),
        _must("is_outcome_unknown", sa.Boolean()),
        _must("requires", _TEXT),
        _must("properties", _TEXT),
        _must("attributes", _TEXT),
        _must("data", _TEXT),
        _must("metadata", _TEXT),
        _must("deletion_policy", _WORD),
        _may("replaced_by", _UUID),
        _must("created_at", _MOMENT),
        _must("updated_at", _MOMENT),
        _may("started_at", _MOMENT),
        _may("operation_id", _UUID),
    )


def _create_operations() -> None:
    _create(
        "operations",
        ["id"],
        _must("id", _UUID),
        _must("stack_id", _UUID),
        _must("project_id", _LABEL),
        _must("action", _WORD),
        _must("state", _WORD),
        _must("options", _TEXT),
        _must("context", _TEXT),
        _must("attempt", sa.Integer()),
        _may("owner", _LABEL),
        _must("fence", _COUNTER),
        _may("lease_expires_at", _MOMENT),
        _may("deadline_at", _MOMENT),
        _may("superseded_by", _UUID),
        _must("total", sa.Integer()),
        _must("done", sa.Integer()),
        _must("reason", _TEXT),
        _must("failures", _TEXT),
        _must("created_at", _MOMENT),
        _may("started_at", _MOMENT),
        _may("finished_at", _MOMENT),
    )
    _index("operations", "state", "lease_expires_at")
    _index("operations", "stack_id", "created_at")


def _create_events() -> None:
    _create(
        "events",
        ["stack_id", "sequence"],
        _must("stack_id", _UUID),
        sa.Column("sequence", _COUNTER, nullable=False, autoincrement=False),
        _may("operation_id", _UUID),
        _must("resource_name", _LABEL),
        _must("resource_type", _LABEL),
        _may("resource_id", _UUID),
        _may("physical_id", _TEXT),
        _must("action", _WORD),
        _must("status", _WORD),
        _must("reason", _TEXT),
        _must("created_at", _MOMENT),
    )
    _create(
        "outbox",
        ["number"],
        sa.Column("number", _NUMBER, nullable=False, autoincrement=True),
        _must("stack_id", _UUID),
        _must("sequence", _COUNTER),
        _must("event_type", _LABEL),
        _must("priority", _WORD),
        _must("context", _TEXT),
        _must("payload", _TEXT),
        _must("created_at", _MOMENT),
    )


def _create_services() -> None:
    _create(
        "services",
        ["id"],
        _must("id", _LABEL),
        _must("host", _LABEL),
        _must("binary", _LABEL),
        _must("topic", _LABEL),
        _must("report_interval_s", sa.Integer()),
        _must("created_at", _MOMENT),
        _must("updated_at", _MOMENT),
    )
    _create(
        "leases",
        ["name"],
        _must("name", _LABEL),
        _must("owner", _LABEL),
        _must("fence", _COUNTER),
        _must("expires_at", _MOMENT),
    )


def _must(name: str, kind: sa.types.TypeEngine[_Value]) -> sa.Column[_Value]:
    return sa.Column(name, kind, nullable=False)


def _may(name: str, kind: sa.types.TypeEngine[_Value]) -> sa.Column[_Value]:
    return sa.Column(name, kind, nullable=True)


def _create(name: str, key: list[str], *items: sa.schema.SchemaItem) -> None:
    op.create_table(
        name,
        *items,
        sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))
