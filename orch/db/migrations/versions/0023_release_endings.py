"""Which operation ends the release of physical resources, for post-ops."""

from orch.db.migrations import changes

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("lifecycle_runs", "for_operation", changes.UUID)
    changes.may("lifecycle_runs", "released_paths", changes.TEXT)
    changes.index("lifecycle_runs", "for_operation")
