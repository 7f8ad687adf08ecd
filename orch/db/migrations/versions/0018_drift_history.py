"""The history of drift, what was accepted of it, and what notified of it."""

import sqlalchemy as sa

from orch.db.migrations import changes

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.create(
        "drift_history",
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("root_id", changes.UUID, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("resource_id", changes.UUID, nullable=False),
        sa.Column("path", changes.TEXT, nullable=False),
        sa.Column("property", changes.TEXT, nullable=False),
        sa.Column("expected", changes.TEXT),
        sa.Column("live", changes.TEXT),
        sa.Column("found_by", changes.WORD, nullable=False),
        sa.Column("found_at", changes.MOMENT, nullable=False),
        sa.Column("ended_by", changes.WORD),
        sa.Column("ended_at", changes.MOMENT),
    )
    changes.index("drift_history", "root_id", "found_at")
    changes.index("drift_history", "ended_at")
    changes.create(
        "drift_acceptances",
        sa.Column("id", changes.UUID, nullable=False),
        sa.Column("root_id", changes.UUID, nullable=False),
        sa.Column("stack_id", changes.UUID, nullable=False),
        sa.Column("resource_id", changes.UUID, nullable=False),
        sa.Column("baseline_before", changes.TEXT),
        sa.Column("baseline_after", changes.TEXT, nullable=False),
        sa.Column("differences", changes.TEXT, nullable=False),
        sa.Column("accepted_at", changes.MOMENT, nullable=False),
        sa.Column("drifted_at", changes.MOMENT),
    )
    changes.index("drift_acceptances", "root_id")
    changes.may("watches", "notified_at", changes.MOMENT)
