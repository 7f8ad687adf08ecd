"""The feed of changed stacks, for those who follow the database."""

import sqlalchemy as sa

from orch.db.migrations import changes

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.create(
        "change_records",
        sa.Column("number", changes.NUMBER, autoincrement=True),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("is_tree", sa.Boolean(), nullable=False),
        keys=("number",),
    )
    changes.create(
        "changed_stacks",
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("position", changes.NUMBER, nullable=False),
        keys=("stack_id",),
    )
    changes.index("changed_stacks", "position")
    changes.create(
        "change_feed",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("feed_id", changes.UUID, nullable=False),
        sa.Column("position", changes.NUMBER, nullable=False),
        sa.Column("complete_from", changes.NUMBER, nullable=False),
    )
