"""Which stack has a physical resource until its adoption starts."""

from orch.db.migrations import changes

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the change; there is no way back."""
    changes.may("resources", "taken_from", changes.UUID)
