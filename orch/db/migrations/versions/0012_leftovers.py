"""The list of left-over physical resources, which outlive their stacks."""

import sqlalchemy as sa

from orch.db.migrations import changes

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.create(
        "leftovers",
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("stack_name", changes.LABEL, nullable=False),
        sa.Column("holder_name", changes.LABEL, nullable=False),
        sa.Column("path", changes.TEXT, nullable=False),
        sa.Column("name", changes.LABEL, nullable=False),
        sa.Column("type_name", changes.LABEL, nullable=False),
        sa.Column("mapped_type", changes.LABEL),
        sa.Column("physical_id", changes.TEXT),
        sa.Column("id_scope", changes.DIGEST),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("is_outcome_unknown", sa.Boolean(), nullable=False),
        sa.Column("cause", changes.WORD, nullable=False),
        sa.Column("reason", changes.TEXT, nullable=False),
        sa.Column("properties", changes.TEXT, nullable=False),
        sa.Column("attributes", changes.TEXT, nullable=False),
        sa.Column("data", changes.TEXT, nullable=False),
        sa.Column("metadata", changes.TEXT, nullable=False),
        sa.Column("created_at", changes.MOMENT, nullable=False),
        sa.Column("left_at", changes.MOMENT, nullable=False),
        sa.Column("operation_id", changes.UUID),
        sa.Column("sweep_id", changes.UUID),
    )
    changes.index("leftovers", "project_id", "left_at")
    changes.index("leftovers", "stack_id")
    changes.index("leftovers", "sweep_id")
