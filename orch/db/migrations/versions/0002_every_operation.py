"""Let every operation be stored: updates, snapshots, plans, breakpoints."""

import sqlalchemy as sa
from alembic import op

from orch.db.migrations import changes

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("stacks", "good_template_hash", changes.DIGEST)
    changes.may("stacks", "good_environment_hash", changes.DIGEST)
    op.create_index(
        "ix_stacks_good_template_hash", "stacks", ["good_template_hash"]
    )
    op.create_index(
        "ix_stacks_good_environment_hash", "stacks", ["good_environment_hash"]
    )
    changes.may("resources", "external_id", changes.TEXT)
    changes.must("resources", "required_ids", changes.TEXT, "[]")
    changes.may("resources", "wanted", changes.TEXT)
    changes.may("resources", "kept", changes.TEXT)
    changes.must("resources", "hooks", changes.TEXT, "{}")
    changes.may("operations", "template_hash", changes.DIGEST)
    changes.may("operations", "environment_hash", changes.DIGEST)
    changes.must("operations", "is_cancelled", sa.Boolean(), False)
    changes.may("operations", "next_try_at", changes.MOMENT)
    changes.must("operations", "attempts", changes.TEXT, "[]")
    _create_snapshots()
    _create_plans()
    _create_operation_plans()


def _create_snapshots() -> None:
    changes.create(
        "snapshots",
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("name", changes.LABEL, nullable=True),
        sa.Column("operation_id", changes.UUID, nullable=False),
        sa.Column("status", changes.WORD, nullable=False),
        sa.Column("status_reason", changes.TEXT, nullable=False),
        sa.Column("template_hash", changes.DIGEST, nullable=False),
        sa.Column("environment_hash", changes.DIGEST, nullable=False),
        sa.Column("data", changes.TEXT, nullable=True),
        sa.Column("created_at", changes.MOMENT, nullable=False),
    )
    op.create_index(
        "ix_snapshots_stack_id_created_at",
        "snapshots",
        ["stack_id", "created_at"],
    )
    for name in ("template_hash", "environment_hash"):
        op.create_index(f"ix_snapshots_{name}", "snapshots", [name])


def _create_plans() -> None:
    changes.create(
        "plans",
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("action", changes.WORD, nullable=False),
        sa.Column("options", changes.TEXT, nullable=False),
        sa.Column("template_hash", changes.DIGEST, nullable=True),
        sa.Column("environment_hash", changes.DIGEST, nullable=True),
        sa.Column("basis", changes.TEXT, nullable=False),
        sa.Column("changes", changes.TEXT, nullable=False),
        sa.Column("context", changes.TEXT, nullable=False),
        sa.Column("operation_id", changes.UUID, nullable=True),
        sa.Column("created_at", changes.MOMENT, nullable=False),
    )
    op.create_index(
        "ix_plans_stack_id_created_at", "plans", ["stack_id", "created_at"]
    )


def _create_operation_plans() -> None:
    changes.create(
        "operation_plans",
        sa.Column("operation_id", changes.UUID, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("steps", changes.BLOB, nullable=False),
        keys=("operation_id", "attempt"),
    )
    op.create_index(
        "ix_operation_plans_stack_id", "operation_plans", ["stack_id"]
    )
