"""Abandonments are handed over, and old addresses know who has taken over.

What was abandoned before is offered to no project.
"""

import sqlalchemy as sa

from orch.db.migrations import changes

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("abandonments", "receiver_id", changes.LABEL)
    changes.may("abandonments", "offered_at", changes.MOMENT)
    changes.may("abandonments", "stack_name", changes.LABEL)
    changes.may("abandonments", "resource_count", sa.Integer())
    changes.may("abandonments", "taken_by", changes.UUID)
    changes.index("abandonments", "receiver_id", "offered_at")
    changes.index("abandonments", "project_id", "offered_at")
    changes.may("forwarded_addresses", "successor_id", changes.UUID)
