"""The observer pauses for projects, and stops repairs where much vanishes.

Resources know when they were changed: checks and the like count no more.
"""

import sqlalchemy as sa

from orch.db.migrations import changes

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.create(
        "drift_pauses",
        sa.Column("project_id", changes.LABEL, nullable=False),
        sa.Column("paused_at", changes.MOMENT),
        sa.Column("paused_by", changes.LABEL, nullable=False),
        sa.Column("stopped_at", changes.MOMENT),
        sa.Column("resumed_at", changes.MOMENT),
        keys=("project_id",),
    )
    changes.may("resources", "changed_at", changes.MOMENT)
