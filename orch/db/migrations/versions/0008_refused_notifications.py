"""Notifications that the bus refuses while it takes others."""

import sqlalchemy as sa

from orch.db.migrations import changes

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.create(
        "refused_notifications",
        sa.Column(
            "number", changes.NUMBER, nullable=False, autoincrement=True
        ),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("event_type", changes.LABEL, nullable=False),
        sa.Column("priority", changes.WORD, nullable=False),
        sa.Column("context", changes.TEXT, nullable=False),
        sa.Column("payload", changes.TEXT, nullable=False),
        sa.Column("created_at", changes.MOMENT, nullable=False),
        sa.Column("reason", changes.TEXT, nullable=False),
        sa.Column("refused_at", changes.MOMENT, nullable=False),
        keys=("number",),
    )
