"""Who set a drift policy, and what the approval of a hold takes."""

import sqlalchemy as sa

from orch.db.migrations import changes

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("watches", "policy_set_by", changes.TEXT)
    changes.may("lifecycle_runs", "hold_needs_other", sa.Boolean())
    changes.may("lifecycle_runs", "hold_is_separate", sa.Boolean())
