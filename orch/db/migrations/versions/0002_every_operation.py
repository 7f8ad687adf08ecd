"""Let every operation be stored: updates, snapshots, plans, breakpoints."""

import typing

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_Value = typing.TypeVar("_Value")

_UUID = sa.String(36)
_DIGEST = sa.String(64)
_LABEL = sa.String(255)
_WORD = sa.String(16)
_MOMENT: sa.Double[float] = sa.Double()
_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql")
_BLOB = sa.LargeBinary().with_variant(mysql.LONGBLOB(), "mysql")


def upgrade() -> None:
    """Make the change; there is no way back."""
    _may("stacks", "good_template_hash", _DIGEST)
    _may("stacks", "good_environment_hash", _DIGEST)
    op.create_index(
        "ix_stacks_good_template_hash", "stacks", ["good_template_hash"]
    )
    op.create_index(
        "ix_stacks_good_environment_hash", "stacks", ["good_environment_hash"]
    )
    _may("resources", "external_id", _TEXT)
    _must("resources", "required_ids", _TEXT, "[]")
    _may("resources", "wanted", _TEXT)
    _may("resources", "kept", _TEXT)
    _must("resources", "hooks", _TEXT, "{}")
    _may("operations", "template_hash", _DIGEST)
    _may("operations", "environment_hash", _DIGEST)
    _must("operations", "is_cancelled", sa.Boolean(), False)
    _may("operations", "next_try_at", _MOMENT)
    _must("operations", "attempts", _TEXT, "[]")
    _create_snapshots()
    _create_plans()
    _create_operation_plans()


def _create_snapshots() -> None:
    _create(
        "snapshots",
        sa.Column("id", _UUID, nullable=False),
        sa.Column("stack_id", _UUID, nullable=False),
        sa.Column("name", _LABEL, nullable=True),
        sa.Column("operation_id", _UUID, nullable=False),
        sa.Column("status", _WORD, nullable=False),
        sa.Column("status_reason", _TEXT, nullable=False),
        sa.Column("template_hash", _DIGEST, nullable=False),
        sa.Column("environment_hash", _DIGEST, nullable=False),
        sa.Column("data", _TEXT, nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
    op.create_index(
        "ix_snapshots_stack_id_created_at",
        "snapshots",
        ["stack_id", "created_at"],
    )
    for name in ("template_hash", "environment_hash"):
        op.create_index(f"ix_snapshots_{name}", "snapshots", [name])


def _create_plans() -> None:
    _create(
        "plans",
        sa.Column("id", _UUID, nullable=False),
        sa.Column("stack_id", _UUID, nullable=False),
        sa.Column("project_id", _LABEL, nullable=False),
        sa.Column("action", _WORD, nullable=False),
        sa.Column("options", _TEXT, nullable=False),
        sa.Column("template_hash", _DIGEST, nullable=True),
        sa.Column("environment_hash", _DIGEST, nullable=True),
        sa.Column("basis", _TEXT, nullable=False),
        sa.Column("changes", _TEXT, nullable=False),
        sa.Column("context", _TEXT, nullable=False),
        sa.Column("operation_id", _UUID, nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
    op.create_index(
        "ix_plans_stack_id_created_at", "plans", ["stack_id", "created_at"]
    )


def _create_operation_plans() -> None:
    _create(
        "operation_plans",
        sa.Column("operation_id", _UUID, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("stack_id", _UUID, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("steps", _BLOB, nullable=False),
        keys=("operation_id", "attempt"),
    )
    op.create_index(
        "ix_operation_plans_stack_id", "operation_plans", ["stack_id"]
    )


def _may(table: str, name: str, kind: sa.types.TypeEngine[_Value]) -> None:
    op.add_column(table, sa.Column(name, kind, nullable=True))


def _must(
    table: str,
    name: str,
    kind: sa.types.TypeEngine[_Value],
    default: object,
) -> None:
    """Add a column that older rows get a value in, and that has no default.

    MySQL gives no default to texts.
    """
    op.add_column(table, sa.Column(name, kind, nullable=True))
    column = sa.column(name, kind)
    op.execute(sa.update(sa.table(table, column)).values({name: default}))
    with op.batch_alter_table(table) as batch:
        batch.alter_column(name, existing_type=kind, nullable=False)


def _create(
    name: str,
    *items: sa.schema.SchemaItem,
    keys: tuple[str, ...] = ("id",),
) -> None:
    op.create_table(
        name,
        *items,
        sa.PrimaryKeyConstraint(*keys, name=f"pk_{name}"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
