"""The sinks that environments name for events, and what each was told."""

import sqlalchemy as sa
from alembic import op

from orch.db.migrations import changes

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.create(
        "event_sinks",
        sa.Column("environment_hash", changes.DIGEST, nullable=False),
        sa.Column("sink_key", changes.DIGEST, nullable=False),
        sa.Column("declared", changes.TEXT, nullable=False),
        sa.Column("stored_at", changes.MOMENT, nullable=False),
        keys=("environment_hash", "sink_key"),
    )
    changes.create(
        "event_sink_states",
        sa.Column("root_id", changes.UUID, nullable=False),
        sa.Column("sink_key", changes.DIGEST, nullable=False),
        sa.Column("since", changes.MOMENT, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", changes.MOMENT, nullable=True),
        sa.Column("problem", changes.TEXT, nullable=False),
        sa.Column("is_over", sa.Boolean(), nullable=False),
        keys=("root_id", "sink_key"),
    )
    changes.create(
        "event_sink_cursors",
        sa.Column("root_id", changes.UUID, nullable=False),
        sa.Column("sink_key", changes.DIGEST, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        keys=("root_id", "sink_key", "stack_id"),
    )
    op.create_index(
        "ix_event_sink_cursors_stack_id", "event_sink_cursors", ["stack_id"]
    )
