"""What things were after our last change, what was seen, what is watched."""

import sqlalchemy as sa
from alembic import op

from orch.db.migrations import changes

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("resources", "baseline", changes.TEXT)
    changes.create(
        "observations",
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("resource_id", changes.UUID, nullable=False),
        sa.Column("root_id", changes.UUID, nullable=False),
        sa.Column("state", changes.WORD, nullable=False),
        sa.Column("is_vanished", sa.Boolean(), nullable=False),
        sa.Column("live", changes.TEXT, nullable=True),
        sa.Column("differences", changes.TEXT, nullable=False),
        sa.Column("covered", sa.Integer(), nullable=False),
        sa.Column("given", sa.Integer(), nullable=False),
        sa.Column("reason", changes.TEXT, nullable=False),
        sa.Column("observed_at", changes.MOMENT, nullable=False),
        sa.Column("drifted_at", changes.MOMENT, nullable=True),
        keys=("stack_id", "resource_id"),
    )
    op.create_index("ix_observations_root_id", "observations", ["root_id"])
    changes.create(
        "watches",
        sa.Column("root_id", changes.UUID, nullable=False),
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("policy", changes.TEXT, nullable=False),
        sa.Column("asked_at", changes.MOMENT, nullable=True),
        sa.Column("observed_at", changes.MOMENT, nullable=True),
        sa.Column("due_at", changes.MOMENT, nullable=True),
        sa.Column("claimed_by", changes.LABEL, nullable=True),
        sa.Column("claimed_until", changes.MOMENT, nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        keys=("root_id",),
    )
    op.create_index("ix_watches_due_at", "watches", ["due_at"])
